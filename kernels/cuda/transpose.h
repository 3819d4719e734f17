#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "kernels/cuda/elements.h"
#include "kernels/cuda/launch.h"
#include "kernels/cuda/offsets.h"
#include "kernels/cuda/pack_access.h"
#include "kernels/cuda/words.h"
#include "kernels/geometry.h"

// Copies between arrays that are contiguous along different dimensions, a tile at a time: read along one,
// written along the other, and turned in shared memory in between.

namespace lectern::kernels::cuda {

/// What a tile has of an array: from its corner on, `rows` that lie `stride` bytes apart and of which each
/// has `length` contiguous elements; both may be more than the tile's side.
template <typename Byte>
struct TilePart {
  Byte* corner;
  std::int64_t stride, rows, length;

  LECTERN_HD bool has(int row, int at) const { return row < rows && at < length; }
  /// Where an element of type T is.
  template <typename T>
  LECTERN_HD Byte* place(int row, int at) const {
    return corner + row * stride + at * std::int64_t{sizeof(T)};
  }
};

/// The rows of a tile follow each other in the array that is read, its columns in the one that is written. A
/// thread reads and writes kVector neighbours at once; so that a tile's row is 32 of these, it has as many
/// rows.
template <typename Word, int kVector>
class Tile {
 public:
  using Element = Word;
  static constexpr int kSide = kWarpThreads * kVector;

  LECTERN_HD void read(int rank, const TilePart<const std::byte>& in) {
    const int warp = rank / kWarpThreads, at = rank % kWarpThreads * kVector;
    Vector read[kRowsOfWarp] = {};
    for (int k = 0; k < kRowsOfWarp; ++k) {
      const int row = warp + k * kRowsAtOnce;
      if (in.has(row, at)) read[k] = *reinterpret_cast<const Vector*>(in.template place<Word>(row, at));
    }
    for (int k = 0; k < kRowsOfWarp; ++k) {
      *reinterpret_cast<Vector*>(words_ + (warp + k * kRowsAtOnce) * kPitch + at) = read[k];
    }
  }
  LECTERN_HD void write(int rank, const TilePart<std::byte>& out) const {
    const int warp = rank / kWarpThreads, at = rank % kWarpThreads * kVector;
    for (int k = 0; k < kRowsOfWarp; ++k) {
      const int column = warp + k * kRowsAtOnce;
      if (!out.has(column, at)) continue;
      Vector vector;
      for (int i = 0; i < kVector; ++i) vector.value[i] = words_[(at + i) * kPitch + column];
      *reinterpret_cast<Vector*>(out.template place<Word>(column, at)) = vector;
    }
  }

 private:
  using Vector = Pack<Word, kVector>;
  /// So that a column, too, lies in all banks.
  static constexpr int kPitch = kSide + std::max(kVector, 4 / static_cast<int>(sizeof(Word)));
  static constexpr int kRowsAtOnce = kBlockThreads / kWarpThreads;
  static constexpr int kRowsOfWarp = kSide / kRowsAtOnce;

  alignas(Vector) Word words_[kSide * kPitch];
};

/// A tile that is read and written 16 bytes at a time, of words of 2 or 4 bytes. Its rows are stored as
/// packs, whose order is XORed with row / kPack % 8, so that neither 16-byte stores along a row nor 4-byte
/// loads down a column have bank conflicts. When it is written, 8 lanes take 8 groups of kPack rows, and the
/// four sets of lanes in a warp the four words of 4 bytes in a pack's columns.
template <typename Word>
class WideTile {
 public:
  using Element = Word;
  static constexpr int kSide = 64;

  LECTERN_HD void read(int rank, const TilePart<const std::byte>& in) {
    const int first = rank / kRowPacks, pack = rank % kRowPacks;
    RawPack read[kReads] = {};
    LECTERN_UNROLLED
    for (int k = 0; k < kReads; ++k) {
      const int row = first + k * kRowsAtOnce;
      if (in.has(row, pack * kPack)) read[k] = read_pack(in.template place<Word>(row, pack * kPack));
    }
    LECTERN_UNROLLED
    for (int k = 0; k < kReads; ++k) packs_[place(first + k * kRowsAtOnce, pack)] = read[k];
  }
  LECTERN_HD void write(int rank, const TilePart<std::byte>& out) const {
    const int warp = rank / kWarpThreads, lane = rank % kWarpThreads;
    LECTERN_UNROLLED
    for (int k = 0; k < kWrites; ++k) {
      const int item = warp + k * kBlockThreads / kWarpThreads, pack = item % kRowPacks;
      const int row = (item / kRowPacks * kBankPacks + lane % kBankPacks) * kPack;
      std::uint32_t units[kPack];
      LECTERN_UNROLLED
      for (int i = 0; i < kPack; ++i) units[i] = packs_[place(row + i, pack)].words[lane / kBankPacks];
      LECTERN_UNROLLED
      for (int j = 0; j < kUnitWords; ++j) {
        const int column = pack * kPack + lane / kBankPacks * kUnitWords + j;
        if (out.has(column, row)) write_pack(out.template place<Word>(column, row), column_of(units, j));
      }
    }
  }

 private:
  static constexpr int kPack = kPacked<Word>, kRowPacks = kSide / kPack, kUnitWords = 4 / sizeof(Word);
  static constexpr int kRowsAtOnce = kBlockThreads / kRowPacks, kReads = kSide / kRowsAtOnce;
  static constexpr int kBankPacks = 8;  ///< which all banks hold
  static constexpr int kWrites = kReads / kUnitWords;

  LECTERN_HD static int place(int row, int pack) {
    return row * kRowPacks + (pack ^ (row / kPack % kBankPacks));
  }
  /// The j-th words of the units.
  LECTERN_HD static RawPack column_of(const std::uint32_t (&units)[kPack], int j) {
    RawPack pack;
    LECTERN_UNROLLED
    for (int w = 0; w < 4; ++w) {
      if constexpr (kUnitWords == 1) {
        pack.words[w] = units[w];
      } else {
        const int shift = 16 * j;
        pack.words[w] = (units[2 * w] >> shift & 0xFFFFU) | units[2 * w + 1] >> shift << 16;
      }
    }
    return pack;
  }

  RawPack packs_[kSide * kRowPacks];
};

/// One block per tile: those along out's dimension 0, then those along `dim`, where `in` is contiguous, then
/// those of the other dimensions.
template <typename Tiles>
struct TransposeKernel {
  std::byte* out;
  const std::byte* in;
  std::int64_t out_size, in_size;      ///< along the dimensions where `out` and `in` are contiguous
  std::int64_t out_stride, in_stride;  ///< in bytes, along the other one's
  Divider out_tiles, in_tiles;
  OffsetCalculator<2> others;

  template <typename Group>
  LECTERN_HD void operator()(const Group& group, std::int64_t index) const {
    constexpr std::int64_t kSize = sizeof(typename Tiles::Element);
    auto& tile = group.template shared<Tiles>();
    const auto number = static_cast<std::uint32_t>(index);
    const std::uint32_t rest = out_tiles.quotient(number), other = in_tiles.quotient(rest);
    const auto base = others(other);
    const std::int64_t row = std::int64_t{number - rest * out_tiles.divisor()} * Tiles::kSide;
    const std::int64_t column = std::int64_t{rest - other * in_tiles.divisor()} * Tiles::kSide;
    tile.read(group.rank(), {in + base.at[1] + row * in_stride + column * kSize, in_stride, out_size - row,
                             in_size - column});
    group.sync();
    tile.write(group.rank(), {out + base.at[0] + column * out_stride + row * kSize, out_stride,
                              in_size - column, out_size - row});
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

template <typename Tiles>
void transpose_tiles(const Geometry& geometry, std::size_t dim, std::byte* out, const std::byte* in) {
  constexpr std::int64_t kSide = Tiles::kSide;
  const Geometry others = without(geometry, dim);
  const std::int64_t out_tiles = (geometry.sizes[0] + kSide - 1) / kSide;
  const std::int64_t in_tiles = (geometry.sizes[dim] + kSide - 1) / kSide;
  launch_blocks(out_tiles * in_tiles * others.numel,
                TransposeKernel<Tiles>{out, in, geometry.sizes[0], geometry.sizes[dim],
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
  const auto launch = [&]<typename Tiles>(std::type_identity<Tiles>, std::int64_t bytes) {
    if (!has_aligned_rows(geometry, 0, 0, out, bytes, kSize) ||
        !has_aligned_rows(geometry, 1, dim, in, bytes, kSize))
      return false;
    transpose_tiles<Tiles>(geometry, dim, out, in);
    return true;
  };
  if constexpr (kSize == 2 || kSize == 4) {
    using Tiles = WideTile<Word>;
    const bool fills = geometry.sizes[0] >= Tiles::kSide && geometry.sizes[dim] >= Tiles::kSide;
    if (fills && launch(std::type_identity<Tiles>{}, kPackBytes)) return true;
  }
  return launch(std::type_identity<Tile<Word, kVector>>{}, kVector * kSize) ||
         launch(std::type_identity<Tile<Word, 1>>{}, kSize);
}

}  // namespace lectern::kernels::cuda
