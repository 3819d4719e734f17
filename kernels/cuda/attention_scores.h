#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "base/host_device.h"
#include "base/small_float.h"
#include "kernels/attention.h"
#include "kernels/math.h"
#include "kernels/vectorize.h"

// What the kernels of attention know of a problem: where the matrices of a position in the batch are, and
// which keys a query sees.

namespace lectern::kernels::cuda {

inline constexpr float kLog2E = 1.44269504088896340736F, kLn2 = 0.693147180559945309417F;
inline constexpr float kMaskedScore = -__builtin_inff();

/// The largest exponent; 0 when no key was seen, so that its weights are 0, not NaN.
LECTERN_HD float anchor(float largest, float factor) {
  return largest == kMaskedScore ? 0.0F : largest * factor;
}

constexpr int blocks_of(int items, int of_block) {
  return (items + of_block - 1) / of_block;
}

struct BatchPosition {
  std::int32_t at[kAttentionBatchRank];

  /// Where its matrix begins.
  LECTERN_HD std::int64_t offset(const AttentionMatrices& matrices) const {
    std::int64_t sum = 0;
    LECTERN_UNROLLED
    for (std::size_t d = 0; d < kAttentionBatchRank; ++d) sum += at[d] * matrices.batch[d];
    return sum;
  }
  template <typename T = std::uint16_t>
  LECTERN_HD T* in(const AttentionMatrices& matrices) const {
    return static_cast<T*>(matrices.data) + offset(matrices);
  }

  LECTERN_HD BatchPosition operator+(const BatchPosition& other) const {
    BatchPosition sum{};
    LECTERN_UNROLLED
    for (std::size_t d = 0; d < kAttentionBatchRank; ++d) sum.at[d] = at[d] + other.at[d];
    return sum;
  }
};

using BatchSizes = std::array<std::int64_t, kAttentionBatchRank>;

LECTERN_HD std::int64_t batches_of(const BatchSizes& sizes) {
  std::int64_t count = 1;
  LECTERN_UNROLLED
  for (std::size_t d = 0; d < kAttentionBatchRank; ++d) count *= sizes[d];
  return count;
}

/// Of an index among these sizes, the last dimension fastest.
LECTERN_HD BatchPosition batch_position(const BatchSizes& sizes, int index) {
  BatchPosition position{};
  auto rest = static_cast<std::uint32_t>(index);
  LECTERN_UNROLLED
  for (int d = kAttentionBatchRank - 1; d >= 0; --d) {
    const auto at = static_cast<std::size_t>(d);
    const auto size = static_cast<std::uint32_t>(sizes[at]);
    position.at[at] = static_cast<std::int32_t>(rest % size);
    rest /= size;
  }
  return position;
}

/// A block of rows of one matrix of the batch.
struct BatchBlock {
  BatchPosition position;
  int first_row;

  /// The rows of `matrices` from that one on.
  template <typename T = std::uint16_t>
  LECTERN_HD T* rows(const AttentionMatrices& matrices, int row = 0) const {
    return position.in<T>(matrices) + (first_row + row) * matrices.row;
  }
};

/// The order in which blocks of rows go. Of causal attention those that have most to do go first, of all
/// matrices that share the L2 cache, so that the last to end are short. (FlashAttention-3's scheduler goes by
/// the longest processing time, too.)
struct BlockOrder {
  int matrices, blocks;  ///< of each matrix, from the one that has most to do on
  int together;          ///< matrices whose blocks take turns

  std::int64_t count() const { return static_cast<std::int64_t>(matrices) * blocks; }

  /// The block at a place in this order, its index among those of all matrices, one matrix after the other.
  LECTERN_HD int block(std::int64_t place) const {
    const int index = static_cast<int>(place), first = index / (together * blocks) * together;
    const int left = matrices - first, side = left < together ? left : together;
    const int within = index - first * blocks;
    return (first + within % side) * blocks + within / side;
  }
};

/// Of blocks of block_rows of the rows, queries or keys, of a batch's matrices.
inline BlockOrder block_order(const AttentionProblem& problem, const BatchSizes& batch, std::int64_t rows,
                              int block_rows) {
  constexpr std::int64_t kCacheBytes = 32 << 20, kLeastTogether = 16;
  const std::int64_t read_bytes =
      2 * std::max(problem.queries, problem.keys) * problem.head * element_size(problem.dtype);
  const std::int64_t in_cache = std::max(kCacheBytes / read_bytes, kLeastTogether);
  const std::int64_t matrices = batches_of(batch);
  const std::int64_t together = problem.is_causal ? std::min(in_cache, matrices) : 1;
  return {static_cast<int>(matrices), blocks_of(static_cast<int>(rows), block_rows),
          static_cast<int>(together)};
}

/// Of an index among the blocks of kRows queries, from the last one on, which sees most keys.
template <int kRows>
LECTERN_HD BatchBlock query_block(const AttentionProblem& problem, int index) {
  const int blocks = blocks_of(static_cast<int>(problem.queries), kRows);
  return {batch_position(problem.batch, index / blocks), (blocks - 1 - index % blocks) * kRows};
}

/// The other way.
LECTERN_HD std::int64_t batch_index(const BatchSizes& sizes, const BatchPosition& position) {
  std::int64_t index = 0;
  LECTERN_UNROLLED
  for (std::size_t d = 0; d < kAttentionBatchRank; ++d) index = index * sizes[d] + position.at[d];
  return index;
}

/// Which scores of one matrix a query has: those of the keys that it sees. Scores become exponents of 2.
template <typename T, bool kMasked>
class ScoreMask {
 public:
  LECTERN_HD ScoreMask(const AttentionProblem& problem, const BatchPosition& position)
      : queries_(static_cast<std::int32_t>(problem.queries)),
        keys_(static_cast<std::int32_t>(problem.keys)),
        is_causal_(problem.is_causal),
        scale_(static_cast<float>(problem.scale) * kLog2E) {
    if constexpr (kMasked) {
      mask_ = static_cast<const char*>(problem.mask.data);
      is_added_ = problem.mask_is_added;
      const std::int64_t bytes = is_added_ ? static_cast<std::int64_t>(sizeof(T)) : 1;
      mask_ += position.offset(problem.mask) * bytes;
      row_ = problem.mask.row * bytes;
      column_ = problem.mask.column * bytes;
    }
  }

  LECTERN_HD int queries() const { return queries_; }
  LECTERN_HD int keys() const { return keys_; }
  LECTERN_HD bool is_causal() const { return is_causal_; }

  /// Keys from here on nobody sees of the queries up to `query`.
  LECTERN_HD int end_of_keys(int query) const { return is_causal_ && query + 1 < keys_ ? query + 1 : keys_; }

  /// Whether scores must be masked, of a block from that query to that key.
  LECTERN_HD bool needs_masking(int first_query, int last_key) const {
    return kMasked || last_key >= keys_ || (is_causal_ && last_key > first_query);
  }

  /// The score where the query sees the key, -inf elsewhere; with a mask, the exponent.
  LECTERN_HD float masked(float score, int query, int key) const {
    if (key >= end_of_keys(query)) return kMaskedScore;
    if constexpr (kMasked) {
      if (query >= queries_) return kMaskedScore;
      const char* const at = mask_ + query * row_ + key * column_;
      if (!is_added_) return *at != 0 ? score * scale_ : kMaskedScore;
      return math::fma(score, scale_, static_cast<float>(*reinterpret_cast<const T*>(at)) * kLog2E);
    }
    return score;
  }

  /// What masked() gives, times this, is the exponent.
  LECTERN_HD float factor() const { return kMasked ? 1.0F : scale_; }

 private:
  std::int32_t queries_, keys_;
  bool is_causal_, is_added_ = false;
  float scale_;
  const char* mask_ = nullptr;
  std::int64_t row_ = 0, column_ = 0;
};

/// Masks a warp's scores, of queries (rows) and keys (columns) from these on; kTransposed: the other way.
template <bool kTransposed = false, typename T, bool kMasked, int kRowTiles, int kColumnTiles>
LECTERN_HD void mask_scores(const ScoreMask<T, kMasked>& mask, float (&scores)[kRowTiles][kColumnTiles][4],
                            int query, int key, int lane) {
  constexpr int kKeys = kTransposed ? kRowTiles * 16 : kColumnTiles * 8;
  if (!mask.needs_masking(query, key + kKeys - 1)) return;
  LECTERN_UNROLLED
  for (int m = 0; m < kRowTiles; ++m) {
    LECTERN_UNROLLED
    for (int n = 0; n < kColumnTiles; ++n) {
      LECTERN_UNROLLED
      for (int i = 0; i < 4; ++i) {
        if constexpr (kTransposed) {
          scores[m][n][i] = mask.masked(scores[m][n][i], query + n * 8 + lane % 4 * 2 + i % 2,
                                        key + m * 16 + i / 2 * 8 + lane / 4);
        } else {
          scores[m][n][i] = mask.masked(scores[m][n][i], query + m * 16 + i / 2 * 8 + lane / 4,
                                        key + n * 8 + lane % 4 * 2 + i % 2);
        }
      }
    }
  }
}

/// visit.operator()<T, kHead>() with what the kernels of a problem of 16-bit floats without a mask are
/// compiled for.
template <typename Visit>
void dispatch_unmasked_attention(const AttentionProblem& problem, const Visit& visit) {
  const auto with_type = [&]<typename T>(T) {
    if (problem.head <= 64) {
      visit.template operator()<T, 64>();
    } else {
      visit.template operator()<T, 128>();
    }
  };
  if (problem.dtype == bfloat16) {
    with_type(BFloat16{});
  } else {
    with_type(Half{});
  }
}

/// visit.operator()<T, kHead, kMasked>(), with a mask or without.
template <typename Visit>
void dispatch_attention(const AttentionProblem& problem, const Visit& visit) {
  dispatch_unmasked_attention(problem, [&]<typename T, int kHead>() {
    if (problem.mask.data != nullptr) {
      visit.template operator()<T, kHead, true>();
    } else {
      visit.template operator()<T, kHead, false>();
    }
  });
}

}  // namespace lectern::kernels::cuda
