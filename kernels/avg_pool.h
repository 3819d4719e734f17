#pragma once

#include <cstdint>

#include "base/dtype.h"
#include "base/host_device.h"
#include "kernels/compute_type.h"
#include "kernels/kernel.h"
#include "kernels/pool_windows.h"

// The means of windows (kernels/pool_windows.h), with a dilation of 1.

namespace lectern::kernels {

/// What the sum of a window is divided by.
struct PoolDivisor {
  std::int64_t fixed = 0;       ///< this, unless 0
  bool counts_padding = false;  ///< else its elements, perhaps with those of the padding

  LECTERN_HD std::int64_t of(const PoolAxis& rows, const PoolAxis& columns, std::int64_t row,
                             std::int64_t column) const {
    return fixed != 0 ? fixed : elements(rows, row) * elements(columns, column);
  }

 private:
  /// What is beyond the padding, as with PyTorch's ceil_mode, does not count.
  LECTERN_HD std::int64_t elements(const PoolAxis& axis, std::int64_t window) const {
    if (!counts_padding || axis.is_adaptive()) {
      const PoolRange range = axis.elements(window);
      return range.end - range.begin;
    }
    const std::int64_t begin = window * axis.stride - axis.padding, end = begin + axis.kernel;
    const std::int64_t last = axis.length + axis.padding;
    return (end < last ? end : last) - begin;
  }
};

template <typename T>
LECTERN_HD T window_mean(const PoolSizes& sizes, PoolDivisor divisor, const T* plane, std::int64_t window) {
  const std::int64_t row = window / sizes.columns.windows, column = window % sizes.columns.windows;
  const PoolRange rows = sizes.rows.elements(row), columns = sizes.columns.elements(column);
  Compute<T> sum = 0;
  for (std::int64_t c = columns.begin; c < columns.end; ++c) {
    Compute<T> of_column = 0;
    for (std::int64_t r = rows.begin; r < rows.end; ++r)
      of_column += static_cast<Compute<T>>(plane[r * sizes.columns.length + c]);
    sum += of_column;
  }
  return static_cast<T>(sum / static_cast<Compute<T>>(divisor.of(sizes.rows, sizes.columns, row, column)));
}

/// The sum, in the order of the windows, of what those that have `element` of a plane give to it.
template <typename T>
LECTERN_HD T mean_gradient(const PoolSizes& sizes, PoolDivisor divisor, const T* gradient,
                           std::int64_t element) {
  const std::int64_t row = element / sizes.columns.length, column = element % sizes.columns.length;
  const PoolRange over_row = sizes.rows.windows_over(row), over_column = sizes.columns.windows_over(column);
  Compute<T> sum = 0;
  for (std::int64_t r = over_row.begin; r < over_row.end; ++r) {
    if (!sizes.rows.elements(r).has(row)) continue;
    Compute<T> of_row = 0;
    for (std::int64_t c = over_column.begin; c < over_column.end; ++c) {
      if (!sizes.columns.elements(c).has(column)) continue;
      const std::int64_t count = divisor.of(sizes.rows, sizes.columns, r, c);
      of_row +=
          static_cast<Compute<T>>(gradient[r * sizes.columns.windows + c]) / static_cast<Compute<T>>(count);
    }
    sum += of_row;
  }
  return static_cast<T>(sum);
}

/// Of a floating dtype of at least 16 bits. Each window's columns are summed first, then these sums, in the
/// compute dtype; rounded once. O(elements of all windows); on the CPU no column is summed twice for a row of
/// windows.
LECTERN_KERNEL(void, avg_pool, const PoolSizes& sizes, PoolDivisor divisor, Dtype dtype, void* out,
               const void* in);

/// Each element's share of the gradients of its windows, summed likewise.
LECTERN_KERNEL(void, avg_pool_gradient, const PoolSizes& sizes, PoolDivisor divisor, Dtype dtype,
               void* in_gradient, const void* gradient);

}  // namespace lectern::kernels
