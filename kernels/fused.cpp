#include "kernels/fused.h"

#include <array>
#include <numeric>
#include <span>

namespace lectern::kernels {

Geometry gather_geometry(const FusedInput& input) {
  std::array<int, kMaxRank> dimensions;
  const std::span<int> order = std::span(dimensions).first(input.sizes.size());
  std::iota(order.rbegin(), order.rend(), 0);
  const ArrayStrides array{input.strides.data(), element_size(input.dtype)};
  return make_geometry(input.sizes, {&array, 1}, order);
}

bool is_packed_geometry(const Geometry& geometry, Dtype dtype) {
  return geometry.rank == 1 && geometry.strides[0][0] == element_size(dtype);
}

}  // namespace lectern::kernels
