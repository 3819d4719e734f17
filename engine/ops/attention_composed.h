#pragma once

#include "ops/attention.h"

namespace lectern {

/// Attention made of other operations, in blocks of queries, each with the keys that its last query sees; in
/// the compute dtype. Any device, dtype and sizes.
class ComposedAttention {
 public:
  ComposedAttention(const Tensor& query, const Tensor& key, const Tensor& value,
                    const AttentionOptions& options);

  Tensor forward() const;

  struct Gradient {
    Tensor query, key, value;  ///< of the batch's sizes
    Tensor added;              ///< undefined when not wanted
  };
  Gradient backward(const Tensor& grad, bool needs_added) const;

 private:
  template <typename Visit>
  void for_each_block(const Visit& visit) const;
  Tensor scaled(std::int64_t begin, std::int64_t count) const;
  Tensor weights(const Tensor& block_query, std::int64_t begin, std::int64_t keys) const;

  Sizes batch_;
  Tensor query_, key_, value_;
  Tensor hidden_, added_;  ///< boolean and additive mask; undefined: none
  bool is_causal_;
  double scale_;
};

}  // namespace lectern
