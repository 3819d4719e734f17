#pragma once

#include <cstdint>

#include "base/dtype.h"
#include "base/host_device.h"
#include "kernels/compute_type.h"
#include "kernels/kernel.h"
#include "kernels/math.h"
#include "kernels/pool_windows.h"

// The largest elements of windows (kernels/pool_windows.h).

namespace lectern::kernels {

/// As in PyTorch: the first of equal elements, the last NaN; −∞ at −1 for a window of padding alone.
template <typename T>
struct WindowMaximum {
  T value;
  std::int64_t index;  ///< in the plane
};

template <typename T>
LECTERN_HD WindowMaximum<T> window_maximum(const PoolSizes& sizes, const T* plane, std::int64_t window) {
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
LECTERN_HD T maximum_gradient(const PoolSizes& sizes, const T* gradient, const std::int64_t* indices,
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
LECTERN_KERNEL(void, max_pool, const PoolSizes& sizes, Dtype dtype, void* out, std::int64_t* indices,
               const void* in);

/// Each element's sum of the gradients of windows, summed in the compute dtype. On the CPU O(elements +
/// windows), on a GPU O(elements of all windows).
LECTERN_KERNEL(void, max_pool_gradient, const PoolSizes& sizes, Dtype dtype, void* in_gradient,
               const void* gradient, const std::int64_t* indices);

}  // namespace lectern::kernels
