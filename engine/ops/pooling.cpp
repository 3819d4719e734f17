#include "ops/pooling.h"

#include <algorithm>
#include <string>
#include <vector>

#include "autograd/record.h"
#include "base/tensor_error.h"
#include "device/counters.h"
#include "kernels/max_pool.h"
#include "ops/compute_dtype.h"
#include "ops/elementwise.h"
#include "ops/join.h"
#include "ops/pad.h"
#include "ops/reductions.h"
#include "ops/windows.h"
#include "tensor/creation.h"
#include "tensor/layout.h"

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

/// The windows along `dim` in a new last dimension, with 0 for what is beyond the ends.
Tensor padded_windows(std::string_view operation, const Tensor& x, std::int64_t dim, const Pool& pool) {
  const std::int64_t after = std::max<std::int64_t>(0, pool.padding_after());
  Sizes pads;
  for (std::int64_t d = x.dim() - 1; d > dim; --d) pads.push_back(0), pads.push_back(0);
  pads.push_back(pool.padding);
  pads.push_back(after);
  const Tensor padded = pool.padding == 0 && after == 0 ? x : pad(x, pads);
  return windows_along(operation, padded, dim, pool.window);
}

/// The sums of windows along each of the last dimensions, the last one first.
Tensor window_sums(std::string_view operation, const Tensor& x, const std::vector<Pool>& along) {
  Tensor result = x;
  std::int64_t dim = x.dim();
  for (std::size_t i = along.size(); i-- > 0;)
    result = sum(padded_windows(operation, result, --dim, along[i]), {-1});
  return result;
}

kernels::PoolAxis axis_of(const Pool& pool) {
  return {pool.length, pool.count, pool.window.size, pool.window.stride, pool.padding, pool.window.dilation};
}

/// The elements of all windows along an axis.
std::int64_t elements_of_windows(const kernels::PoolAxis& axis) {
  std::int64_t sum = 0;
  for (std::int64_t i = 0; i < axis.windows; ++i) {
    const auto [begin, end, step] = axis.elements(i);
    if (begin < end) sum += (end - begin - 1) / step + 1;
  }
  return sum;
}

Tensor max_pool_backward(const Tensor& grad, const Tensor& indices, const Sizes& x,
                         const kernels::MaxPoolSizes& sizes) {
  const Tensor out = empty(x, {.dtype = grad.dtype(), .device = grad.device()});
  const Tensor gradient = uncounted([&] { return grad.contiguous(); });
  if (out.numel() > 0) {
    kernels::max_pool_gradient("max_pool_backward", grad.device(), sizes, grad.dtype(), out.data_ptr(),
                               gradient.data_ptr(), indices.data<std::int64_t>());
  }
  count(grad.numel(), bytes_in_memory(grad) + indices.nbytes() + out.nbytes());
  return out;
}

/// Over the last dimensions, one for each axis.
ValuesAndIndices pool_maxima(std::string_view operation, const Tensor& x,
                             const std::vector<kernels::PoolAxis>& axes, bool with_indices) {
  if (is_float8(x.dtype())) {
    auto [values, indices] = pool_maxima(operation, x.to(float32), axes, with_indices);
    return {values.to(x.dtype()), indices};
  }
  const kernels::PoolAxis one_row{1, 1, 1};
  kernels::MaxPoolSizes sizes{1, axes.size() == 2 ? axes[0] : one_row, axes.back()};
  Sizes shape = x.sizes();
  const std::size_t outer = shape.size() - axes.size();
  for (std::size_t i = 0; i < outer; ++i) sizes.planes *= shape[i];
  for (std::size_t i = 0; i < axes.size(); ++i) shape[outer + i] = axes[i].windows;
  ValuesAndIndices result;
  if (with_indices || autograd::records(x))
    result.indices = empty(shape, {.dtype = int64, .device = x.device()});
  result.values = autograd::recorded(
      operation, {&x},
      [&] {
        const Tensor out = empty(shape, {.dtype = x.dtype(), .device = x.device()});
        const Tensor in = uncounted([&] { return x.contiguous(); });
        std::int64_t* const indices =
            result.indices.defined() ? result.indices.data<std::int64_t>() : nullptr;
        if (out.numel() > 0)
          kernels::max_pool(operation, x.device(), sizes, x.dtype(), out.data_ptr(), indices, in.data_ptr());
        count(sizes.planes * elements_of_windows(sizes.rows) * elements_of_windows(sizes.columns),
              bytes_in_memory(x) + out.nbytes() + (indices == nullptr ? 0 : result.indices.nbytes()));
        return out;
      },
      [&] { return autograd::formula(max_pool_backward, Saved(result.indices), x.sizes(), sizes); });
  return result;
}

ValuesAndIndices max_pool(std::string_view operation, const Tensor& x, const Sizes& kernel_size,
                          const MaxPoolOptions& options, std::size_t dims, bool with_indices) {
  std::vector<kernels::PoolAxis> axes;
  for (const Pool& pool :
       pools(operation, x,
             {kernel_size, options.stride, options.padding, options.dilation, options.ceil_mode}, dims))
    axes.push_back(axis_of(pool));
  return pool_maxima(operation, x, axes, with_indices);
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
  const Tensor sums = window_sums(operation, x.to(dtype), along);
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

/// The numbers of windows along the last dimensions.
Sizes adaptive_counts(std::string_view operation, const Tensor& x, const Sizes& output_size,
                      std::size_t dims) {
  check_input(operation, x, dims);
  Sizes counts = for_each_dim(operation, "output_size", output_size, dims, -1);
  for (std::size_t i = 0; i < dims; ++i) {
    const std::int64_t length = x.sizes()[x.sizes().size() - dims + i];
    if (counts[i] < 0) {
      counts[i] = length;
    } else if (counts[i] == 0 || length == 0) {
      throw TensorError(operation, counts[i] == 0 ? "output_size" : "a length of the input", "at least 1",
                        "0");
    }
  }
  return counts;
}

ValuesAndIndices adaptive_max_pool(std::string_view operation, const Tensor& x, const Sizes& output_size,
                                   std::size_t dims, bool with_indices) {
  const Sizes counts = adaptive_counts(operation, x, output_size, dims);
  std::vector<kernels::PoolAxis> axes;
  for (std::size_t i = 0; i < dims; ++i) axes.push_back({x.sizes()[x.sizes().size() - dims + i], counts[i]});
  return pool_maxima(operation, x, axes, with_indices);
}

Tensor adaptive_avg_pool(std::string_view operation, const Tensor& x, const Sizes& output_size,
                         std::size_t dims) {
  const Sizes counts = adaptive_counts(operation, x, output_size, dims);
  Tensor result = x.to(compute_dtype(x.dtype()));
  for (std::size_t i = 0; i < dims; ++i) {
    const std::int64_t dim = x.dim() - static_cast<std::int64_t>(dims - i);
    const kernels::PoolAxis axis{x.size(dim), counts[i]};
    if (axis.length == axis.windows) continue;
    std::vector<Tensor> parts;
    for (std::int64_t k = 0; k < axis.windows; ++k) {
      const kernels::PoolRange part = axis.elements(k);
      parts.push_back(mean(result.narrow(dim, part.begin, part.end - part.begin), {dim}, true));
    }
    result = cat(parts, dim);
  }
  return result.to(x.dtype());
}

}  // namespace

Tensor max_pool1d(const Tensor& x, const Sizes& kernel_size, const MaxPoolOptions& options) {
  return max_pool("max_pool1d", x, kernel_size, options, 1, false).values;
}
Tensor max_pool2d(const Tensor& x, const Sizes& kernel_size, const MaxPoolOptions& options) {
  return max_pool("max_pool2d", x, kernel_size, options, 2, false).values;
}
ValuesAndIndices max_pool1d_with_indices(const Tensor& x, const Sizes& kernel_size,
                                         const MaxPoolOptions& options) {
  return max_pool("max_pool1d", x, kernel_size, options, 1, true);
}
ValuesAndIndices max_pool2d_with_indices(const Tensor& x, const Sizes& kernel_size,
                                         const MaxPoolOptions& options) {
  return max_pool("max_pool2d", x, kernel_size, options, 2, true);
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
  return adaptive_max_pool("adaptive_max_pool1d", x, output_size, 1, false).values;
}
Tensor adaptive_max_pool2d(const Tensor& x, const Sizes& output_size) {
  return adaptive_max_pool("adaptive_max_pool2d", x, output_size, 2, false).values;
}
ValuesAndIndices adaptive_max_pool1d_with_indices(const Tensor& x, const Sizes& output_size) {
  return adaptive_max_pool("adaptive_max_pool1d", x, output_size, 1, true);
}
ValuesAndIndices adaptive_max_pool2d_with_indices(const Tensor& x, const Sizes& output_size) {
  return adaptive_max_pool("adaptive_max_pool2d", x, output_size, 2, true);
}

}  // namespace lectern
