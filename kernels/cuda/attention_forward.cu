#include "kernels/attention.h"
#include "kernels/cuda/attention_float32.h"
#include "kernels/cuda/attention_key_parts.h"
#include "kernels/cuda/attention_keys.h"
#include "kernels/cuda/attention_scores.h"
#include "kernels/cuda/attention_tiles.h"

namespace lectern::kernels::cuda {
namespace {

/// The online softmax of a warp's 32 queries: running maximum, sum and weighted values.
template <typename T, int kHead, int kRowTiles>
struct OnlineSoftmax {
  float maximum[kRowTiles][2];  ///< of the scores
  float sum[kRowTiles][2];      ///< of this lane's weights
  float out[kRowTiles][kHead / 8][4];

  LECTERN_HD OnlineSoftmax() {
    LECTERN_UNROLLED
    for (int m = 0; m < kRowTiles; ++m) {
      LECTERN_UNROLLED
      for (int half = 0; half < 2; ++half) {
        maximum[m][half] = kMaskedScore;
        sum[m][half] = 0;
      }
      LECTERN_UNROLLED
      for (int n = 0; n < kHead / 8; ++n) {
        LECTERN_UNROLLED
        for (int i = 0; i < 4; ++i) out[m][n][i] = 0;
      }
    }
  }

  /// Makes scores the weights exp2(factor score - the largest so far), to which it scales what there was.
  template <int kColumnTiles>
  LECTERN_HD void update(float (&scores)[kRowTiles][kColumnTiles][4], float factor) {
    LECTERN_UNROLLED
    for (int m = 0; m < kRowTiles; ++m) {
      LECTERN_UNROLLED
      for (int half = 0; half < 2; ++half) {
        const float before = maximum[m][half];
        float largest = before;
        LECTERN_UNROLLED
        for (int n = 0; n < kColumnTiles; ++n) {
          largest = math::maximum(largest, math::maximum(scores[m][n][2 * half], scores[m][n][2 * half + 1]));
        }
        largest = math::maximum(largest, exchange(largest, 1));
        largest = math::maximum(largest, exchange(largest, 2));
        maximum[m][half] = largest;
        const float base = anchor(largest, factor);
        const float shrunk = exp2_fast(math::fma(before, factor, -base));
        float added = 0;
        LECTERN_UNROLLED
        for (int n = 0; n < kColumnTiles; ++n) {
          LECTERN_UNROLLED
          for (int i = 2 * half; i < 2 * half + 2; ++i) {
            scores[m][n][i] = exp2_fast(math::fma(scores[m][n][i], factor, -base));
            added += scores[m][n][i];
          }
        }
        sum[m][half] = math::fma(sum[m][half], shrunk, added);
        LECTERN_UNROLLED
        for (int n = 0; n < kHead / 8; ++n) {
          out[m][n][2 * half] *= shrunk;
          out[m][n][2 * half + 1] *= shrunk;
        }
      }
    }
  }

  /// Divides by the sums of the weights; log_sum_exp[row] of the queries up to `rows`.
  LECTERN_HD void finish(float factor, float* log_sum_exp, int rows, int lane) {
    LECTERN_UNROLLED
    for (int m = 0; m < kRowTiles; ++m) {
      LECTERN_UNROLLED
      for (int half = 0; half < 2; ++half) {
        float total = sum[m][half];
        total += exchange(total, 1);
        total += exchange(total, 2);
        const float inverse = reciprocal_fast(total);  // of no keys infinite, and 0 times it NaN
        LECTERN_UNROLLED
        for (int n = 0; n < kHead / 8; ++n) {
          out[m][n][2 * half] *= inverse;
          out[m][n][2 * half + 1] *= inverse;
        }
        const int row = m * 16 + half * 8 + lane / 4;
        if (lane % 4 == 0 && row < rows) {
          log_sum_exp[row] = kLn2 * (anchor(maximum[m][half], factor) + log2_fast(total));
        }
      }
    }
  }
};

/// Of a block of queries of one matrix.
template <typename T, int kHead, bool kMasked>
struct ForwardKernel {
  static constexpr int kThreads = 128, kBlocksPerMultiprocessor = 2;
  static constexpr int kRowTiles = 2, kWarpRows = 16 * kRowTiles;
  static constexpr int kRows = kThreads / kWarpThreads * kWarpRows;
  static constexpr int kKeys = 64;
  using QueryTile = SharedTile<kRows, kHead>;
  using Keys = KeyTiles<kKeys, kHead>;
  static constexpr int kShared = QueryTile::kBytes + Keys::kBytes;

  AttentionProblem problem;
  BlockOrder order;
  AttentionMatrices out;
  float* log_sum_exp;
  KeyParts parts;

  struct Tiles {
    QueryTile query;
    Keys keys;

    LECTERN_HD explicit Tiles(SharedAddress base) : query{base}, keys{base + QueryTile::kBytes} {}
  };

  template <typename Block>
  LECTERN_HD void operator()(const Block& block, std::int64_t place) const {
    const int index = order.block(place / parts.count);
    const BatchBlock own = query_block<kRows>(problem, index);
    const ScoreMask<T, kMasked> mask(problem, own.position);
    const int part = static_cast<int>(place % parts.count);
    const auto [first_block, end_block] =
        parts.range(part, blocks_of(mask.end_of_keys(own.first_row + kRows - 1), kKeys));
    const auto head = static_cast<int>(problem.head);
    const Tiles tiles(block.shared());

    const std::uint16_t *key = own.position.in(problem.key), *value = own.position.in(problem.value);
    const auto copy_keys = [&](int i) {
      tiles.keys.copy(ThreadOf<kThreads>{opaque(block.rank(), i)}, i, problem, key, value,
                      mask.keys() - i * kKeys, head);
    };
    if (first_block < end_block) {
      tiles.query.copy_from(ThreadOf<kThreads>{block.rank()}, own.rows(problem.query), problem.query.row,
                            mask.queries() - own.first_row, head);
      copy_keys(first_block);
    }

    OnlineSoftmax<T, kHead, kRowTiles> running;
    LECTERN_ROLLED
    for (int i = first_block; i < end_block; ++i) {
      wait_for_copies<0>();
      block.sync();  // everybody's copies are there, and the block before is no longer used
      const int rank = opaque(block.rank(), i), lane = rank % kWarpThreads;
      const int row = rank / kWarpThreads * kWarpRows;
      float scores[kRowTiles][kKeys / 8][4] = {};
      multiply_rows<T, kHead>(scores, DownReader<QueryTile>(tiles.query, row, lane),
                              RightReader<typename Keys::Tile>(tiles.keys.key(i), 0, lane));
      mask_scores(mask, scores, own.first_row + row, i * kKeys, lane);
      running.update(scores, mask.factor());
      Words weights[kRowTiles][kKeys / 16];
      round_sums<T>(weights, scores);
      if (i + 1 < end_block) copy_keys(i + 1);  // not earlier: it takes registers that scores have
      multiply<T>(running.out, weights, DownReader<typename Keys::Tile>(tiles.keys.value(i), 0, lane));
    }

    write(running, tiles, opaque(index, end_block), part, opaque(block.rank(), end_block));
  }

  LECTERN_HD void write(OnlineSoftmax<T, kHead, kRowTiles>& running, const Tiles& tiles, int index, int part,
                        int rank) const {
    const int lane = rank % kWarpThreads, row = rank / kWarpThreads * kWarpRows;
    const BatchBlock own = query_block<kRows>(problem, index);
    const std::int64_t first =
        batch_index(problem.batch, own.position) * problem.queries + own.first_row + row;
    const int rows = static_cast<int>(problem.queries) - own.first_row - row;
    const float factor = ScoreMask<T, kMasked>(problem, own.position).factor();
    running.finish(factor, parts.count > 1 ? parts.log_sum_exp_of(part, first) : log_sum_exp + first, rows,
                   lane);
    if (parts.count > 1) return write_part(running.out, parts.out_of(part, first), rows, lane);
    write_sums<T>(running.out, tiles.query, row, lane, own.rows(out, row), out.row, rows,
                  static_cast<int>(problem.head));
  }

  LECTERN_HD void write_part(const float (&sums)[kRowTiles][kHead / 8][4], float* to, int rows,
                             int lane) const {
    LECTERN_UNROLLED
    for (int m = 0; m < kRowTiles; ++m) {
      LECTERN_UNROLLED
      for (int half = 0; half < 2; ++half) {
        const int row = m * 16 + half * 8 + lane / 4;
        if (row >= rows) continue;
        LECTERN_UNROLLED
        for (int n = 0; n < kHead / 8; ++n) {
          const int column = n * 8 + lane % 4 * 2;
          if (column >= problem.head) break;
          *reinterpret_cast<Pair*>(to + row * problem.head +
                                   column) = {{sums[m][n][2 * half], sums[m][n][2 * half + 1]}};
        }
      }
    }
  }

 private:
  struct alignas(8) Pair {
    float at[2];
  };
};

}  // namespace

void fused_attention(const AttentionProblem& problem, const AttentionMatrices& out, float* log_sum_exp) {
  if (problem.dtype == float32) return float32_attention(problem, out, log_sum_exp);
  dispatch_attention(problem, [&]<typename T, int kHead, bool kMasked>() {
    using Kernel = ForwardKernel<T, kHead, kMasked>;
    const BlockOrder order = block_order(problem, problem.batch, problem.queries, Kernel::kRows);
    launch_key_parts<T, Kernel>(problem, out, log_sum_exp, order.count(), [&](const KeyParts& parts) {
      launch_tiles(order.count() * parts.count, Kernel::kShared,
                   Kernel{problem, order, out, log_sum_exp, parts});
    });
  });
}

}  // namespace lectern::kernels::cuda
