#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include "kernels/cuda/elements.h"
#include "kernels/cuda/launch.h"
#include "kernels/cuda/offsets.h"
#include "kernels/cuda/pack_access.h"
#include "kernels/cuda/words.h"
#include "kernels/geometry.h"

// Arrays that are contiguous along different dimensions, a tile at a time: read along one, written along the
// other, and turned in shared memory in between. Here are the tiles, and copies.

namespace lectern::kernels::cuda {

/// What a tile has of an array: from its corner on, `rows` that lie `stride` bytes apart and of which each
/// has `length` contiguous elements.
template <typename Byte>
struct TilePart {
  Byte* corner;
  std::int64_t stride;
  int rows, length;

  LECTERN_HD bool has(int row, int at) const { return row < rows && at < length; }
  /// Where an element of type T is.
  template <typename T>
  LECTERN_HD Byte* place(int row, int at) const {
    return corner + row * stride + at * std::int64_t{sizeof(T)};
  }
};

/// The rows of a tile follow each other in the array that is read, its columns in the one that is written. A
/// warp reads and writes all of a row, 4 bytes a thread: at once if kAtOnce elements fill them, else as
/// neighbours of other threads' elements.
template <typename Word, int kAtOnce>
class Tile {
  static constexpr int kInRow = std::max(1, 4 / static_cast<int>(sizeof(Word)));  ///< of a thread

 public:
  using Element = Word;
  static constexpr int kSide = kWarpThreads * kInRow;

  LECTERN_HD void read(int rank, const TilePart<const std::byte>& in) {
    const int lane = rank % kWarpThreads;
    LECTERN_ROLLED
    for (int first = rank / kWarpThreads; first < kSide; first += kBatch * kRowsAtOnce) {
      Held read[kBatch][kPieces] = {};
      LECTERN_UNROLLED
      for (int k = 0; k < kBatch; ++k) {
        const int row = first + k * kRowsAtOnce, length = row < in.rows ? in.length : 0;
        const auto* const from = reinterpret_cast<const Taken*>(in.template place<Word>(row, 0)) + lane;
        LECTERN_UNROLLED
        for (int p = 0; p < kPieces; ++p) {
          if (place(lane, p) < length) read[k][p] = from[p * kWarpThreads];
        }
      }
      LECTERN_UNROLLED
      for (int k = 0; k < kBatch; ++k) {
        auto* const to = reinterpret_cast<Taken*>(words_ + (first + k * kRowsAtOnce) * kPitch) + lane;
        LECTERN_UNROLLED
        for (int p = 0; p < kPieces; ++p) to[p * kWarpThreads] = static_cast<Taken>(read[k][p]);
      }
    }
  }
  LECTERN_HD void write(int rank, const TilePart<std::byte>& out) const {
    using Written = Pack<Word, kAtOnce>;
    const int lane = rank % kWarpThreads;
    LECTERN_ROLLED
    for (int first = rank / kWarpThreads; first < kSide; first += kBatch * kRowsAtOnce) {
      LECTERN_UNROLLED
      for (int k = 0; k < kBatch; ++k) {
        const int column = first + k * kRowsAtOnce, length = column < out.rows ? out.length : 0;
        const Word* const from = words_ + lane * kAtOnce * kPitch + column;
        auto* const to = reinterpret_cast<Written*>(out.template place<Word>(column, 0)) + lane;
        LECTERN_UNROLLED
        for (int p = 0; p < kPieces; ++p) {
          Written written;
          LECTERN_UNROLLED
          for (int i = 0; i < kAtOnce; ++i) written.value[i] = from[(place(0, p) + i) * kPitch];
          if (place(lane, p) < length) to[p * kWarpThreads] = written;
        }
      }
    }
  }

 private:
  static constexpr int kPieces = kInRow / kAtOnce;
  static constexpr int kPitch = kSide + kInRow;  ///< so that a column, too, lies in all banks
  static constexpr int kRowsAtOnce = kBlockThreads / kWarpThreads;
  static constexpr int kBatch = 4;  ///< rows of a warp that are on their way at once
  static_assert(kSide % (kBatch * kRowsAtOnce) == 0);

  /// What a thread reads at once, and a register of its own for it.
  using Taken = std::conditional_t<kAtOnce == 1, Word, std::uint32_t>;
  using Held = std::conditional_t<sizeof(Taken) < 4, std::uint32_t, Taken>;

  /// Where a lane's p-th piece of a row begins.
  LECTERN_HD static int place(int lane, int p) { return (p * kWarpThreads + lane) * kAtOnce; }

  alignas(4) alignas(Word) Word words_[kSide * kPitch];
};

/// A tile that is read and written 16 bytes at a time, of words of 2 or 4 bytes. Its rows are stored as
/// packs, whose order is XORed with row / kPack % 8, so that neither 16-byte stores along a row nor 4-byte
/// loads down a column have bank conflicts. When it is written, 8 lanes take 8 groups of kPack rows, and the
/// four sets of lanes in a warp the four words of 4 bytes in a pack's columns. A thread writes kWritten packs
/// of a column each.
template <typename Word>
class WideTile {
 public:
  using Element = Word;
  static constexpr int kSide = 64;

 private:
  static constexpr int kPack = kPacked<Word>, kRowPacks = kSide / kPack, kUnitWords = 4 / sizeof(Word);
  static constexpr int kRowsAtOnce = kBlockThreads / kRowPacks, kReads = kSide / kRowsAtOnce;
  static constexpr int kBankPacks = 8;  ///< which all banks hold
  static constexpr int kWrites = kReads / kUnitWords;

 public:
  static constexpr int kWritten = kWrites * kUnitWords;

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
    write(rank, out, [](int, const RawPack& pack) { return pack; });
  }
  /// Writes finish(n, pack) for each pack, a thread's n-th.
  template <typename Finish>
  LECTERN_HD void write(int rank, const TilePart<std::byte>& out, const Finish& finish) const {
    LECTERN_UNROLLED
    for (int k = 0; k < kWrites; ++k) {
      const Column first = column_from(rank, k);
      std::uint32_t units[kPack];
      LECTERN_UNROLLED
      for (int i = 0; i < kPack; ++i) units[i] = packs_[place(first.row + i, first.pack)].words[first.unit];
      LECTERN_UNROLLED
      for (int j = 0; j < kUnitWords; ++j) {
        if (out.has(first.number + j, first.row)) {
          write_pack(out.template place<Word>(first.number + j, first.row),
                     finish(k * kUnitWords + j, column_of(units, j)));
        }
      }
    }
  }
  /// The packs of another array at the places that a thread writes.
  LECTERN_HD static void read_beside(int rank, const TilePart<const std::byte>& in,
                                     RawPack (&packs)[kWritten]) {
    LECTERN_UNROLLED
    for (int n = 0; n < kWritten; ++n) {
      const Column first = column_from(rank, n / kUnitWords);
      const int column = first.number + n % kUnitWords;
      packs[n] =
          in.has(column, first.row) ? read_pack(in.template place<Word>(column, first.row)) : RawPack{};
    }
  }

 private:
  /// The columns in 4 bytes, `unit`, of a pack of a row, from their kPack rows `row`… .
  struct Column {
    int number, row, pack, unit;
  };
  LECTERN_HD static Column column_from(int rank, int k) {
    const int lane = rank % kWarpThreads, unit = lane / kBankPacks;
    const int item = rank / kWarpThreads + k * kBlockThreads / kWarpThreads, pack = item % kRowPacks;
    return {pack * kPack + unit * kUnitWords, (item / kRowPacks * kBankPacks + lane % kBankPacks) * kPack,
            pack, unit};
  }
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

/// The dimension other than 0 along which array `k` of a geometry is contiguous; 0: there is none.
inline std::size_t contiguous_dim(const Geometry& geometry, std::size_t k, std::int64_t element_size) {
  std::size_t dim = 0;
  for (std::size_t d = 1; d < static_cast<std::size_t>(geometry.rank); ++d) {
    if (geometry.strides[k][d] == element_size) dim = d;
  }
  return dim;
}

/// The geometry without two of its dimensions, 0 and `dim`.
inline Geometry without(const Geometry& geometry, std::size_t dim) {
  const auto arrays = static_cast<std::size_t>(geometry.arrays);
  constexpr std::array<std::int64_t, kMaxArrays> kNoStrides{};
  Geometry others = contiguous_geometry(1, std::span(kNoStrides).first(arrays));
  std::size_t kept = 0;
  for (std::size_t d = 1; d < static_cast<std::size_t>(geometry.rank); ++d) {
    if (d == dim) continue;
    others.sizes[kept] = geometry.sizes[d];
    for (std::size_t k = 0; k < arrays; ++k) others.strides[k][kept] = geometry.strides[k][d];
    others.numel *= geometry.sizes[d];
    ++kept;
  }
  others.rank = std::max(1, static_cast<int>(kept));
  return others;
}

/// Arrays in tiles, one for a block: first those along dimension 0, where some are contiguous, then those
/// along `dim`, where the others are, then those of the other dimensions.
template <typename Tiles, std::size_t kArrays>
class TileGrid {
 public:
  TileGrid(const Geometry& geometry, std::size_t dim, const Geometry& others)
      : rows_(geometry.sizes[0]),
        columns_(geometry.sizes[dim]),
        count_(tiles(rows_) * tiles(columns_) * others.numel),
        row_tiles_(tiles(rows_)),
        column_tiles_(tiles(columns_)),
        others_(others) {
    for (std::size_t k = 0; k < kArrays; ++k)
      strides_[k] = {geometry.strides[k][0], geometry.strides[k][dim]};
  }

  std::int64_t count() const { return count_; }

  struct Corner {
    typename OffsetCalculator<kArrays>::Offsets base;
    std::int64_t row, column;
  };
  LECTERN_HD Corner corner(std::int64_t index) const {
    const auto number = static_cast<std::uint32_t>(index);
    const std::uint32_t rest = row_tiles_.quotient(number), other = column_tiles_.quotient(rest);
    return {others_(other), std::int64_t{number - rest * row_tiles_.divisor()} * Tiles::kSide,
            std::int64_t{rest - other * column_tiles_.divisor()} * Tiles::kSide};
  }
  /// The tile of array `k`, contiguous along dimension 0: the tile's columns.
  template <typename Byte>
  LECTERN_HD TilePart<Byte> columns_of(std::size_t k, Byte* data, const Corner& at) const {
    return {data + at.base.at[k] + at.column * strides_[k].along_dim + at.row * kSize, strides_[k].along_dim,
            in_tile(columns_ - at.column), in_tile(rows_ - at.row)};
  }
  /// Of array `k`, contiguous along `dim`: its rows.
  LECTERN_HD TilePart<const std::byte> rows_of(std::size_t k, const std::byte* data, const Corner& at) const {
    return {data + at.base.at[k] + at.row * strides_[k].along_first + at.column * kSize,
            strides_[k].along_first, in_tile(rows_ - at.row), in_tile(columns_ - at.column)};
  }

 private:
  static constexpr std::int64_t kSize = sizeof(typename Tiles::Element);
  LECTERN_HD static int in_tile(std::int64_t left) {
    return static_cast<int>(left < Tiles::kSide ? left : Tiles::kSide);
  }
  static std::int64_t tiles(std::int64_t size) { return (size + Tiles::kSide - 1) / Tiles::kSide; }

  struct Strides {
    std::int64_t along_first, along_dim;  ///< in bytes
  };

  std::int64_t rows_, columns_, count_;
  std::array<Strides, kArrays> strides_;
  Divider row_tiles_, column_tiles_;
  OffsetCalculator<kArrays> others_;
};

template <typename Tiles>
struct TransposeKernel {
  std::byte* out;
  const std::byte* in;
  TileGrid<Tiles, 2> grid;

  template <typename Group>
  LECTERN_HD void operator()(const Group& group, std::int64_t index) const {
    auto& tile = group.template shared<Tiles>();
    const auto corner = grid.corner(index);
    tile.read(group.rank(), grid.rows_of(1, in, corner));
    group.sync();
    tile.write(group.rank(), grid.columns_of(0, out, corner));
    group.sync();
  }
};

template <typename Tiles>
void transpose_tiles(const Geometry& geometry, std::size_t dim, std::byte* out, const std::byte* in) {
  const TileGrid<Tiles, 2> grid(geometry, dim, without(geometry, dim));
  launch_blocks(grid.count(), TransposeKernel<Tiles>{out, in, grid});
}

/// Copies elements of a part (for_each_part) as words of their size, if that is a transposition worth tiles;
/// returns whether it is.
template <typename Word>
bool transpose(const Geometry& geometry, std::byte* out, const std::byte* in) {
  constexpr std::int64_t kSize = sizeof(Word);
  constexpr int kVector = kSize < 4 ? static_cast<int>(4 / kSize) : 1;
  constexpr std::int64_t kShortest = 8;
  if (geometry.strides[0][0] != kSize) return false;
  const std::size_t dim = contiguous_dim(geometry, 1, kSize);
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
