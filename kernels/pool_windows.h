#pragma once

#include <cstdint>

#include "base/host_device.h"

// Windows over planes: contiguous matrices, one after the other.

namespace lectern::kernels {

struct PoolRange {
  std::int64_t begin, end, step;  ///< begin, begin + step … before end

  /// With a step of 1.
  LECTERN_HD bool has(std::int64_t place) const { return place >= begin && place < end; }
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
struct PoolSizes {
  std::int64_t planes;
  PoolAxis rows, columns;

  LECTERN_HD std::int64_t elements() const { return rows.length * columns.length; }  ///< of a plane
  LECTERN_HD std::int64_t windows() const { return rows.windows * columns.windows; }
};

}  // namespace lectern::kernels
