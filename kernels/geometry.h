#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <span>

#include "base/host_device.h"
#include "kernels/vectorize.h"

namespace lectern::kernels {

inline constexpr int kMaxRank = 16;
/// The result and up to three operands.
inline constexpr int kMaxArrays = 4;

/// One of the arrays walked together: its strides (in elements, one per dimension, none negative; 0 repeats)
/// and the element size in bytes.
struct ArrayStrides {
  const std::int64_t* strides;
  std::int64_t element_size;
};

/// How several arrays of the same sizes are walked together, element by element, in the fewest dimensions. A
/// plain struct, also a CUDA kernel argument.
struct Geometry {
  int rank;  ///< at least 1
  int arrays;
  std::int64_t numel;
  std::array<std::int64_t, kMaxRank> sizes;                            ///< innermost first
  std::array<std::array<std::int64_t, kMaxRank>, kMaxArrays> strides;  ///< [array][dimension], in bytes
};

/// The dimensions in walk order, innermost first: by the strides of the first array, where those are 0 or
/// equal by the next one's. It is the order of PyTorch's TensorIterator, so that layouts of results made from
/// it agree too. The first sizes.size() entries count. O(rank²).
std::array<int, kMaxRank> walk_order(std::span<const std::int64_t> sizes,
                                     std::span<const ArrayStrides> arrays);

/// Sizes and strides in walk order; neighbours that are contiguous in every array are collapsed, dimensions
/// of size 1 removed. So contiguous arrays have rank 1, empty ones rank 1 and size 0. At most kMaxRank sizes.
Geometry make_geometry(std::span<const std::int64_t> sizes, std::span<const ArrayStrides> arrays);

/// The same in another order: the dimensions, innermost first, none of size 0.
Geometry make_geometry(std::span<const std::int64_t> sizes, std::span<const ArrayStrides> arrays,
                       std::span<const int> order);

/// The geometry of `numel` elements in one dimension, with these strides in bytes.
Geometry contiguous_geometry(std::int64_t numel, std::span<const std::int64_t> strides);

/// The offset in each array, in bytes, of the element with that index in walk order.
template <int kArrays>
struct Offsets {
  std::int64_t at[kArrays];
};

/// `index` is below numel. O(rank).
template <int kArrays>
LECTERN_HD Offsets<kArrays> element_offsets(const Geometry& geometry, std::int64_t index) {
  Offsets<kArrays> offsets{};
  const auto add = [&](std::size_t dimension, std::int64_t position) {
    for (std::size_t array = 0; array < kArrays; ++array) {
      offsets.at[array] += position * geometry.strides[array][dimension];
    }
  };
  const auto last = static_cast<std::size_t>(geometry.rank - 1);
  if (geometry.numel <= std::numeric_limits<std::uint32_t>::max()) {  // divides several times faster
    auto rest = static_cast<std::uint32_t>(index);
    LECTERN_ROLLED
    for (std::size_t d = 0; d < last; ++d) {
      const auto size = static_cast<std::uint32_t>(geometry.sizes[d]);
      add(d, rest % size);
      rest /= size;
    }
    add(last, rest);
  } else {
    LECTERN_ROLLED
    for (std::size_t d = 0; d < last; ++d) {
      add(d, index % geometry.sizes[d]);
      index /= geometry.sizes[d];
    }
    add(last, index);
  }
  return offsets;
}

}  // namespace lectern::kernels
