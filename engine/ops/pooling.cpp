#include "ops/pooling.h"

#include <algorithm>
#include <string>
#include <vector>

#include "autograd/record.h"
#include "base/tensor_error.h"
#include "device/counters.h"
#include "kernels/avg_pool.h"
#include "kernels/max_pool.h"
#include "ops/compute_dtype.h"
#include "ops/reductions.h"
#include "ops/windows.h"
#include "tensor/creation.h"
#include "tensor/layout.h"

namespace lectern {
namespace {

using Axes = std::vector<kernels::PoolAxis>;

struct PoolOptions {
  Sizes kernel_size, stride, padding, dilation;
  bool ceil_mode;
};

void check_input(std::string_view operation, const Tensor& x, std::size_t dims) {
  check_floating(operation, x.dtype());
  const auto rank = static_cast<std::size_t>(x.dim());
  const bool has_shape = rank == dims + 1 || rank == dims + 2;
  if (has_shape &&
      std::find(x.sizes().end() - static_cast<std::ptrdiff_t>(dims), x.sizes().end(), 0) == x.sizes().end())
    return;
  throw TensorError(operation, "the input",
                    dims == 1 ? "of shape [batch, channels, length], or without a batch, no length 0"
                              : "of shape [batch, channels, height, width], or without a batch, no length 0",
                    "of shape " + to_string(x.sizes()));
}

Axes axes_of(std::string_view operation, const Tensor& x, const PoolOptions& options, std::size_t dims) {
  check_input(operation, x, dims);
  const Sizes kernel = for_each_dim(operation, "kernel_size", options.kernel_size, dims, 1);
  const Sizes stride =
      options.stride.empty() ? kernel : for_each_dim(operation, "stride", options.stride, dims, 1);
  const Sizes padding = for_each_dim(operation, "padding", options.padding, dims, 0);
  const Sizes dilation = for_each_dim(operation, "dilation", options.dilation, dims, 1);
  Axes made;
  for (std::size_t i = 0; i < dims; ++i) {
    if (padding[i] > kernel[i] / 2) {
      throw TensorError(operation, "padding", "at most half of kernel_size, " + std::to_string(kernel[i] / 2),
                        std::to_string(padding[i]));
    }
    const Window window{kernel[i], stride[i], dilation[i]};
    const std::int64_t length = x.sizes()[x.sizes().size() - dims + i], padded = length + 2 * padding[i];
    const std::int64_t covered = padded + (options.ceil_mode ? stride[i] - 1 : 0);
    check_window(operation, window, covered);
    std::int64_t count = window.count(covered);
    if (options.ceil_mode && (count - 1) * stride[i] >= length + padding[i]) --count;
    made.push_back({length, count, kernel[i], stride[i], padding[i], dilation[i]});
  }
  return made;
}

/// The elements of all windows along an axis.
std::int64_t elements_of_windows(const kernels::PoolAxis& axis) {
  std::int64_t sum = 0;
  for (std::int64_t i = 0; i < axis.windows; ++i) {
    const kernels::PoolRange range = axis.elements(i);
    if (range.begin < range.end) sum += (range.end - range.begin - 1) / range.step + 1;
  }
  return sum;
}

std::int64_t elements_of_windows(const kernels::PoolSizes& sizes) {
  return sizes.planes * elements_of_windows(sizes.rows) * elements_of_windows(sizes.columns);
}

/// Of windows over the last dimensions, one for each axis.
kernels::PoolSizes pool_sizes(const Sizes& x, const Axes& axes) {
  const kernels::PoolAxis one_row{1, 1, 1};
  kernels::PoolSizes sizes{1, axes.size() == 2 ? axes[0] : one_row, axes.back()};
  for (std::size_t i = 0; i < x.size() - axes.size(); ++i) sizes.planes *= x[i];
  return sizes;
}

Sizes pooled(Sizes x, const Axes& axes) {
  for (std::size_t i = 0; i < axes.size(); ++i) x[x.size() - axes.size() + i] = axes[i].windows;
  return x;
}

Tensor max_pool_backward(const Tensor& grad, const Tensor& indices, const Sizes& x,
                         const kernels::PoolSizes& sizes) {
  const Tensor out = empty(x, {.dtype = grad.dtype(), .device = grad.device()});
  const Tensor gradient = uncounted([&] { return grad.contiguous(); });
  if (out.numel() > 0) {
    kernels::max_pool_gradient("max_pool_backward", grad.device(), sizes, grad.dtype(), out.data_ptr(),
                               gradient.data_ptr(), indices.data<std::int64_t>());
  }
  count(grad.numel(), bytes_in_memory(grad) + indices.nbytes() + out.nbytes());
  return out;
}

ValuesAndIndices pool_maxima(std::string_view operation, const Tensor& x, const Axes& axes,
                             bool with_indices) {
  if (is_float8(x.dtype())) {
    auto [values, indices] = pool_maxima(operation, x.to(float32), axes, with_indices);
    return {values.to(x.dtype()), indices};
  }
  const kernels::PoolSizes sizes = pool_sizes(x.sizes(), axes);
  const Sizes shape = pooled(x.sizes(), axes);
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
        count(elements_of_windows(sizes),
              bytes_in_memory(x) + out.nbytes() + (indices == nullptr ? 0 : result.indices.nbytes()));
        return out;
      },
      [&] { return autograd::formula(max_pool_backward, Saved(result.indices), x.sizes(), sizes); });
  return result;
}

ValuesAndIndices max_pool(std::string_view operation, const Tensor& x, const Sizes& kernel_size,
                          const MaxPoolOptions& options, std::size_t dims, bool with_indices) {
  const PoolOptions pools{kernel_size, options.stride, options.padding, options.dilation, options.ceil_mode};
  return pool_maxima(operation, x, axes_of(operation, x, pools, dims), with_indices);
}

Tensor avg_pool_backward(const Tensor& grad, const Sizes& x, const kernels::PoolSizes& sizes,
                         kernels::PoolDivisor divisor) {
  const Tensor out = empty(x, {.dtype = grad.dtype(), .device = grad.device()});
  const Tensor gradient = uncounted([&] { return grad.contiguous(); });
  if (out.numel() > 0) {
    kernels::avg_pool_gradient("avg_pool_backward", grad.device(), sizes, divisor, grad.dtype(),
                               out.data_ptr(), gradient.data_ptr());
  }
  count(grad.numel() + elements_of_windows(sizes), bytes_in_memory(grad) + out.nbytes());
  return out;
}

Tensor pool_means(std::string_view operation, const Tensor& x, const Axes& axes,
                  kernels::PoolDivisor divisor) {
  if (is_float8(x.dtype())) return pool_means(operation, x.to(float32), axes, divisor).to(x.dtype());
  const kernels::PoolSizes sizes = pool_sizes(x.sizes(), axes);
  return autograd::recorded(
      operation, {&x},
      [&] {
        const Tensor out = empty(pooled(x.sizes(), axes), {.dtype = x.dtype(), .device = x.device()});
        const Tensor in = uncounted([&] { return x.contiguous(); });
        if (out.numel() > 0)
          kernels::avg_pool(operation, x.device(), sizes, divisor, x.dtype(), out.data_ptr(), in.data_ptr());
        count(elements_of_windows(sizes) + out.numel(), bytes_in_memory(x) + out.nbytes());
        return out;
      },
      [&] { return autograd::formula(avg_pool_backward, x.sizes(), sizes, divisor); });
}

Tensor avg_pool(std::string_view operation, const Tensor& x, const Sizes& kernel_size,
                const AvgPoolOptions& options, std::size_t dims) {
  const PoolOptions pools{kernel_size, options.stride, options.padding, {1}, options.ceil_mode};
  const Axes axes = axes_of(operation, x, pools, dims);
  if (options.divisor_override == 0) throw TensorError(operation, "divisor_override", "not 0", "0");
  return pool_means(operation, x, axes, {options.divisor_override.value_or(0), options.count_include_pad});
}

/// Windows that make the last dimensions so long.
Axes adaptive_axes(std::string_view operation, const Tensor& x, const Sizes& output_size, std::size_t dims) {
  check_input(operation, x, dims);
  const Sizes counts = for_each_dim(operation, "output_size", output_size, dims, -1);
  Axes axes;
  for (std::size_t i = 0; i < dims; ++i) {
    const std::int64_t length = x.sizes()[x.sizes().size() - dims + i];
    axes.push_back({length, counts[i] < 0 ? length : counts[i]});
  }
  return axes;
}

ValuesAndIndices adaptive_max_pool(std::string_view operation, const Tensor& x, const Sizes& output_size,
                                   std::size_t dims, bool with_indices) {
  return pool_maxima(operation, x, adaptive_axes(operation, x, output_size, dims), with_indices);
}

Tensor adaptive_avg_pool(std::string_view operation, const Tensor& x, const Sizes& output_size,
                         std::size_t dims) {
  const Axes axes = adaptive_axes(operation, x, output_size, dims);
  const auto is_one = [](const kernels::PoolAxis& axis) { return axis.windows == 1; };
  if (is_float8(x.dtype()) || !std::all_of(axes.begin(), axes.end(), is_one))
    return pool_means(operation, x, axes, {});
  return mean(x, dims == 1 ? Sizes{-1} : Sizes{-2, -1}, true);
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
