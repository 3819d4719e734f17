#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "base/host_device.h"
#include "kernels/geometry.h"

// Where elements lie, for kernels that do little else: in 32 bits, and without a division. PyTorch's
// IntDivider, OffsetCalculator and with_32bit_indexing.

namespace lectern::kernels::cuda {

/// Divides by multiplying (Granlund and Montgomery, "Division by invariant integers using multiplication",
/// 1994): numbers below 2^31 by one of them, which is not 0.
class Divider {
 public:
  Divider() = default;
  explicit Divider(std::int64_t divisor) {
    const auto value = static_cast<std::uint64_t>(divisor);
    while (std::uint64_t{1} << shift_ < value) ++shift_;
    factor_ = static_cast<std::uint32_t>((((std::uint64_t{1} << shift_) - value) << 32) / value + 1);
    divisor_ = static_cast<std::uint32_t>(value);
  }

  LECTERN_HD std::uint32_t divisor() const { return divisor_; }
  LECTERN_HD std::uint32_t quotient(std::uint32_t x) const {
    const auto high = static_cast<std::uint32_t>(std::uint64_t{x} * factor_ >> 32);
    return (high + x) >> shift_;
  }

 private:
  std::uint32_t factor_ = 1;
  std::uint32_t divisor_ = 1;
  std::uint32_t shift_ = 0;
};

/// element_offsets() of a geometry that for_each_part() visits.
template <std::size_t kArrays>
class OffsetCalculator {
 public:
  struct Offsets {
    std::uint32_t at[kArrays];
  };

  explicit OffsetCalculator(const Geometry& geometry) : last_(static_cast<std::size_t>(geometry.rank - 1)) {
    for (std::size_t d = 0; d <= last_; ++d) {
      if (geometry.numel > 0) sizes_[d] = Divider(geometry.sizes[d]);
      for (std::size_t k = 0; k < kArrays; ++k) {
        strides_[d].at[k] = static_cast<std::uint32_t>(geometry.strides[k][d]);
      }
    }
  }

  LECTERN_HD Offsets operator()(std::uint32_t index) const {
    Offsets offsets{};
    LECTERN_ROLLED
    for (std::size_t d = 0; d < last_; ++d) {
      const std::uint32_t rest = sizes_[d].quotient(index);
      add(offsets, d, index - rest * sizes_[d].divisor());
      index = rest;
    }
    add(offsets, last_, index);
    return offsets;
  }

 private:
  LECTERN_HD void add(Offsets& offsets, std::size_t d, std::uint32_t position) const {
    for (std::size_t k = 0; k < kArrays; ++k) offsets.at[k] += position * strides_[d].at[k];
  }

  std::size_t last_;
  std::array<Divider, kMaxRank> sizes_;
  std::array<Offsets, kMaxRank> strides_;
};

/// The bytes from the first element of array `k` to the last one along a dimension.
inline std::int64_t extent(const Geometry& geometry, std::size_t k, std::size_t d) {
  return (geometry.sizes[d] - 1) * geometry.strides[k][d];
}

/// The largest index and offset in bytes that kernels take.
inline constexpr std::int64_t kLargestOffset = std::numeric_limits<std::int32_t>::max();

/// Whether all indices and offsets in bytes are at most `limit`.
inline bool takes_32_bits(const Geometry& geometry, std::int64_t limit = kLargestOffset) {
  bool takes = geometry.numel <= limit;
  for (std::size_t k = 0; k < static_cast<std::size_t>(geometry.arrays); ++k) {
    std::int64_t last = 0;
    for (std::size_t d = 0; d < static_cast<std::size_t>(geometry.rank); ++d) last += extent(geometry, k, d);
    takes = takes && last <= limit;
  }
  return takes;
}

/// Calls visit(part, offset in bytes of its first element in each array) for parts that take 32 bits: halves
/// along the dimension that extends furthest, halved again if need be.
template <typename Visit>
void for_each_part(const Geometry& geometry, const Visit& visit, std::int64_t limit = kLargestOffset,
                   const std::array<std::int64_t, kMaxArrays>& offsets = {}) {
  if (takes_32_bits(geometry, limit)) return visit(geometry, offsets);
  const auto arrays = static_cast<std::size_t>(geometry.arrays);
  std::size_t longest = 0;
  std::int64_t most = 0;
  for (std::size_t d = 0; d < static_cast<std::size_t>(geometry.rank); ++d) {
    std::int64_t reach = geometry.sizes[d] - 1;
    for (std::size_t k = 0; k < arrays; ++k) reach += extent(geometry, k, d);
    if (reach > most) most = reach, longest = d;
  }
  const std::int64_t size = geometry.sizes[longest];
  const auto visit_part = [&](std::int64_t begin, std::int64_t end) {
    Geometry part = geometry;
    part.sizes[longest] = end - begin;
    part.numel = geometry.numel / size * (end - begin);
    std::array<std::int64_t, kMaxArrays> first = offsets;
    for (std::size_t k = 0; k < arrays; ++k) first[k] += begin * geometry.strides[k][longest];
    for_each_part(part, visit, limit, first);
  };
  // Long ones are divided where a part is as aligned as the whole.
  const std::int64_t half = size < 256 ? size / 2 : size / 256 * 128;
  visit_part(0, half);
  visit_part(half, size);
}

}  // namespace lectern::kernels::cuda
