#include "kernels/fused.h"

#include <algorithm>

namespace lectern::kernels {

Geometry gather_geometry(const FusedInput& input) {
  const std::int64_t size = element_size(input.dtype);
  Geometry geometry{};
  geometry.arrays = 1;
  geometry.numel = 1;
  for (std::size_t i = input.sizes.size(); i-- > 0;) {
    if (input.sizes[i] == 1) continue;
    geometry.numel *= input.sizes[i];
    const std::int64_t stride = input.strides[i] * size;
    const auto last = static_cast<std::size_t>(std::max(geometry.rank - 1, 0));
    if (geometry.rank > 0 && stride == geometry.sizes[last] * geometry.strides[0][last]) {
      geometry.sizes[last] *= input.sizes[i];
      continue;
    }
    const auto next = static_cast<std::size_t>(geometry.rank++);
    geometry.sizes[next] = input.sizes[i];
    geometry.strides[0][next] = stride;
  }
  if (geometry.rank == 0) {
    geometry.rank = 1;
    geometry.sizes[0] = 1;
    geometry.strides[0][0] = size;
  }
  return geometry;
}

bool is_packed_geometry(const Geometry& geometry, Dtype dtype) {
  return geometry.rank == 1 && geometry.strides[0][0] == element_size(dtype);
}

}  // namespace lectern::kernels
