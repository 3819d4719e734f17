#pragma once

#include <cstdint>

#include "tensor/tensor.h"

// Losses of classifiers. Logits and log-probabilities have classes along dimension 1, or 0 when it is the
// only one; targets, class indices of dtype int64, have the shape without it; as in PyTorch also of uint8
// where that has one dimension or none. Computed in float64 for float64, else in float32, and rounded once.
// Sums follow an order that the shape alone decides.
//
// A TensorError when shapes, dtypes or devices do not fit, or, on the CPU, a target is no class; on a GPU the
// loss is NaN then.

namespace lectern {

enum class LossReduction : std::uint8_t {
  unreduced,  ///< a loss for each target
  mean,       ///< the sum, divided by the sum of the weights of all targets that are not ignored
  sum,
};

struct ClassLossOptions {
  Tensor weight = {};                ///< one per class; 1 when undefined
  std::int64_t ignore_index = -100;  ///< a target with no loss
  LossReduction reduction = LossReduction::mean;
  double label_smoothing = 0;  ///< in [0, 1]: the part of a target that all classes share; not of nll_loss
};

/// A loss and what its gradient needs, of the dtype that is computed in.
struct ClassLoss {
  Tensor loss;
  /// Of each target, along a last dimension, its largest logit m and ln Σ e^(logit - m); undefined for
  /// nll_loss. Together they count as one number where they are taken from a logit.
  Tensor log_normalizer;
  Tensor total_weight;  ///< of all targets that are not ignored
};

/// -ln softmax(logits)[target], fused: the logits are read once, probabilities are never stored. O(logits); 4
/// floating-point operations for each (maximum, difference, power, sum), 3 more with label smoothing
/// (difference, weighted sum), besides those that reduce the losses.
Tensor cross_entropy(const Tensor& logits, const Tensor& target, const ClassLossOptions& options = {});
ClassLoss cross_entropy_forward(const Tensor& logits, const Tensor& target, const ClassLossOptions& options);
/// (softmax(logits) - onehot) times the gradient of each target's loss, computed from logits and
/// log_normalizer in one pass; 4 floating-point operations per logit (difference, power, less the target's,
/// product), 2 more with label smoothing (the weighted share of all classes, difference).
Tensor cross_entropy_backward(const Tensor& grad, const Tensor& logits, const Tensor& target,
                              const ClassLoss& saved, const ClassLossOptions& options);

/// -log_probs[target]. O(targets); one floating-point operation for each, besides those that reduce the
/// losses. Of the log-probabilities those at the targets are read.
Tensor nll_loss(const Tensor& log_probs, const Tensor& target, const ClassLossOptions& options = {});
ClassLoss nll_loss_forward(const Tensor& log_probs, const Tensor& target, const ClassLossOptions& options);
/// 0 but at the targets. O(elements); one floating-point operation for each target.
Tensor nll_loss_backward(const Tensor& grad, const Tensor& log_probs, const Tensor& target,
                         const ClassLoss& saved, const ClassLossOptions& options);

}  // namespace lectern
