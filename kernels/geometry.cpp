#include "kernels/geometry.h"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace lectern::kernels {
namespace {

/// Whether dimension `inner` has to be walked outside `outer`: 1 yes, -1 no, 0 undecided.
int compare(std::span<const std::int64_t> sizes, std::span<const ArrayStrides> arrays, int inner, int outer) {
  for (const ArrayStrides& array : arrays) {
    const std::int64_t a = array.strides[inner];
    const std::int64_t b = array.strides[outer];
    if (a == 0 || b == 0) continue;
    if (a != b) return a < b ? -1 : 1;
    if (sizes[static_cast<std::size_t>(inner)] > sizes[static_cast<std::size_t>(outer)]) return 1;
  }
  return 0;
}

/// Whether the last dimension of `geometry` and `dim` can be collapsed in every array.
bool continues(const Geometry& geometry, std::span<const ArrayStrides> arrays, int dim) {
  const auto last = static_cast<std::size_t>(geometry.rank - 1);
  for (std::size_t k = 0; k < arrays.size(); ++k) {
    const std::int64_t stride = arrays[k].strides[dim] * arrays[k].element_size;
    if (stride != geometry.strides[k][last] * geometry.sizes[last]) return false;
  }
  return true;
}

}  // namespace

std::array<int, kMaxRank> walk_order(std::span<const std::int64_t> sizes,
                                     std::span<const ArrayStrides> arrays) {
  std::array<int, kMaxRank> order;
  const auto rank = static_cast<int>(sizes.size());
  for (int i = 0; i < rank; ++i) order[static_cast<std::size_t>(i)] = rank - 1 - i;
  for (std::size_t i = 1; i < sizes.size(); ++i) {
    std::size_t moving = i;
    for (std::size_t j = i; j-- > 0;) {
      const int verdict = compare(sizes, arrays, order[j], order[moving]);
      if (verdict < 0) break;
      if (verdict > 0) {
        std::swap(order[j], order[moving]);
        moving = j;
      }
    }
  }
  return order;
}

Geometry make_geometry(std::span<const std::int64_t> sizes, std::span<const ArrayStrides> arrays) {
  if (std::find(sizes.begin(), sizes.end(), 0) != sizes.end()) {
    // Without elements, the other sizes and the strides may multiply to anything.
    std::array<std::int64_t, kMaxArrays> strides;
    for (std::size_t k = 0; k < arrays.size(); ++k) strides[k] = arrays[k].element_size;
    return contiguous_geometry(0, std::span(strides).first(arrays.size()));
  }
  const std::array<int, kMaxRank> order = walk_order(sizes, arrays);
  return make_geometry(sizes, arrays, std::span(order).first(sizes.size()));
}

Geometry make_geometry(std::span<const std::int64_t> sizes, std::span<const ArrayStrides> arrays,
                       std::span<const int> order) {
  Geometry geometry;
  geometry.rank = 0;
  geometry.arrays = static_cast<int>(arrays.size());
  geometry.numel = 1;
  for (const int dim : order) {
    const std::int64_t size = sizes[static_cast<std::size_t>(dim)];
    geometry.numel *= size;
    if (size == 1) continue;
    if (geometry.rank > 0 && continues(geometry, arrays, dim)) {
      geometry.sizes[static_cast<std::size_t>(geometry.rank - 1)] *= size;
      continue;
    }
    const auto at = static_cast<std::size_t>(geometry.rank++);
    geometry.sizes[at] = size;
    for (std::size_t k = 0; k < arrays.size(); ++k) {
      geometry.strides[k][at] = arrays[k].strides[dim] * arrays[k].element_size;
    }
  }
  if (geometry.rank == 0) {
    geometry.rank = 1;
    geometry.sizes[0] = 1;
    for (std::size_t k = 0; k < arrays.size(); ++k) geometry.strides[k][0] = arrays[k].element_size;
  }
  return geometry;
}

Geometry contiguous_geometry(std::int64_t numel, std::span<const std::int64_t> strides) {
  Geometry geometry;
  geometry.rank = 1;
  geometry.arrays = static_cast<int>(strides.size());
  geometry.numel = numel;
  geometry.sizes[0] = numel;
  for (std::size_t k = 0; k < strides.size(); ++k) geometry.strides[k][0] = strides[k];
  return geometry;
}

}  // namespace lectern::kernels
