#pragma once

#include "ops/cross_entropy.h"
#include "tensor/tensor.h"

// Regression and binary losses, and dropout. float8 is computed in float32 and rounded once.

namespace lectern {

/// (x - target)², broadcast, in the promoted dtype, which must be floating.
Tensor mse_loss(const Tensor& x, const Tensor& target, LossReduction reduction = LossReduction::mean);

/// -(pos_weight · t · ln σ(x) + (1 - t) · ln(1 - σ(x))) · weight for targets t in [0, 1], of x's shape;
/// stable for any x. Weights are broadcast to it; undefined ones are 1.
Tensor binary_cross_entropy_with_logits(const Tensor& x, const Tensor& target, const Tensor& weight = {},
                                        LossReduction reduction = LossReduction::mean,
                                        const Tensor& pos_weight = {});

/// Zeroes each element with probability p and divides the others by 1 - p; draws as PyTorch does. The
/// identity unless `training`, or when p is 0. A TensorError unless p is in [0, 1].
Tensor dropout(const Tensor& x, double p = 0.5, bool training = true, Generator* generator = nullptr);

}  // namespace lectern
