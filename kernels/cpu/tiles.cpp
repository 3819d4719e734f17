#include "kernels/cpu/tiles.h"

#include <utility>

namespace lectern::kernels::cpu {
namespace {

/// The dimension in which some array has smaller steps than in the first one; 0 if there is none.
std::size_t crossing_dim(const Geometry& geometry) {
  std::size_t found = 0;
  std::int64_t smallest = 0;
  for (std::size_t k = 0; k < static_cast<std::size_t>(geometry.arrays); ++k) {
    for (std::size_t d = 1; d < static_cast<std::size_t>(geometry.rank); ++d) {
      const std::int64_t stride = geometry.strides[k][d];
      if (stride == 0 || stride >= geometry.strides[k][0]) continue;
      if (found == 0 || stride < smallest) {
        found = d;
        smallest = stride;
      }
    }
  }
  return found;
}

/// Shorter rows are processed together.
constexpr std::int64_t kShortRow = 256;

std::int64_t count_steps(std::int64_t whole, std::int64_t part) {
  return (whole + part - 1) / part;
}

}  // namespace

Tiling::Tiling(const Geometry& geometry, std::int64_t capacity, std::int64_t crossing_length)
    : geometry_(geometry) {
  if (geometry_.rank == 1) {
    geometry_.rank = 2;
    geometry_.sizes[1] = 1;
    for (auto& strides : geometry_.strides) strides[1] = 0;
  }
  const std::size_t crossing = crossing_dim(geometry_);
  if (crossing > 0) {
    std::swap(geometry_.sizes[1], geometry_.sizes[crossing]);
    for (auto& strides : geometry_.strides) std::swap(strides[1], strides[crossing]);
  }
  length_ = std::clamp<std::int64_t>(size(0), 1, crossing > 0 ? crossing_length : capacity);
  rows_ = crossing > 0 || length_ < kShortRow ? std::clamp<std::int64_t>(size(1), 1, capacity / length_) : 1;
  count_ = 1;
  for (std::size_t d = 0; d < static_cast<std::size_t>(geometry_.rank); ++d)
    count_ *= count_steps(size(d), step(d));
}

std::array<std::int64_t, kMaxRank> Tiling::position(std::int64_t tile) const {
  std::array<std::int64_t, kMaxRank> at{};
  if (tile == 0) return at;
  for (std::size_t d = 0; d < static_cast<std::size_t>(geometry_.rank); ++d) {
    const std::int64_t count = count_steps(size(d), step(d));
    at[d] = tile % count * step(d);
    tile /= count;
  }
  return at;
}

}  // namespace lectern::kernels::cpu
