#pragma once

#include "kernels/attention.h"
#include "ops/attention.h"

namespace lectern {

/// Attention by one kernel (kernels/attention.h), where there is one: the library's or ours.
class FusedAttention {
 public:
  FusedAttention(const Tensor& query, const Tensor& key, const Tensor& value, const AttentionOptions& options,
                 AttentionBackends allowed);

  /// The first allowed way that can; composed if none can, and then nothing else may be called.
  AttentionBackend backend() const { return backend_; }

  struct Result {
    Tensor out;          ///< its dimensions in memory in the order of the query's
    Tensor log_sum_exp;  ///< […, L] float32, natural
  };
  Result forward() const;

  struct Gradient {
    Tensor query, key,
        value;  ///< undefined when not wanted; key and value maybe already summed over the batch
  };
  Gradient backward(const Result& result, const Tensor& grad, bool needs_query, bool needs_keys,
                    bool is_deterministic) const;
  /// Whether the gradients of operands of this length are to have the same bits each time.
  bool must_be_deterministic() const;

 private:
  AttentionBackend choose(AttentionBackends allowed) const;
  kernels::AttentionProblem problem() const;
  Sizes out_strides() const;

  Sizes batch_;
  Tensor query_, key_, value_, mask_;  ///< expanded to the batch
  bool is_causal_;
  double scale_;
  AttentionBackend backend_ = AttentionBackend::composed;
};

}  // namespace lectern
