#include "ops/pooling.h"

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "base/tensor_error.h"
#include "ops/compute_dtype.h"
#include "ops/elementwise.h"
#include "ops/extremum.h"
#include "ops/join.h"
#include "ops/pad.h"
#include "ops/reductions.h"
#include "ops/windows.h"
#include "tensor/creation.h"

namespace lectern {
namespace {

/// Windows along one dimension of a tensor.
struct Pool {
  Window window;
  std::int64_t padding;
  std::int64_t length;  ///< of the dimension
  std::int64_t count;   ///< of windows

  /// What the end is padded with so that all windows are whole; negative: what none reaches.
  std::int64_t padding_after() const {
    return (count - 1) * window.stride + window.extent() - padding - length;
  }
};

struct PoolOptions {
  Sizes kernel_size, stride, padding, dilation;
  bool ceil_mode;
};

void check_input(std::string_view operation, const Tensor& x, std::size_t dims) {
  check_floating(operation, x.dtype());
  const auto rank = static_cast<std::size_t>(x.dim());
  if (rank == dims + 1 || rank == dims + 2) return;
  throw TensorError(operation, "the input",
                    dims == 1 ? "of shape [batch, channels, length], or without a batch"
                              : "of shape [batch, channels, height, width], or without a batch",
                    "of shape " + to_string(x.sizes()));
}

std::vector<Pool> pools(std::string_view operation, const Tensor& x, const PoolOptions& options,
                        std::size_t dims) {
  check_input(operation, x, dims);
  const Sizes kernel = for_each_dim(operation, "kernel_size", options.kernel_size, dims, 1);
  const Sizes stride =
      options.stride.empty() ? kernel : for_each_dim(operation, "stride", options.stride, dims, 1);
  const Sizes padding = for_each_dim(operation, "padding", options.padding, dims, 0);
  const Sizes dilation = for_each_dim(operation, "dilation", options.dilation, dims, 1);
  std::vector<Pool> made;
  for (std::size_t i = 0; i < dims; ++i) {
    if (padding[i] > kernel[i] / 2) {
      throw TensorError(operation, "padding", "at most half of kernel_size, " + std::to_string(kernel[i] / 2),
                        std::to_string(padding[i]));
    }
    Pool pool{{kernel[i], stride[i], dilation[i]}, padding[i], x.sizes()[x.sizes().size() - dims + i], 0};
    const std::int64_t padded = pool.length + 2 * padding[i];
    check_window(operation, pool.window, padded);
    pool.count = pool.window.count(padded + (options.ceil_mode ? stride[i] - 1 : 0));
    if (options.ceil_mode && (pool.count - 1) * stride[i] >= pool.length + padding[i]) --pool.count;
    made.push_back(pool);
  }
  return made;
}

/// The windows along `dim` in a new last dimension, with `value` for what is beyond the ends.
Tensor padded_windows(std::string_view operation, const Tensor& x, std::int64_t dim, const Pool& pool,
                      double value) {
  const std::int64_t after = std::max<std::int64_t>(0, pool.padding_after());
  Sizes pads;
  for (std::int64_t d = x.dim() - 1; d > dim; --d) pads.push_back(0), pads.push_back(0);
  pads.push_back(pool.padding);
  pads.push_back(after);
  const Tensor padded = pool.padding == 0 && after == 0 ? x : pad(x, pads, "constant", value);
  return windows_along(operation, padded, dim, pool.window);
}

/// Reduces the windows along each of the last dimensions, the last one first.
template <typename Reduce>
Tensor pooled(std::string_view operation, const Tensor& x, const std::vector<Pool>& along, double value,
              const Reduce& reduce) {
  Tensor result = x;
  std::int64_t dim = x.dim();
  for (std::size_t i = along.size(); i-- > 0;)
    result = reduce(padded_windows(operation, result, --dim, along[i], value));
  return result;
}

Tensor max_pool(std::string_view operation, const Tensor& x, const Sizes& kernel_size,
                const MaxPoolOptions& options, std::size_t dims) {
  const auto along =
      pools(operation, x, {kernel_size, options.stride, options.padding, options.dilation, options.ceil_mode},
            dims);
  return pooled(operation, x, along, -std::numeric_limits<double>::infinity(),
                [](const Tensor& windows) { return max(windows, -1).values; });
}

/// How many elements each window has; with those of the padding, but not beyond it.
Tensor window_sizes(const Pool& pool, bool with_padding, const TensorOptions& options) {
  std::vector<double> sizes;
  for (std::int64_t i = 0; i < pool.count; ++i) {
    const std::int64_t begin = i * pool.window.stride - pool.padding, end = begin + pool.window.size;
    const std::int64_t padding = with_padding ? pool.padding : 0;
    sizes.push_back(static_cast<double>(std::min(end, pool.length + padding) - std::max(begin, -padding)));
  }
  return tensor(sizes, options);
}

Tensor avg_pool(std::string_view operation, const Tensor& x, const Sizes& kernel_size,
                const AvgPoolOptions& options, std::size_t dims) {
  const auto along =
      pools(operation, x, {kernel_size, options.stride, options.padding, {1}, options.ceil_mode}, dims);
  const Dtype dtype = compute_dtype(x.dtype());
  const Tensor sums =
      pooled(operation, x.to(dtype), along, 0, [](const Tensor& windows) { return sum(windows, {-1}); });
  if (options.divisor_override) {
    if (*options.divisor_override == 0) throw TensorError(operation, "divisor_override", "not 0", "0");
    return (sums / *options.divisor_override).to(x.dtype());
  }
  Tensor sizes = ones({}, {.dtype = dtype, .device = x.device()});
  for (const Pool& pool : along)
    sizes = sizes.unsqueeze(-1) *
            window_sizes(pool, options.count_include_pad, {.dtype = dtype, .device = x.device()});
  return (sums / sizes).to(x.dtype());
}

/// `reduce` gets the elements of a window along a dimension and keeps it.
template <typename Reduce>
Tensor adaptive_pool(std::string_view operation, const Tensor& x, const Sizes& output_size, std::size_t dims,
                     const Reduce& reduce) {
  check_input(operation, x, dims);
  const Sizes outputs = for_each_dim(operation, "output_size", output_size, dims, -1);
  Tensor result = x;
  for (std::size_t i = 0; i < dims; ++i) {
    const std::int64_t dim = x.dim() - static_cast<std::int64_t>(dims - i), length = x.size(dim);
    const std::int64_t count = outputs[i];
    if (count < 0) continue;
    if (count == 0 || length == 0) {
      throw TensorError(operation, count == 0 ? "output_size" : "a length of the input", "at least 1", "0");
    }
    std::vector<Tensor> parts;
    for (std::int64_t k = 0; k < count; ++k) {
      const std::int64_t begin = k * length / count, end = ((k + 1) * length + count - 1) / count;
      parts.push_back(reduce(result.narrow(dim, begin, end - begin), dim));
    }
    result = cat(parts, dim);
  }
  return result;
}

Tensor adaptive_avg_pool(std::string_view operation, const Tensor& x, const Sizes& output_size,
                         std::size_t dims) {
  check_input(operation, x, dims);
  return adaptive_pool(operation, x.to(compute_dtype(x.dtype())), output_size, dims,
                       [](const Tensor& part, std::int64_t dim) { return mean(part, {dim}, true); })
      .to(x.dtype());
}

Tensor adaptive_max_pool(std::string_view operation, const Tensor& x, const Sizes& output_size,
                         std::size_t dims) {
  return adaptive_pool(operation, x, output_size, dims,
                       [](const Tensor& part, std::int64_t dim) { return max(part, dim, true).values; });
}

}  // namespace

Tensor max_pool1d(const Tensor& x, const Sizes& kernel_size, const MaxPoolOptions& options) {
  return max_pool("max_pool1d", x, kernel_size, options, 1);
}
Tensor max_pool2d(const Tensor& x, const Sizes& kernel_size, const MaxPoolOptions& options) {
  return max_pool("max_pool2d", x, kernel_size, options, 2);
}

Tensor avg_pool1d(const Tensor& x, const Sizes& kernel_size, const AvgPoolOptions& options) {
  return avg_pool("avg_pool1d", x, kernel_size, options, 1);
}
Tensor avg_pool2d(const Tensor& x, const Sizes& kernel_size, const AvgPoolOptions& options) {
  return avg_pool("avg_pool2d", x, kernel_size, options, 2);
}

Tensor adaptive_avg_pool1d(const Tensor& x, const Sizes& output_size) {
  return adaptive_avg_pool("adaptive_avg_pool1d", x, output_size, 1);
}
Tensor adaptive_avg_pool2d(const Tensor& x, const Sizes& output_size) {
  return adaptive_avg_pool("adaptive_avg_pool2d", x, output_size, 2);
}
Tensor adaptive_max_pool1d(const Tensor& x, const Sizes& output_size) {
  return adaptive_max_pool("adaptive_max_pool1d", x, output_size, 1);
}
Tensor adaptive_max_pool2d(const Tensor& x, const Sizes& output_size) {
  return adaptive_max_pool("adaptive_max_pool2d", x, output_size, 2);
}

}  // namespace lectern
