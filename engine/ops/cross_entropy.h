#pragma once

#include <cstdint>

#include "tensor/tensor.h"

// Classification losses. Logits and log-probabilities have classes along dimension 1, or 0 if it is the only
// one; targets, class indices of dtype int64, have the shape without it; as in PyTorch also uint8 with at
// most one dimension. Computed in float64 for float64, else in float32, and rounded once. The order of sums
// depends on the shape only.
//
// A TensorError when shapes, dtypes or devices do not fit, or, on the CPU, a target is not a class; on a GPU
// the loss is then NaN.

namespace lectern {

enum class LossReduction : std::uint8_t {
  unreduced,  ///< one loss per target
  mean,       ///< over all elements; of class losses, over the weights of the targets not ignored
  sum,
};

struct ClassLossOptions {
  Tensor weight = {};                ///< one per class; 1 when undefined
  std::int64_t ignore_index = -100;  ///< a target without loss
  LossReduction reduction = LossReduction::mean;
  /// In [0, 1]: the share of a target spread over all classes (Szegedy et al. 2016, "Rethinking the Inception
  /// Architecture for Computer Vision", section 7). Not for nll_loss.
  double label_smoothing = 0;
};

/// -ln softmax(logits)[target], of the logits' dtype and, unreduced, the target's shape. Fused: reads the
/// logits once and never stores probabilities. O(logits); 4 floating-point operations per logit (maximum,
/// difference, exponential, sum), 3 more with label smoothing (difference, weighted sum), plus reducing the
/// losses. Backward 4 per logit (difference, exponential, minus the target's, product), 2 more with label
/// smoothing (the weighted share of all classes, difference).
///
/// A floating target of the logits' shape holds the probabilities of the classes: then the loss is -Σ weight
/// · probability · ln softmax(logits) over the classes, composed of log_softmax, products and sums, with a
/// gradient for the target, too. Its dtype is the promoted one; `mean` divides by the number of lines of
/// classes, without weights; there is no ignore_index: a TensorError for one that is not negative.
Tensor cross_entropy(const Tensor& logits, const Tensor& target, const ClassLossOptions& options = {});

/// -log_probs[target], of the dtype of log_probs and, unreduced, the target's shape. O(targets); one
/// floating-point operation per target, plus reducing the losses. Reads only the log-probabilities at the
/// targets. Backward O(elements), one operation per target.
Tensor nll_loss(const Tensor& log_probs, const Tensor& target, const ClassLossOptions& options = {});

}  // namespace lectern
