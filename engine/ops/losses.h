#pragma once

#include "ops/cross_entropy.h"
#include "tensor/tensor.h"

// Losses that compare numbers, and dropout. Of float8 computed in float32 and rounded once.

namespace lectern {

/// (x - target)², of shapes that broadcast, in the dtype that both promote to: a floating one.
Tensor mse_loss(const Tensor& x, const Tensor& target, LossReduction reduction = LossReduction::mean);

/// -(pos_weight · t · ln σ(x) + (1 - t) · ln(1 - σ(x))) · weight for targets t in [0, 1], of x's shape;
/// stable for any x. Weights are broadcast to it; undefined ones are 1.
Tensor binary_cross_entropy_with_logits(const Tensor& x, const Tensor& target, const Tensor& weight = {},
                                        LossReduction reduction = LossReduction::mean,
                                        const Tensor& pos_weight = {});

/// Each element is 0 with probability p, and else divided by 1 - p; the draws are those of PyTorch. Itself
/// when it is not `training`, or p is 0. A TensorError unless p is in [0, 1].
Tensor dropout(const Tensor& x, double p = 0.5, bool training = true, Generator* generator = nullptr);

}  // namespace lectern
