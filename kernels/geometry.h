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

/// One of the arrays that are walked together: its strides (in elements, one per dimension, none negative; 0
/// repeats) and the bytes of an element.
struct ArrayStrides {
  const std::int64_t* strides;
  std::int64_t element_size;
};

/// How several arrays of the same sizes are walked together, element by element, in the fewest dimensions. A
/// plain struct, which a CUDA kernel takes as an argument too.
struct Geometry {
  int rank;  ///< at least 1
  int arrays;
  std::int64_t numel;
  std::array<std::int64_t, kMaxRank> sizes;                            ///< innermost first
  std::array<std::array<std::int64_t, kMaxRank>, kMaxArrays> strides;  ///< [array][dimension], in bytes
};

/// The dimensions in the order of the walk, innermost first: by the strides of the first array, where those
/// are 0 or equal by the next one's. It is the order of PyTorch's TensorIterator, so that layouts of results
/// made from it agree too. The first sizes.size() entries count. O(rank²).
std::array<int, kMaxRank> walk_order(std::span<const std::int64_t> sizes,
                                     std::span<const ArrayStrides> arrays);

/// Sizes and strides in the order of the walk; neighbours that are one run of memory in every array become
/// one dimension, those of size 1 vanish. So contiguous arrays have rank 1, empty ones rank 1 and size 0. At
/// most kMaxRank sizes.
Geometry make_geometry(std::span<const std::int64_t> sizes, std::span<const ArrayStrides> arrays);

/// The geometry of `numel` elements in one dimension, with these strides in bytes.
Geometry contiguous_geometry(std::int64_t numel, std::span<const std::int64_t> strides);

/// Where the element with that number in the order of the walk stands in each array, in bytes.
template <int kArrays>
struct Offsets {
  std::int64_t at[kArrays];
};

/// `index` is below numel. O(rank).
template <int kArrays>
LECTERN_HD Offsets<kArrays> offsets_of(const Geometry& geometry, std::int64_t index) {
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
