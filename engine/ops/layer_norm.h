#pragma once

#include <optional>

#include "tensor/tensor.h"

// Normalisation over the last dimensions, fused. Computed in float64 for float64, else in float32, and
// rounded once; memory is read and written once as long as a normalised row fits the L2 cache. Rows that are
// not evenly strided are copied first. O(elements). Floating-point operations per element: 6 (sum;
// difference, square, sum; difference, product), 3 for rms_norm (square, sum; product), and 1 each for weight
// and bias. Backward 9 (sum; difference, product; product, sum; difference, product, difference, product), 6
// for rms_norm, 1 for weight, and, where needed, 2 for the gradient of weight and 1 for that of bias.

namespace lectern {

/// (x - mean) / √(variance + eps) * weight + bias over the last dimensions of x, which have the sizes
/// `normalized_shape`, as do weight and bias; undefined ones are 1 and 0. The variance is the biased one
/// (divided by the number of elements). A TensorError when shapes or devices do not fit, or a dtype is not
/// floating. The result has x's shape and dtype (Ba et al. 2016, "Layer Normalization").
Tensor layer_norm(const Tensor& x, const Sizes& normalized_shape, const Tensor& weight = {},
                  const Tensor& bias = {}, double eps = 1e-5);

/// x / √(mean of x² + eps) * weight (Zhang and Sennrich 2019, "Root Mean Square Layer Normalization"). The
/// default eps is the machine epsilon of x's dtype.
Tensor rms_norm(const Tensor& x, const Sizes& normalized_shape, const Tensor& weight = {},
                std::optional<double> eps = {});

}  // namespace lectern
