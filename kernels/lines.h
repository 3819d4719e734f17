#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "kernels/elementwise.h"
#include "kernels/geometry.h"

namespace lectern::kernels {

/// Arrays of the same sizes as lines along one dimension, which operations such as softmax process one by
/// one. A plain struct, also a CUDA kernel argument.
struct Lines {
  Geometry kept;                              ///< over the lines: strides of each array
  std::int64_t length;                        ///< elements of a line
  std::array<std::int64_t, kMaxArrays> step;  ///< from one to the next, in bytes, of each array
};

/// The first array's lines are in row-major order of the other dimensions, and numbered so.
Lines make_lines(std::span<const std::int64_t> sizes, std::size_t dim, std::span<const Array> arrays);

/// Where line `line` of an array begins.
LECTERN_HD std::byte* line_address(const Lines& lines, std::size_t array, void* data, std::int64_t line) {
  auto* at = static_cast<std::byte*>(data);
  const auto last = static_cast<std::size_t>(lines.kept.rank - 1);
  const auto& strides = lines.kept.strides[array];
  LECTERN_ROLLED
  for (std::size_t d = 0; d < last; ++d) {
    at += line % lines.kept.sizes[d] * strides[d];
    line /= lines.kept.sizes[d];
  }
  at += line * strides[last];
  return at;
}

}  // namespace lectern::kernels
