#pragma once

#include <cstdint>

#include "ops/cross_entropy.h"

namespace lectern {

/// cross_entropy(linear(x, weight), target, options) for x […, in], weight [classes, in] and target […], as a
/// language model's head ends in it, of n targets, c classes and d = in, without the n × c logits: those of
/// `rows` targets exist at a time, by default as many as make 256 MiB. Where gradients will be needed they
/// are computed with the loss, from the same logits: these become their own gradient in place, the weight's
/// is summed in the compute dtype, and backward only scales. (Hsu et al. 2024, "Liger Kernel", section 3.2.)
/// Autocast computes the products in its dtype, and the loss in float32; of a float32 weight the gradient is
/// then never rounded to less.
///
/// On a GPU a number of classes whose logits would lie at no multiple of 16 bytes is as fast as the next
/// multiple of 64, with which a copy of the weight is multiplied.
///
/// Memory beside the loss: rows · c elements of the products' dtype and, until backward, a gradient of x's
/// shape in that dtype and one of the weight's shape in the compute dtype. O(n c d). Floating-point
/// operations: 2 n c d for the logits and as many again for each gradient; 4 n c for the loss (7 with label
/// smoothing) and 2 n to reduce it; 4 n c (6) for the logits' gradient. Bytes: x, weight,
/// targets and class weights are read once, loss and gradients written once. Backward 1 operation per element
/// of a gradient, which is read and written.
///
/// A TensorError when shapes, dtypes or devices do not fit, for losses that are not reduced, for rows < 0
/// and, on the CPU, for a target that is no class; on a GPU the loss is then NaN.
Tensor linear_cross_entropy(const Tensor& x, const Tensor& weight, const Tensor& target,
                            const ClassLossOptions& options = {}, std::int64_t rows = 0);

}  // namespace lectern
