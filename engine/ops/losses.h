#pragma once

#include <cstdint>

#include "ops/cross_entropy.h"
#include "tensor/tensor.h"

// Regression losses, divergences and binary cross-entropy. Gradients flow to both sides. float8 is computed
// in float32 and rounded once. In losses of differences a side of no dimensions counts in the promoted dtype
// like any other, as in PyTorch. Costs are those of the elementwise operations and sums that each consists
// of, O(elements).

namespace lectern {

/// (x - target)², broadcast, in the promoted dtype, which must be floating.
Tensor mse_loss(const Tensor& x, const Tensor& target, LossReduction reduction = LossReduction::mean);

/// |x - target|, likewise; unless it is their mean, of integers, too.
Tensor l1_loss(const Tensor& x, const Tensor& target, LossReduction reduction = LossReduction::mean);

/// (x - target)² / 2 where |x - target| < delta, else delta (|x - target| - delta / 2), likewise (Huber 1964,
/// "Robust Estimation of a Location Parameter"), but in x's dtype, which must be floating. A TensorError
/// unless delta > 0.
Tensor huber_loss(const Tensor& x, const Tensor& target, LossReduction reduction = LossReduction::mean,
                  double delta = 1);

/// huber_loss / beta with delta = beta; l1_loss for beta = 0. A TensorError for a negative beta.
Tensor smooth_l1_loss(const Tensor& x, const Tensor& target, LossReduction reduction = LossReduction::mean,
                      double beta = 1);

/// What kl_div() makes of its terms.
enum class KlDivReduction : std::uint8_t {
  unreduced,
  mean,       ///< over all terms: not a divergence
  sum,        ///< the divergence, added up over the batch
  batchmean,  ///< the sum divided by the size of dimension 0: the mean divergence of a batch
};

/// The terms target (ln target - x) of the Kullback-Leibler divergence of log-probabilities x from
/// probabilities `target`, or from their logarithms with log_target, broadcast, in the promoted dtype. Terms
/// of probability 0 are 0.
Tensor kl_div(const Tensor& x, const Tensor& target, KlDivReduction reduction = KlDivReduction::mean,
              bool log_target = false);

/// -(target · ln x + (1 - target) · ln(1 - x)) · weight for probabilities x, of the same shape; the
/// logarithms are at least -100. The weight is broadcast to it; an undefined one is 1. A TensorError for
/// another shape, for a weight that is larger, and, on the CPU, for x outside [0, 1].
Tensor binary_cross_entropy(const Tensor& x, const Tensor& target, const Tensor& weight = {},
                            LossReduction reduction = LossReduction::mean);

/// -(pos_weight · t · ln σ(x) + (1 - t) · ln(1 - σ(x))) · weight for targets t in [0, 1], of x's shape;
/// stable for any x, of floating dtype. Weights are broadcast to it; undefined ones are 1. Errors likewise.
Tensor binary_cross_entropy_with_logits(const Tensor& x, const Tensor& target, const Tensor& weight = {},
                                        LossReduction reduction = LossReduction::mean,
                                        const Tensor& pos_weight = {});

}  // namespace lectern
