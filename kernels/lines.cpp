#include "kernels/lines.h"

namespace lectern::kernels {

Lines make_lines(std::span<const std::int64_t> sizes, std::size_t dim, std::span<const Array> arrays) {
  std::array<std::int64_t, kMaxRank> kept_sizes;
  std::array<std::array<std::int64_t, kMaxRank>, kMaxArrays> kept_strides;
  std::array<ArrayStrides, kMaxArrays> strides;
  Lines lines{.kept = {}, .length = sizes[dim], .step = {}};
  std::size_t rank = 0;
  for (std::size_t d = 0; d < sizes.size(); ++d) {
    if (d == dim) continue;
    kept_sizes[rank] = sizes[d];
    for (std::size_t k = 0; k < arrays.size(); ++k) kept_strides[k][rank] = arrays[k].strides[d];
    ++rank;
  }
  for (std::size_t k = 0; k < arrays.size(); ++k) {
    const std::int64_t size = element_size(arrays[k].dtype);
    strides[k] = {kept_strides[k].data(), size};
    lines.step[k] = arrays[k].strides[dim] * size;
  }
  lines.kept = make_geometry({kept_sizes.data(), rank}, {strides.data(), arrays.size()});
  return lines;
}

}  // namespace lectern::kernels
