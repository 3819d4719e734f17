#pragma once

#include <cstdint>
#include <optional>

#include "ops/extremum.h"
#include "tensor/tensor.h"

// What windows along the last one or two dimensions of x [N, C, length…] or [C, length…] have in common:
// their largest element or their mean. Each length becomes ⌊(length + 2 padding − dilation (kernel − 1) − 1)
// / stride⌋ + 1 (⌈…⌉ with ceil_mode, but no window begins in the padding of the end). Sizes are one for all
// dimensions, or one for each; no stride is the kernel's.
//
// A TensorError for a dtype that is not floating, x of another shape, a kernel larger than the padded length,
// and a padding of more than half the kernel.

namespace lectern {

struct MaxPoolOptions {
  Sizes stride = {};
  Sizes padding = {0};  ///< with −∞
  Sizes dilation = {1};
  bool ceil_mode = false;
};

/// The largest element of each window; NaN is larger than everything. The gradient goes to the first of equal
/// ones and to the last NaN. One floating-point operation for each element of each window, padding apart;
/// reads x and writes the result and, where a gradient is to come, 8 bytes for each window.
Tensor max_pool1d(const Tensor& x, const Sizes& kernel_size, const MaxPoolOptions& options = {});
Tensor max_pool2d(const Tensor& x, const Sizes& kernel_size, const MaxPoolOptions& options = {});

/// The same with the place of each among the last one or two dimensions of x, in row-major order: PyTorch's
/// return_indices. −1 for a window of padding alone, whose largest element is −∞.
ValuesAndIndices max_pool1d_with_indices(const Tensor& x, const Sizes& kernel_size,
                                         const MaxPoolOptions& options = {});
ValuesAndIndices max_pool2d_with_indices(const Tensor& x, const Sizes& kernel_size,
                                         const MaxPoolOptions& options = {});

struct AvgPoolOptions {
  Sizes stride = {};
  Sizes padding = {0};  ///< with 0
  bool ceil_mode = false;
  bool count_include_pad = true;  ///< the mean is over the elements of the padding, too
  /// The sum is divided by this instead; of avg_pool2d.
  std::optional<std::int64_t> divisor_override = {};
};

/// The mean of each window, summed in float32 for dtypes of 16 bits and rounded once. One floating-point
/// operation for each element of each window, padding apart, and one for each window, as many backward; reads
/// x and writes the result.
Tensor avg_pool1d(const Tensor& x, const Sizes& kernel_size, const AvgPoolOptions& options = {});
Tensor avg_pool2d(const Tensor& x, const Sizes& kernel_size, const AvgPoolOptions& options = {});

/// Lengths become `output_size`: window i of n spans the elements from ⌊i · length / n⌋ to before
/// ⌈(i + 1) · length / n⌉. -1 keeps a length. Costs are those of avg_pool2d() and max_pool2d(), of a mean of
/// everything those of mean().
Tensor adaptive_avg_pool1d(const Tensor& x, const Sizes& output_size);
Tensor adaptive_avg_pool2d(const Tensor& x, const Sizes& output_size);
Tensor adaptive_max_pool1d(const Tensor& x, const Sizes& output_size);
Tensor adaptive_max_pool2d(const Tensor& x, const Sizes& output_size);
ValuesAndIndices adaptive_max_pool1d_with_indices(const Tensor& x, const Sizes& output_size);
ValuesAndIndices adaptive_max_pool2d_with_indices(const Tensor& x, const Sizes& output_size);

}  // namespace lectern
