#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

#include "base/host_device.h"
#include "kernels/geometry.h"

namespace lectern::kernels {

/// An indexed dimension: the element at i is i * stride elements further on, a negative i counts from the
/// end.
struct IndexedDim {
  std::int64_t size;
  std::int64_t stride;  ///< in elements

  friend constexpr bool operator==(const IndexedDim&, const IndexedDim&) = default;
};

/// Indices that are element offsets themselves.
inline constexpr IndexedDim kElementOffsets{std::numeric_limits<std::int64_t>::max(), 1};

/// The offset of an index, in elements; 0 if it is out of range: indices are checked beforehand, and on a
/// GPU, where the outcome is known later, no other memory is touched.
LECTERN_HD std::int64_t index_offset(const IndexedDim& dim, std::int64_t index) {
  const std::int64_t from_start = index < 0 ? index + dim.size : index;
  return from_start >= 0 && from_start < dim.size ? from_start * dim.stride : 0;
}

/// Elements of an array by row-major index. A plain struct, also a CUDA kernel argument.
class RowMajor {
 public:
  /// At most kMaxRank sizes, with a stride (in elements) for each.
  RowMajor(std::span<const std::int64_t> sizes, const std::int64_t* strides)
      : rank_(static_cast<int>(sizes.size())) {
    for (std::size_t d = 0; d < sizes.size(); ++d) {
      sizes_[d] = sizes[d];
      strides_[d] = strides[d];
      numel_ *= sizes[d];
    }
  }

  LECTERN_HD std::int64_t numel() const { return numel_; }
  /// Of the last dimension: elements that are one stride apart.
  std::int64_t row() const { return rank_ == 0 ? 1 : sizes_[static_cast<std::size_t>(rank_ - 1)]; }
  std::int64_t step() const { return rank_ == 0 ? 0 : strides_[static_cast<std::size_t>(rank_ - 1)]; }
  /// The element's offset, in elements. O(rank).
  LECTERN_HD std::int64_t offset(std::int64_t element) const {
    std::int64_t offset = 0;
    for (int d = rank_ - 1; d > 0; --d) {
      const auto dim = static_cast<std::size_t>(d);
      offset += element % sizes_[dim] * strides_[dim];
      element /= sizes_[dim];
    }
    return rank_ == 0 ? 0 : offset + element * strides_[0];
  }

 private:
  int rank_;
  std::int64_t numel_ = 1;
  std::array<std::int64_t, kMaxRank> sizes_{};
  std::array<std::int64_t, kMaxRank> strides_{};
};

}  // namespace lectern::kernels
