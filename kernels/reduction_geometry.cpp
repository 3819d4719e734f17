#include "kernels/reduction_geometry.h"

#include <array>
#include <cstddef>

namespace lectern::kernels {

ReductionGeometry reduction_geometry(std::span<const std::int64_t> sizes, std::span<const bool> over,
                                     const Array& out, const Array& in, const Array* positions) {
  std::array<std::array<std::int64_t, kMaxRank>, 2> part_sizes;  // [whether reduced]
  std::array<std::array<std::int64_t, kMaxRank>, 2> in_strides;
  std::array<std::int64_t, kMaxRank> out_strides;
  std::array<std::int64_t, kMaxRank> position_strides;
  std::array<std::size_t, 2> ranks{};
  for (std::size_t d = 0; d < sizes.size(); ++d) {
    std::size_t& rank = ranks[over[d]];
    part_sizes[over[d]][rank] = sizes[d];
    in_strides[over[d]][rank] = in.strides[d];
    if (!over[d]) {
      out_strides[rank] = out.strides[d];
      position_strides[rank] = positions == nullptr ? 0 : positions->strides[d];
    }
    ++rank;
  }
  const auto part = [&](std::size_t which) { return std::span(part_sizes[which].data(), ranks[which]); };
  const ArrayStrides kept[] = {{in_strides[0].data(), element_size(in.dtype)},
                               {out_strides.data(), element_size(out.dtype)},
                               {position_strides.data(), element_size(int64)}};
  const ArrayStrides reduced[] = {{in_strides[1].data(), element_size(in.dtype)}};
  return {make_geometry(part(0), std::span(kept, positions == nullptr ? 2 : 3)),
          make_geometry(part(1), reduced)};
}

}  // namespace lectern::kernels
