#pragma once

#include <cstdint>

#include "tensor/tensor.h"

// Normalisation of channels, dimension 1 of x [N, C, …], fused. Computed in float64 for float64, else in
// float32, and rounded once; memory is read and written once as long as the elements that share statistics
// fit the L2 cache, and so it is backward. An x of other than contiguous elements is copied first.
// O(elements). Floating-point operations per element: 4 for the statistics (sum; difference, square, sum),
// unless they are given, 2 (difference, product), and 1 each for weight and bias. Backward 9 (as that of
// layer_norm), which include the gradients of weight and bias, and 1 for weight; with given statistics 1, 1
// for weight, and, where needed, 4 for the gradient of weight (difference, product, product, sum) and 1 for
// that of bias.

namespace lectern {

/// Running averages of the mean and of the (unbiased) variance of each channel.
struct RunningStatistics {
  Tensor mean;      ///< [C], or both undefined
  Tensor variance;  ///< likewise
};

/// What batch_norm does beside normalising.
struct BatchNormalization {
  bool training = false;  ///< with the statistics of x, towards which the running ones go; else with these
  double momentum = 0.1;  ///< the share of x in the running statistics then
  double eps = 1e-5;
};

/// (x - mean) / √(variance + eps) · weight + bias for each channel; weight and bias, of shape [C], are 1 and
/// 0 where undefined. In training mean and (biased) variance are those of x over all other dimensions, else
/// the running ones. A TensorError when shapes or devices do not fit, a dtype is not floating, in training
/// for channels of one element, and otherwise without running statistics.
Tensor batch_norm(const Tensor& x, const RunningStatistics& running, const Tensor& weight = {},
                  const Tensor& bias = {}, const BatchNormalization& options = {});

/// The same with the mean and biased variance of each of `groups` groups of neighbouring channels in each
/// element of the batch. A TensorError unless the groups divide the channels, for groups of one element in a
/// batch of one, and otherwise likewise.
Tensor group_norm(const Tensor& x, std::int64_t groups, const Tensor& weight = {}, const Tensor& bias = {},
                  double eps = 1e-5);

}  // namespace lectern
