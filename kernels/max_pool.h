#pragma once

#include <cstdint>

#include "base/dtype.h"
#include "base/host_device.h"
#include "kernels/compute_type.h"
#include "kernels/kernel.h"
#include "kernels/math.h"

// The largest elements of windows over planes: contiguous matrices, one after the other.

namespace lectern::kernels {

struct PoolRange {
  std::int64_t begin, end, step;  ///< begin, begin + step … before end
};

/// Windows along a dimension of `length` elements, padded with `padding` before and as many as it takes
/// after. With a kernel of 0 the windows are adaptive: window i spans the elements from ⌊i · length /
/// windows⌋ to before ⌈(i + 1) · length / windows⌉.
struct PoolAxis {
  std::int64_t length, windows;
  std::int64_t kernel = 0, stride = 1, padding = 0, dilation = 1;

  LECTERN_HD bool is_adaptive() const { return kernel == 0; }

  /// The elements of a window, without those of the padding.
  LECTERN_HD PoolRange elements(std::int64_t window) const {
    if (is_adaptive()) return {window * length / windows, ((window + 1) * length + windows - 1) / windows, 1};
    std::int64_t begin = window * stride - padding;
    const std::int64_t end = begin + dilation * (kernel - 1) + 1;
    if (begin < 0) begin += (dilation - 1 - begin) / dilation * dilation;
    return {begin, end < length ? end : length, dilation};
  }

  /// All windows that have the element, and perhaps others.
  LECTERN_HD PoolRange windows_over(std::int64_t element) const {
    if (is_adaptive())
      return {element * windows / length, ((element + 1) * windows + length - 1) / length, 1};
    const std::int64_t place = element + padding, before = place - dilation * (kernel - 1);
    const std::int64_t last = place / stride;
    return {before <= 0 ? 0 : (before + stride - 1) / stride, last < windows ? last + 1 : windows, 1};
  }
};

/// Of the result: planes · rows.windows · columns.windows elements.
struct MaxPoolSizes {
  std::int64_t planes;
  PoolAxis rows, columns;

  LECTERN_HD std::int64_t elements() const { return rows.length * columns.length; }  ///< of a plane
  LECTERN_HD std::int64_t windows() const { return rows.windows * columns.windows; }
};

/// As in PyTorch: the first of equal elements, the last NaN; −∞ at −1 for a window of padding alone.
template <typename T>
struct WindowMaximum {
  T value;
  std::int64_t index;  ///< in the plane
};

template <typename T>
LECTERN_HD WindowMaximum<T> window_maximum(const MaxPoolSizes& sizes, const T* plane, std::int64_t window) {
  const PoolRange rows = sizes.rows.elements(window / sizes.columns.windows);
  const PoolRange columns = sizes.columns.elements(window % sizes.columns.windows);
  auto best = -static_cast<Compute<T>>(__builtin_inf());
  WindowMaximum<T> found{static_cast<T>(best), -1};
  for (std::int64_t row = rows.begin; row < rows.end; row += rows.step) {
    for (std::int64_t column = columns.begin; column < columns.end; column += columns.step) {
      const std::int64_t at = row * sizes.columns.length + column;
      const auto value = static_cast<Compute<T>>(plane[at]);
      const bool larger = value > best || math::is_nan(value);
      if (!larger && found.index >= 0) continue;
      best = value;
      found = {plane[at], at};
    }
  }
  return found;
}

/// The sum, in the order of the windows, of the gradients of those whose maximum is at `element` of a plane.
template <typename T>
LECTERN_HD T maximum_gradient(const MaxPoolSizes& sizes, const T* gradient, const std::int64_t* indices,
                              std::int64_t element) {
  const PoolRange rows = sizes.rows.windows_over(element / sizes.columns.length);
  const PoolRange columns = sizes.columns.windows_over(element % sizes.columns.length);
  Compute<T> sum = 0;
  for (std::int64_t row = rows.begin; row < rows.end; ++row) {
    for (std::int64_t column = columns.begin; column < columns.end; ++column) {
      const std::int64_t window = row * sizes.columns.windows + column;
      if (indices[window] == element) sum += static_cast<Compute<T>>(gradient[window]);
    }
  }
  return static_cast<T>(sum);
}

/// Of a floating dtype of at least 16 bits; `indices` may be null. O(elements of all windows).
LECTERN_KERNEL(void, max_pool, const MaxPoolSizes& sizes, Dtype dtype, void* out, std::int64_t* indices,
               const void* in);

/// Each element's sum of the gradients of windows, summed in the compute dtype. On the CPU O(elements +
/// windows), on a GPU O(elements of all windows).
LECTERN_KERNEL(void, max_pool_gradient, const MaxPoolSizes& sizes, Dtype dtype, void* in_gradient,
               const void* gradient, const std::int64_t* indices);

}  // namespace lectern::kernels
