#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "kernels/cuda/elements.h"
#include "kernels/dispatch.h"
#include "kernels/geometry.h"

// Elements that are moved unchanged, as words of their size or, along the innermost dimension, of several.

namespace lectern::kernels::cuda {

/// Whether words of `bytes` bytes can be taken along a dimension where array `k` is contiguous.
inline bool has_aligned_rows(const Geometry& geometry, std::size_t k, std::size_t along, const void* data,
                             std::int64_t bytes, std::int64_t element_size) {
  bool aligned =
      is_aligned(data, static_cast<std::size_t>(bytes)) && geometry.sizes[along] * element_size % bytes == 0;
  for (std::size_t d = 0; d < static_cast<std::size_t>(geometry.rank); ++d) {
    aligned = aligned && (d == along || geometry.strides[k][d] % bytes == 0);
  }
  return aligned;
}

/// The bytes of the largest words that the rows of the first two arrays consist of: 16 at most, and those of
/// an element unless the rows are contiguous.
inline std::int64_t word_size(const Geometry& geometry, std::int64_t element_size, const void* out,
                              const void* in) {
  if (geometry.strides[0][0] != element_size || geometry.strides[1][0] != element_size) return element_size;
  const auto fits = [&](std::int64_t bytes) {
    return has_aligned_rows(geometry, 0, 0, out, bytes, element_size) &&
           has_aligned_rows(geometry, 1, 0, in, bytes, element_size);
  };
  std::int64_t bytes = kPackBytes;
  while (bytes > element_size && !fits(bytes)) bytes /= 2;
  return bytes;
}

/// The same arrays with words of so many bytes as their elements.
inline Geometry in_words(Geometry geometry, std::int64_t element_size, std::int64_t bytes) {
  const std::int64_t several = bytes / element_size;
  const auto arrays = static_cast<std::size_t>(geometry.arrays);
  geometry.sizes[0] /= several;
  geometry.numel /= several;
  for (std::size_t k = 0; k < arrays; ++k) geometry.strides[k][0] *= several;
  if (geometry.sizes[0] > 1 || geometry.rank == 1) return geometry;
  --geometry.rank;
  const auto rank = static_cast<std::size_t>(geometry.rank);
  for (std::size_t d = 0; d < rank; ++d) {
    geometry.sizes[d] = geometry.sizes[d + 1];
    for (std::size_t k = 0; k < arrays; ++k) geometry.strides[k][d] = geometry.strides[k][d + 1];
  }
  return geometry;
}

/// dispatch_word() of up to 16 bytes.
template <typename Visit>
void dispatch_wide_word(std::int64_t bytes, Visit&& visit) {
  if (bytes == kPackBytes) return visit(std::type_identity<Pack<std::uint64_t>>{});
  dispatch_word(bytes, visit);
}

}  // namespace lectern::kernels::cuda
