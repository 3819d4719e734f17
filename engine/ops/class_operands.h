#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "kernels/cross_entropy.h"
#include "ops/compute_dtype.h"
#include "ops/cross_entropy.h"

// Common to classification losses.

namespace lectern {

/// A loss and what its gradient needs, in the compute dtype.
struct ClassLoss {
  Tensor loss;
  /// Per target, along a last dimension, the largest logit m and ln Σ e^(logit - m); undefined for nll_loss.
  /// Subtracting both from a logit counts as one operation.
  Tensor log_normalizer;
  Tensor total_weight;  ///< of all targets not ignored; undefined for a loss each
};

/// A TensorError unless the smoothing is in [0, 1] and the weight undefined or one for each of `classes`.
void check_class_options(std::string_view operation, const ClassLossOptions& options, std::int64_t classes);

/// A loss and the weight of all targets.
struct TotalLoss {
  Tensor loss, weight;
};
/// The sum or the mean, in `dtype`, of the targets' contiguous losses and weights.
TotalLoss total_loss(std::string_view operation, Dtype dtype, const Tensor& losses, const Tensor& weights,
                     LossReduction reduction);

/// The factors of targets' gradients, one each or one for all, and what holds them.
struct ClassFactors {
  Tensor factors;  ///< in the compute dtype
  kernels::ClassScales scales;
  std::int64_t bytes;  ///< that were read of them
};

/// Validated operands; errors name the operation. Targets are checked on the CPU only.
class ClassOperands {
 public:
  ClassOperands(std::string_view operation, const Tensor& logits, const Tensor& target,
                const ClassLossOptions& options);

  std::string_view operation() const { return operation_; }
  const Tensor& logits() const { return logits_; }
  Dtype computed() const { return compute_dtype(logits_.dtype()); }
  bool is_smoothed() const { return options_.label_smoothing != 0; }
  /// Counts this, and the bytes read besides the logits; without targets nothing is read.
  void count(std::int64_t flops, std::int64_t bytes) const;
  /// One element per target, or several along a last dimension.
  Tensor make_target_tensor(std::int64_t width = 1) const;
  kernels::ClassLines lines() const;
  /// The loss, in `dtype`, of the targets' losses and weights.
  ClassLoss reduced(Dtype dtype, const Tensor& losses, const Tensor& normalizers,
                    const Tensor& weights) const;
  /// What the targets' gradients are multiplied by.
  ClassFactors factors(const Tensor& grad, const ClassLoss& saved) const;

 private:
  void check_operands(const Tensor& target) const;
  void check_classes() const;

  std::string_view operation_;
  Tensor logits_;
  std::size_t dim_;
  const ClassLossOptions& options_;
  Tensor targets_;
  Tensor weight_;
  std::int64_t bytes_beside_logits_ = 0;
};

}  // namespace lectern
