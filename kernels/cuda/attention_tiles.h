#pragma once

#include <cstdint>

#include "base/host_device.h"
#include "kernels/cuda/mma.h"
#include "kernels/vectorize.h"

// Tiles of matrices in shared memory, and products of those of 16 bits by the fragments of
// kernels/cuda/mma.h. A warp's sums are float[row tiles][column tiles][4], of 16 × 8 each.

namespace lectern::kernels::cuda {

/// The value, in a way that hides from the compiler that a loop's iterations, fewer than 2^30, do not change
/// it: addresses derived from it are computed again rather than kept in registers.
LECTERN_HD int opaque(int value, int iteration) {
  return value + (iteration >> 30);
}

/// One of kThreads.
template <int kThreads>
struct ThreadOf {
  int rank;
};

/// Rows of kColumns elements, each padded by 16 bytes, so that the same chunk of 16 bytes of eight rows lies
/// in different banks. (Chunks permuted within their rows would do without, but each would take an address in
/// a register where now there is an offset.)
template <int kRows, int kColumns, typename Element = std::uint16_t>
struct SharedTile {
  static constexpr int kElementsPerChunk = 16 / static_cast<int>(sizeof(Element));
  static constexpr int kChunks = kColumns / kElementsPerChunk;
  static constexpr int kRowBytes = kChunks * 16 + 16;
  static constexpr int kBytes = kRows * kRowBytes;

  SharedAddress base;

  LECTERN_HD SharedAddress chunk(int row, int index) const {
    return base + static_cast<SharedAddress>(row * kRowBytes + index * 16);
  }

  /// The same rows from a column on, a multiple of 8.
  LECTERN_HD SharedTile from_column(int column) const {
    return {base + static_cast<SharedAddress>(column * static_cast<int>(sizeof(Element)))};
  }

  /// Starts to copy a matrix's rows from `from` on, of which there are `rows`, by all threads of a block;
  /// zeros past the last row and column.
  template <int kThreads>
  LECTERN_HD void copy_from(ThreadOf<kThreads> thread, const Element* from, std::int64_t stride, int rows,
                            int columns) const {
    constexpr int kRowsAtOnce = kThreads / kChunks;
    static_assert(kThreads % kChunks == 0 && kRows % kRowsAtOnce == 0);
    const int index = thread.rank % kChunks, first = thread.rank / kChunks;
    const bool in_columns = index * kElementsPerChunk < columns;
    const SharedAddress to = chunk(first, index);
    const Element* source = from + first * stride + index * kElementsPerChunk;
    LECTERN_ROLLED
    for (int row = 0; row < kRows; row += kRowsAtOnce) {
      copy_async<16>(to + static_cast<SharedAddress>(row * kRowBytes), source,
                     in_columns && first + row < rows);
      source += kRowsAtOnce * stride;  // row after row: all offsets would take registers throughout a kernel
    }
  }
};

/// Where a lane finds its fragments of a tile, 16 rows and 16 columns each, from `row` on. kDownFirst: the
/// second of the four matrices of 8 × 8 is the one below, else the one to the right.
template <typename Tile, bool kDownFirst>
class TileReader {
 public:
  LECTERN_HD TileReader(const Tile& tile, int row, int lane) {
    const int matrix = lane / 8;
    const int down = kDownFirst ? matrix % 2 : matrix / 2, right = kDownFirst ? matrix / 2 : matrix % 2;
    first_ = tile.chunk(row + down * 8 + lane % 8, right);
  }

  /// From `row` and the 16 columns of that number on.
  LECTERN_HD Words read(int row, int columns) const { return load_matrices(at(row, columns)); }
  LECTERN_HD Words read_transposed(int row, int columns) const {
    return load_transposed_matrices(at(row, columns));
  }

 private:
  LECTERN_HD SharedAddress at(int row, int columns) const {
    return first_ + static_cast<SharedAddress>(row * Tile::kRowBytes + columns * 32);
  }

  SharedAddress first_;
};

/// As the left operand of a product, also as the right one as it is; as the right one's transpose.
template <typename Tile>
using DownReader = TileReader<Tile, true>;
template <typename Tile>
using RightReader = TileReader<Tile, false>;

/// sums += a bᵀ, of rows of kDepth elements.
template <typename T, int kDepth, int kRowTiles, int kColumnTiles, typename Left, typename Right>
LECTERN_HD void multiply_rows(float (&sums)[kRowTiles][kColumnTiles][4], const DownReader<Left>& a,
                              const RightReader<Right>& b) {
  LECTERN_UNROLLED
  for (int step = 0; step < kDepth / 16; ++step) {
    Words left[kRowTiles];
    LECTERN_UNROLLED
    for (int m = 0; m < kRowTiles; ++m) left[m] = a.read(m * 16, step);
    LECTERN_UNROLLED
    for (int n = 0; n < kColumnTiles; n += 2) {
      const Words right = b.read(n * 8, step);
      LECTERN_UNROLLED
      for (int m = 0; m < kRowTiles; ++m) {
        multiply_add<T>(sums[m][n], left[m], right.at[0], right.at[1]);
        multiply_add<T>(sums[m][n + 1], left[m], right.at[2], right.at[3]);
      }
    }
  }
}

/// sums += a b, `a` in registers, `b` from 16 times first_step rows on.
template <typename T, int kRowTiles, int kSteps, int kColumnTiles, typename Right>
LECTERN_HD void multiply(float (&sums)[kRowTiles][kColumnTiles][4], const Words (&a)[kRowTiles][kSteps],
                         const DownReader<Right>& b, int first_step = 0) {
  LECTERN_UNROLLED
  for (int step = 0; step < kSteps; ++step) {
    LECTERN_UNROLLED
    for (int n = 0; n < kColumnTiles; n += 2) {
      const Words right = b.read_transposed((first_step + step) * 16, n / 2);
      LECTERN_UNROLLED
      for (int m = 0; m < kRowTiles; ++m) {
        multiply_add<T>(sums[m][n], a[m][step], right.at[0], right.at[1]);
        multiply_add<T>(sums[m][n + 1], a[m][step], right.at[2], right.at[3]);
      }
    }
  }
}

/// sums += a b, of kDepth columns of a; kTransposed: aᵀ b, of kDepth rows.
template <typename T, int kDepth, bool kTransposed = false, int kRowTiles, int kColumnTiles, typename Left,
          typename Right>
LECTERN_HD void multiply_tiles(float (&sums)[kRowTiles][kColumnTiles][4],
                               const TileReader<Left, !kTransposed>& a, const DownReader<Right>& b) {
  LECTERN_UNROLLED
  for (int step = 0; step < kDepth / 16; ++step) {
    Words left[kRowTiles][1];
    LECTERN_UNROLLED
    for (int m = 0; m < kRowTiles; ++m) {
      left[m][0] = kTransposed ? a.read_transposed(step * 16, m) : a.read(m * 16, step);
    }
    multiply<T>(sums, left, b, step);
  }
}

/// Sums, rounded, as a left operand.
template <typename T, int kRowTiles, int kColumnTiles>
LECTERN_HD void round_sums(Words (&rounded)[kRowTiles][kColumnTiles / 2],
                           const float (&sums)[kRowTiles][kColumnTiles][4]) {
  LECTERN_UNROLLED
  for (int m = 0; m < kRowTiles; ++m) {
    LECTERN_UNROLLED
    for (int n = 0; n < kColumnTiles; ++n) {
      LECTERN_UNROLLED
      for (int half = 0; half < 2; ++half) {
        rounded[m][n / 2].at[n % 2 * 2 + half] = pack<T>(sums[m][n][2 * half], sums[m][n][2 * half + 1]);
      }
    }
  }
}

template <int kRowTiles, int kColumnTiles>
LECTERN_HD void scale_sums(float (&sums)[kRowTiles][kColumnTiles][4], float scale) {
  LECTERN_UNROLLED
  for (int m = 0; m < kRowTiles; ++m) {
    LECTERN_UNROLLED
    for (int n = 0; n < kColumnTiles; ++n) {
      LECTERN_UNROLLED
      for (int i = 0; i < 4; ++i) sums[m][n][i] *= scale;
    }
  }
}

struct alignas(16) Floats {
  float at[4];
};

struct alignas(16) Chunk {
  std::uint32_t words[4];
};

/// Stores a warp's sums, rounded, to a tile's rows from `row` on.
template <typename Tile, int kRowTiles, int kSteps>
LECTERN_HD void store_rounded(const Words (&rounded)[kRowTiles][kSteps], const Tile& tile, int row,
                              int lane) {
  LECTERN_UNROLLED
  for (int m = 0; m < kRowTiles; ++m) {
    LECTERN_UNROLLED
    for (int n = 0; n < 2 * kSteps; ++n) {
      LECTERN_UNROLLED
      for (int half = 0; half < 2; ++half) {
        store_shared(
            tile.chunk(row + m * 16 + half * 8 + lane / 4, n) + static_cast<SharedAddress>(lane % 4 * 4),
            rounded[m][n / 2].at[n % 2 * 2 + half]);
      }
    }
  }
}

/// Writes a warp's sums, rounded, to a matrix's rows from `to` on, of which there are `rows`, past `tile`, of
/// which the warp alone uses the rows from `row` on.
template <typename T, typename Tile, int kRowTiles, int kColumnTiles>
LECTERN_HD void write_sums(const float (&sums)[kRowTiles][kColumnTiles][4], const Tile& tile, int row,
                           int lane, std::uint16_t* to, std::int64_t stride, int rows, int columns) {
  sync_warp();
  Words rounded[kRowTiles][kColumnTiles / 2];
  round_sums<T>(rounded, sums);
  store_rounded(rounded, tile, row, lane);
  sync_warp();
  LECTERN_ROLLED
  for (int i = lane; i < kRowTiles * 16 * Tile::kChunks; i += kWarpThreads) {
    const int at = i / Tile::kChunks, index = i % Tile::kChunks;
    if (at < rows && index * 8 < columns) {
      *reinterpret_cast<Chunk*>(to + at * stride + index * 8) =
          load_shared<Chunk>(tile.chunk(row + at, index));
    }
  }
}

}  // namespace lectern::kernels::cuda
