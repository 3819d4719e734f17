#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "kernels/geometry.h"

namespace lectern::kernels::cpu {

/// A part of the walk: `rows` rows of `length` elements.
struct Tile {
  std::array<std::byte*, kMaxArrays> at;  ///< the first element of each array
  std::int64_t length;
  std::int64_t rows;
};

/// A geometry cut into tiles along its first two dimensions, of at most `capacity` elements: one row each, or
/// several if rows are short. If an array runs along another dimension than the rest (a transposed operand),
/// that dimension becomes the second one and tiles have rows of `crossing_length`, so that many elements of
/// each cache line are used at once.
class Tiling {
 public:
  Tiling(const Geometry& geometry, std::int64_t capacity, std::int64_t crossing_length);

  const Geometry& geometry() const { return geometry_; }
  std::int64_t length() const { return length_; }
  std::int64_t rows() const { return rows_; }
  std::int64_t count() const { return count_; }

  /// Calls visit(tile) for the tiles `begin` … `end` - 1 of arrays that start at `base`.
  template <typename Visit>
  void walk(const std::array<std::byte*, kMaxArrays>& base, std::int64_t begin, std::int64_t end,
            Visit visit) const {
    const auto arrays = static_cast<std::size_t>(geometry_.arrays);
    const auto rank = static_cast<std::size_t>(geometry_.rank);
    std::array<std::int64_t, kMaxRank> at = position(begin);
    Tile tile{base, 0, 0};
    for (std::size_t k = 0; k < arrays; ++k) {
      for (std::size_t d = 0; d < rank; ++d) tile.at[k] += at[d] * geometry_.strides[k][d];
    }
    for (std::int64_t i = begin; i < end; ++i) {
      tile.length = std::min(length_, size(0) - at[0]);
      tile.rows = std::min(rows_, size(1) - at[1]);
      visit(std::as_const(tile));
      for (std::size_t d = 0; d < rank; ++d) {
        at[d] += step(d);
        const bool inside = at[d] < size(d);
        const std::int64_t moved = inside ? step(d) : step(d) - at[d];
        for (std::size_t k = 0; k < arrays; ++k) tile.at[k] += moved * geometry_.strides[k][d];
        if (inside) break;
        at[d] = 0;
      }
    }
  }

 private:
  std::int64_t size(std::size_t dim) const { return geometry_.sizes[dim]; }
  std::int64_t step(std::size_t dim) const { return dim == 0 ? length_ : dim == 1 ? rows_ : 1; }
  /// Where a tile begins.
  std::array<std::int64_t, kMaxRank> position(std::int64_t tile) const;

  Geometry geometry_;  ///< of rank 2 at least
  std::int64_t length_;
  std::int64_t rows_;
  std::int64_t count_;
};

}  // namespace lectern::kernels::cpu
