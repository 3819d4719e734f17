#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/geometry.h"

namespace lectern::kernels {

/// Whether the element counts and byte offsets of the first array are at most `limit`.
inline bool is_indexable(const Geometry& geometry, std::int64_t limit) {
  std::int64_t extent = 1;
  for (std::size_t d = 0; d < static_cast<std::size_t>(geometry.rank); ++d) {
    extent += (geometry.sizes[d] - 1) * geometry.strides[0][d];
  }
  return geometry.numel <= limit && extent <= limit;
}

/// Calls visit(part, its offset in bytes) for indexable parts of an array, in order: halves along its longest
/// dimension, halved again if need be. PyTorch's TensorIterator splits what exceeds 32-bit indexing into the
/// same parts.
template <typename Visit>
void visit_indexable(const Geometry& geometry, std::int64_t limit, const Visit& visit,
                     std::int64_t offset = 0) {
  if (is_indexable(geometry, limit)) return visit(geometry, offset);
  const auto extent = [&](std::size_t d) { return (geometry.sizes[d] - 1) * geometry.strides[0][d]; };
  auto longest = static_cast<std::size_t>(geometry.rank - 1);
  for (std::size_t d = longest; d-- > 0;) {
    if (extent(d) > extent(longest)) longest = d;
  }
  const std::int64_t size = geometry.sizes[longest];
  const auto visit_part = [&](std::int64_t begin, std::int64_t end) {
    Geometry part = geometry;
    part.sizes[longest] = end - begin;
    part.numel = geometry.numel / size * (end - begin);
    visit_indexable(part, limit, visit, offset + begin * geometry.strides[0][longest]);
  };
  visit_part(0, size / 2);
  visit_part(size / 2, size);
}

}  // namespace lectern::kernels
