#pragma once

#include <optional>

#include "tensor/tensor.h"

// Normalisation over the last dimensions, fused. Computed in float64 for float64, else in float32, and
// rounded once; memory is read once and written once while what is normalised together fits the second-level
// cache. What is normalised is copied first where its dimensions are not one run of memory in equal steps.
// O(elements). Floating-point operations per element: 6 (sum; distance, square, sum; distance, product), 3
// for rms_norm (square, sum; product), and 1 each for weight and bias. Backward 9 (sum; distance, product;
// product, sum; difference, product, difference, product), 6 for rms_norm, 1 for weight, and for the
// gradients 2 of weight and 1 of bias, where they are wanted.

namespace lectern {

/// A result and what its gradient needs: of the dtype that is computed in, with size 1 in the place of the
/// normalised dimensions.
struct Normalized {
  Tensor result;
  Tensor mean;  ///< undefined for rms_norm
  Tensor rstd;  ///< 1 / √(variance + eps), or of the mean of squares
};

/// (x - mean) / √(variance + eps) * weight + bias over the last dimensions of x, which have the sizes
/// `normalized_shape`, as weight and bias have; undefined ones are 1 and 0. The variance is the mean of the
/// squared distances from the mean. A TensorError when shapes or devices do not fit, or a dtype is not
/// floating.
Tensor layer_norm(const Tensor& x, const Sizes& normalized_shape, const Tensor& weight = {},
                  const Tensor& bias = {}, double eps = 1e-5);
Normalized layer_norm_forward(const Tensor& x, const Sizes& normalized_shape, const Tensor& weight,
                              const Tensor& bias, double eps);

/// x / √(mean of x² + eps) * weight. Without eps it is the epsilon of x's dtype.
Tensor rms_norm(const Tensor& x, const Sizes& normalized_shape, const Tensor& weight = {},
                std::optional<double> eps = {});
Normalized rms_norm_forward(const Tensor& x, const Sizes& normalized_shape, const Tensor& weight,
                            std::optional<double> eps);

struct NormGradients {
  Tensor x;
  Tensor weight;  ///< undefined where weight is
  Tensor bias;    ///< likewise
};

/// With g = grad * weight and n = (x - mean) rstd: (g - mean(g) - n mean(g n)) rstd; the sums of grad * n and
/// of grad over everything else, in an order that follows from the shape alone. `saved` has mean and rstd.
NormGradients layer_norm_backward(const Tensor& grad, const Tensor& x, const Sizes& normalized_shape,
                                  const Normalized& saved, const Tensor& weight, const Tensor& bias);
/// The same with mean and mean(g) 0.
NormGradients rms_norm_backward(const Tensor& grad, const Tensor& x, const Sizes& normalized_shape,
                                const Normalized& saved, const Tensor& weight);

}  // namespace lectern
