#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "kernels/cuda/elements.h"
#include "kernels/cuda/launch.h"
#include "kernels/cuda/offsets.h"
#include "kernels/cuda/words.h"
#include "kernels/geometry.h"

// Copies between arrays that are contiguous along different dimensions, a tile at a time: read along one,
// written along the other, and turned in shared memory in between.

namespace lectern::kernels::cuda {

/// The rows of a tile follow each other in the array that is read, its columns in the one that is written. A
/// thread reads and writes kVector neighbours at once; so that a tile's row is 32 of these, it has as many
/// rows.
template <typename Word, int kVector>
struct Tile {
  static constexpr int kSide = kWarpThreads * kVector;
  /// So that a column, too, lies in all banks.
  static constexpr int kPitch = kSide + std::max(kVector, 4 / static_cast<int>(sizeof(Word)));
  static constexpr int kRowsAtOnce = kBlockThreads / kWarpThreads;
  static constexpr int kRowsOfWarp = kSide / kRowsAtOnce;
  using Vector = Pack<Word, kVector>;

  alignas(Vector) Word word[kSide * kPitch];

  LECTERN_HD Vector& along(int row, int column) {
    return *reinterpret_cast<Vector*>(word + row * kPitch + column);
  }
  LECTERN_HD Vector across(int row, int column) const {
    Vector vector;
    for (int i = 0; i < kVector; ++i) vector.value[i] = word[(row + i) * kPitch + column];
    return vector;
  }
};

/// One block per tile: those along out's dimension 0, then those along `dim`, where `in` is contiguous, then
/// those of the other dimensions.
template <typename Word, int kVector>
struct TransposeKernel {
  using Tiles = Tile<Word, kVector>;
  using Vector = typename Tiles::Vector;

  std::byte* out;
  const std::byte* in;
  std::int64_t out_size, in_size;      ///< along the dimensions where `out` and `in` are contiguous
  std::int64_t out_stride, in_stride;  ///< in bytes, along the other one's
  Divider out_tiles, in_tiles;
  OffsetCalculator<2> others;

  template <typename Group>
  LECTERN_HD void operator()(const Group& group, std::int64_t index) const {
    auto& tile = group.template shared<Tiles>();
    const auto number = static_cast<std::uint32_t>(index);
    const std::uint32_t rest = out_tiles.quotient(number), other = in_tiles.quotient(rest);
    const auto base = others(other);
    const int warp = group.rank() / kWarpThreads, at = group.rank() % kWarpThreads * kVector;
    const std::int64_t row = std::int64_t{number - rest * out_tiles.divisor()} * Tiles::kSide;
    const std::int64_t column = std::int64_t{rest - other * in_tiles.divisor()} * Tiles::kSide;
    const std::byte* const from = in + base.at[1] + (column + at) * std::int64_t{sizeof(Word)};
    Vector read[Tiles::kRowsOfWarp] = {};
    for (int k = 0; k < Tiles::kRowsOfWarp; ++k) {
      const int i = warp + k * Tiles::kRowsAtOnce;
      if (row + i >= out_size || column + at >= in_size) continue;
      read[k] = *reinterpret_cast<const Vector*>(from + (row + i) * in_stride);
    }
    for (int k = 0; k < Tiles::kRowsOfWarp; ++k) tile.along(warp + k * Tiles::kRowsAtOnce, at) = read[k];
    group.sync();
    std::byte* const to = out + base.at[0] + (row + at) * std::int64_t{sizeof(Word)};
    for (int k = 0; k < Tiles::kRowsOfWarp; ++k) {
      const int i = warp + k * Tiles::kRowsAtOnce;
      if (column + i >= in_size || row + at >= out_size) continue;
      *reinterpret_cast<Vector*>(to + (column + i) * out_stride) = tile.across(at, i);
    }
    group.sync();
  }
};

/// Dimensions of two arrays: 0, where the first is contiguous, and one where the second is.
struct TransposedDims {
  std::size_t dim = 0;  ///< 0: there is none

  TransposedDims(const Geometry& geometry, std::int64_t element_size) {
    if (geometry.strides[0][0] != element_size) return;
    for (std::size_t d = 1; d < static_cast<std::size_t>(geometry.rank); ++d) {
      if (geometry.strides[1][d] == element_size) dim = d;
    }
  }
};

/// The geometry without two of its dimensions, 0 and `dim`.
inline Geometry without(const Geometry& geometry, std::size_t dim) {
  Geometry others = contiguous_geometry(1, std::array<std::int64_t, 2>{});
  std::size_t kept = 0;
  for (std::size_t d = 1; d < static_cast<std::size_t>(geometry.rank); ++d) {
    if (d == dim) continue;
    others.sizes[kept] = geometry.sizes[d];
    for (std::size_t k = 0; k < 2; ++k) others.strides[k][kept] = geometry.strides[k][d];
    others.numel *= geometry.sizes[d];
    ++kept;
  }
  others.rank = std::max(1, static_cast<int>(kept));
  return others;
}

template <typename Word, int kVector>
void launch_tiles(const Geometry& geometry, std::size_t dim, std::byte* out, const std::byte* in) {
  constexpr std::int64_t kSide = Tile<Word, kVector>::kSide;
  const Geometry others = without(geometry, dim);
  const std::int64_t out_tiles = (geometry.sizes[0] + kSide - 1) / kSide;
  const std::int64_t in_tiles = (geometry.sizes[dim] + kSide - 1) / kSide;
  launch_blocks(
      out_tiles * in_tiles * others.numel,
      TransposeKernel<Word, kVector>{out, in, geometry.sizes[0], geometry.sizes[dim],
                                     geometry.strides[0][dim], geometry.strides[1][0], Divider(out_tiles),
                                     Divider(in_tiles), OffsetCalculator<2>(others)});
}

/// Copies elements of a part (for_each_part) as words of their size, if that is a transposition worth tiles;
/// returns whether it is.
template <typename Word>
bool transpose(const Geometry& geometry, std::byte* out, const std::byte* in) {
  constexpr std::int64_t kSize = sizeof(Word);
  constexpr int kVector = kSize < 4 ? static_cast<int>(4 / kSize) : 1;
  constexpr std::int64_t kShortest = 8;
  const std::size_t dim = TransposedDims(geometry, kSize).dim;
  if (dim == 0 || geometry.sizes[0] < kShortest || geometry.sizes[dim] < kShortest) return false;
  if constexpr (kVector > 1) {
    if (has_aligned_rows(geometry, 0, 0, out, kVector * kSize, kSize) &&
        has_aligned_rows(geometry, 1, dim, in, kVector * kSize, kSize)) {
      launch_tiles<Word, kVector>(geometry, dim, out, in);
      return true;
    }
  }
  launch_tiles<Word, 1>(geometry, dim, out, in);
  return true;
}

}  // namespace lectern::kernels::cuda
