#pragma once

#include <cstdint>

#include "kernels/cuda/attention_scores.h"
#include "kernels/cuda/attention_tiles.h"

// Products of tiles of float32 by the threads of a block, and which block does what. Each warp has rows of
// its own, and in them each thread kRows, four apart, which it shares with seven others: 8 lanes that read
// the same column of 8 rows of a tile, 16 bytes each, or the same 128 bytes of one row, find them in
// different banks, and what they share is read once for all. A thread's sums are
//
//   scores   float[kRows][columns / 8]      of every eighth column
//   results  float[kRows][columns / 32][4]  of four columns in 32

namespace lectern::kernels::cuda {

template <int kRowsOfThread>
struct FloatThread {
  static constexpr int kThreads = 128;
  static constexpr int kRows = kThreads / 8 * kRowsOfThread;  ///< of a block

  int rank;

  /// Its first row; the others follow, four apart.
  LECTERN_HD int row() const { return rank / kWarpThreads * 4 * kRowsOfThread + rank % kWarpThreads / 8; }
  /// Of scores, of which it has every eighth from there on; of results the first of four.
  LECTERN_HD int score_column() const { return rank % 8; }
  LECTERN_HD int result_column() const { return rank % 8 * 4; }
  LECTERN_HD ThreadOf<kThreads> of_block() const { return {rank}; }
};

/// What all that share a row have together.
template <typename Merge>
LECTERN_HD float merge_in_row(float value, const Merge& merge) {
  LECTERN_UNROLLED
  for (int mask = 1; mask < 8; mask *= 2) value = merge(value, exchange(value, mask));
  return value;
}

/// Four elements of each of a thread's rows of a tile: of the first row those from there on.
template <typename Tile, int kRows>
LECTERN_HD void load_rows(Floats (&rows)[kRows], SharedAddress from) {
  LECTERN_UNROLLED
  for (int m = 0; m < kRows; ++m) {
    rows[m] = load_shared<Floats>(from + static_cast<SharedAddress>(m * 4 * Tile::kRowBytes));
  }
}

/// scores += a bᵀ, of rows as long as those of both tiles.
template <int kRows, int kColumns, typename Left, typename Right>
LECTERN_HD void add_scores(float (&scores)[kRows][kColumns], const Left& a, const Right& b,
                           FloatThread<kRows> thread) {
  constexpr int kAtOnce = 4;  // longer loops would not fit the cache of instructions
  static_assert(Left::kChunks == Right::kChunks && Left::kChunks % kAtOnce == 0);
  LECTERN_ROLLED
  for (int first = 0; first < Left::kChunks; first += kAtOnce) {
    const SharedAddress left = a.chunk(thread.row(), first), right = b.chunk(thread.score_column(), first);
    LECTERN_UNROLLED
    for (int chunk = 0; chunk < kAtOnce; ++chunk) {
      Floats rows[kRows];
      load_rows<Left>(rows, left + static_cast<SharedAddress>(chunk * 16));
      LECTERN_UNROLLED
      for (int n = 0; n < kColumns; ++n) {
        const auto column =
            load_shared<Floats>(right + static_cast<SharedAddress>(n * 8 * Right::kRowBytes + chunk * 16));
        LECTERN_UNROLLED
        for (int i = 0; i < 4; ++i) {
          LECTERN_UNROLLED
          for (int m = 0; m < kRows; ++m) {
            scores[m][n] = math::fma(rows[m].at[i], column.at[i], scores[m][n]);
          }
        }
      }
    }
  }
}

/// results += a b.
template <int kRows, int kColumns, typename Left, typename Right>
LECTERN_HD void add_results(float (&results)[kRows][kColumns][4], const Left& a, const Right& b,
                            FloatThread<kRows> thread) {
  constexpr int kAtOnce = kColumns > 2 ? 2 : 4;
  static_assert(Right::kChunks == kColumns * 8 && Left::kChunks % kAtOnce == 0);
  LECTERN_ROLLED
  for (int first = 0; first < Left::kChunks; first += kAtOnce) {
    const SharedAddress left = a.chunk(thread.row(), first);
    const SharedAddress right = b.chunk(first * 4, thread.result_column() / 4);
    LECTERN_UNROLLED
    for (int chunk = 0; chunk < kAtOnce; ++chunk) {
      Floats rows[kRows];
      load_rows<Left>(rows, left + static_cast<SharedAddress>(chunk * 16));
      LECTERN_UNROLLED
      for (int i = 0; i < 4; ++i) {
        LECTERN_UNROLLED
        for (int n = 0; n < kColumns; ++n) {
          const auto columns = load_shared<Floats>(
              right + static_cast<SharedAddress>((chunk * 4 + i) * Right::kRowBytes + n * 128));
          LECTERN_UNROLLED
          for (int m = 0; m < kRows; ++m) {
            LECTERN_UNROLLED
            for (int k = 0; k < 4; ++k) {
              results[m][n][k] = math::fma(rows[m].at[i], columns.at[k], results[m][n][k]);
            }
          }
        }
      }
    }
  }
}

/// Puts scores where add_results() finds them, after sync_warp(): rows are of one warp.
template <int kRows, int kColumns, typename Tile>
LECTERN_HD void store_scores(const float (&scores)[kRows][kColumns], const Tile& tile,
                             FloatThread<kRows> thread) {
  const SharedAddress to =
      tile.chunk(thread.row(), 0) + static_cast<SharedAddress>(thread.score_column() * 4);
  LECTERN_UNROLLED
  for (int m = 0; m < kRows; ++m) {
    LECTERN_UNROLLED
    for (int n = 0; n < kColumns; ++n) {
      store_shared(to + static_cast<SharedAddress>(m * 4 * Tile::kRowBytes + n * 32), scores[m][n]);
    }
  }
}

/// Writes factors[row] results to a matrix's rows from `to` on, of which there are `rows`.
template <int kRows, int kColumns>
LECTERN_HD void write_results(const float (&results)[kRows][kColumns][4], const float (&factors)[kRows],
                              FloatThread<kRows> thread, float* to, std::int64_t stride, int rows,
                              int columns) {
  LECTERN_UNROLLED
  for (int m = 0; m < kRows; ++m) {
    const int row = thread.row() + m * 4;
    LECTERN_UNROLLED
    for (int n = 0; n < kColumns; ++n) {
      const int column = thread.result_column() + n * 32;
      if (row >= rows || column >= columns) continue;
      Floats written;
      LECTERN_UNROLLED
      for (int k = 0; k < 4; ++k) written.at[k] = results[m][n][k] * factors[m];
      *reinterpret_cast<Floats*>(to + row * stride + column) = written;
    }
  }
}

/// mask.masked() for scores of queries (rows) and keys (columns) from these on; kTransposed: the other way.
template <bool kTransposed = false, bool kMasked, int kRows, int kColumns>
LECTERN_HD void mask_scores(const ScoreMask<float, kMasked>& mask, float (&scores)[kRows][kColumns],
                            int query, int key, FloatThread<kRows> thread) {
  if (kTransposed) {
    key += thread.row();
  } else {
    query += thread.row();
  }
  constexpr int kLastKey = kTransposed ? (kRows - 1) * 4 : kColumns * 8 - 1;
  if (!mask.needs_masking(query, key + kLastKey)) return;
  LECTERN_UNROLLED
  for (int m = 0; m < kRows; ++m) {
    LECTERN_UNROLLED
    for (int n = 0; n < kColumns; ++n) {
      const int row = m * 4, column = thread.score_column() + n * 8;
      scores[m][n] =
          mask.masked(scores[m][n], query + (kTransposed ? column : row), key + (kTransposed ? row : column));
    }
  }
}

/// A block of rows by its index among those of all matrices, of which each has `blocks`. Eight matrices go
/// side by side, and of each first the blocks that have most to do, longest first, then the others, shortest
/// first: so the blocks that run on a processor at a time, each one of many before the next, have as much to
/// do as on any other.
template <int kRows>
LECTERN_HD BatchBlock balanced_block(const BatchSizes& sizes, int blocks, int index, bool last_is_longest) {
  constexpr int kSide = 8;
  const int group = index / (kSide * blocks), rest = index - group * kSide * blocks;
  const int left = static_cast<int>(batches_of(sizes)) - group * kSide, side = left < kSide ? left : kSide;
  const int turn = rest / side, longer = (blocks + 1) / 2;
  const int rank = turn < longer ? turn : blocks - 1 - (turn - longer);
  return {batch_position(sizes, group * kSide + rest % side),
          (last_is_longest ? blocks - 1 - rank : rank) * kRows};
}

/// visit.operator()<kHead, kRowsOfThread, kMasked>() with what the kernels are compiled for, of matrices of
/// `rows` that blocks have some of. Fewer rows for a thread are more blocks, but more is read for each
/// product.
template <typename Visit>
void dispatch_float32(const AttentionProblem& problem, const BatchSizes& matrices, std::int64_t rows,
                      const Visit& visit) {
  constexpr std::int64_t kManyBlocks = 512;
  const auto with_sizes = [&]<int kHead, int kRowsOfThread>() {
    if (problem.mask.data != nullptr) {
      visit.template operator()<kHead, kRowsOfThread, true>();
    } else {
      visit.template operator()<kHead, kRowsOfThread, false>();
    }
  };
  if (problem.head > 64) {
    with_sizes.template operator()<128, 2>();
  } else if (batches_of(matrices) * blocks_of(static_cast<int>(rows), FloatThread<4>::kRows) < kManyBlocks) {
    with_sizes.template operator()<64, 2>();
  } else {
    with_sizes.template operator()<64, 4>();
  }
}

}  // namespace lectern::kernels::cuda
