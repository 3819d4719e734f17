#include "kernels/cuda/attention_float32.h"
#include "kernels/cuda/attention_float32_tiles.h"
#include "kernels/cuda/attention_key_parts.h"

namespace lectern::kernels::cuda {
namespace {

/// The online softmax of a thread's queries: running maximum, sum and weighted values.
template <int kRows, int kHead>
struct Float32OnlineSoftmax {
  float maximum[kRows];  ///< of the scores
  float sum[kRows];      ///< of this thread's weights
  float out[kRows][kHead / 32][4] = {};

  LECTERN_HD Float32OnlineSoftmax() {
    LECTERN_UNROLLED
    for (int m = 0; m < kRows; ++m) {
      maximum[m] = kMaskedScore;
      sum[m] = 0;
    }
  }

  /// Makes scores the weights exp2(factor score - the largest so far), to which it scales what there was.
  template <int kColumns>
  LECTERN_HD void update(float (&scores)[kRows][kColumns], float factor) {
    LECTERN_UNROLLED
    for (int m = 0; m < kRows; ++m) {
      const float before = maximum[m];
      float largest = before;
      LECTERN_UNROLLED
      for (int n = 0; n < kColumns; ++n) largest = math::maximum(largest, scores[m][n]);
      largest = merge_in_row(largest, [](float a, float b) { return math::maximum(a, b); });
      maximum[m] = largest;
      const float base = anchor(largest, factor);
      const float shrunk = exp2_fast(math::fma(before, factor, -base));
      float added = 0;
      LECTERN_UNROLLED
      for (int n = 0; n < kColumns; ++n) {
        scores[m][n] = exp2_fast(math::fma(scores[m][n], factor, -base));
        added += scores[m][n];
      }
      sum[m] = math::fma(sum[m], shrunk, added);
      LECTERN_UNROLLED
      for (int n = 0; n < kHead / 32; ++n) {
        LECTERN_UNROLLED
        for (int k = 0; k < 4; ++k) out[m][n][k] *= shrunk;
      }
    }
  }

  /// What to multiply the results by; log_sum_exp[row] of the queries up to `rows`.
  LECTERN_HD void finish(float (&inverses)[kRows], float factor, float* log_sum_exp, int rows,
                         FloatThread<kRows> thread) const {
    LECTERN_UNROLLED
    for (int m = 0; m < kRows; ++m) {
      const float total = merge_in_row(sum[m], [](float a, float b) { return a + b; });
      inverses[m] = 1 / total;  // of no keys infinite, and 0 times it NaN
      const int row = thread.row() + m * 4;
      if (thread.score_column() == 0 && row < rows) {
        log_sum_exp[row] = kLn2 * (anchor(maximum[m], factor) + log2_fast(total));
      }
    }
  }
};

/// Of a block of queries of one matrix. A block of keys is copied while the values before are used, and the
/// other way.
template <int kHead, int kRowsOfThread, bool kMasked>
struct Float32ForwardKernel {
  using Thread = FloatThread<kRowsOfThread>;
  static constexpr int kThreads = Thread::kThreads,
                       kBlocksPerMultiprocessor =
                           kRowsOfThread == 2 ? 4 : (kMasked ? 2 : 3);  // what registers allow
  static constexpr int kRows = Thread::kRows, kKeys = kHead == 128 ? 32 : 64;
  using QueryTile = SharedTile<kRows, kHead, float>;
  using KeyTile = SharedTile<kKeys, kHead, float>;
  using WeightTile = SharedTile<kRows, kKeys, float>;
  static constexpr int kShared = QueryTile::kBytes + 2 * KeyTile::kBytes + WeightTile::kBytes;

  AttentionProblem problem;
  AttentionMatrices out;
  float* log_sum_exp;
  KeyParts parts;

  template <typename Block>
  LECTERN_HD void operator()(const Block& block, std::int64_t place) const {
    const auto index = static_cast<int>(place / parts.count), part = static_cast<int>(place % parts.count);
    const BatchBlock own = balanced_block<kRows>(
        problem.batch, blocks_of(static_cast<int>(problem.queries), kRows), index, true);
    const ScoreMask<float, kMasked> mask(problem, own.position);
    const auto [first_block, end_block] =
        parts.range(part, blocks_of(mask.end_of_keys(own.first_row + kRows - 1), kKeys));
    const int rows = mask.queries() - own.first_row, head = static_cast<int>(problem.head);
    const Thread thread{block.rank()};
    const QueryTile query_tile{block.shared()};
    const KeyTile key_tile{query_tile.base + QueryTile::kBytes}, value_tile{key_tile.base + KeyTile::kBytes};
    const WeightTile weight_tile{value_tile.base + KeyTile::kBytes};

    const auto *key = own.position.in<float>(problem.key), *value = own.position.in<float>(problem.value);
    const auto copy_keys = [&](const KeyTile& tile, int i, const float* from, std::int64_t stride) {
      tile.copy_from(thread.of_block(), from + i * kKeys * stride, stride, mask.keys() - i * kKeys, head);
      commit_copies();
    };
    if (first_block < end_block) {
      query_tile.copy_from(thread.of_block(), own.rows<float>(problem.query), problem.query.row, rows, head);
      copy_keys(key_tile, first_block, key, problem.key.row);
    }

    Float32OnlineSoftmax<kRowsOfThread, kHead> running;
    LECTERN_ROLLED
    for (int i = first_block; i < end_block; ++i) {
      wait_for_copies<0>();
      block.sync();  // everybody's copies are there, and the values before are no longer used
      copy_keys(value_tile, i, value, problem.value.row);
      float scores[kRowsOfThread][kKeys / 8] = {};
      add_scores(scores, query_tile, key_tile, thread);
      mask_scores(mask, scores, own.first_row, i * kKeys, thread);
      running.update(scores, mask.factor());
      store_scores(scores, weight_tile, thread);
      wait_for_copies<0>();
      block.sync();  // everybody's copies and weights are there, and the keys no longer used
      if (i + 1 < end_block) copy_keys(key_tile, i + 1, key, problem.key.row);
      add_results(running.out, weight_tile, value_tile, thread);
    }

    const std::int64_t first = batch_index(problem.batch, own.position) * problem.queries + own.first_row;
    const bool is_part = parts.count > 1;
    float inverses[kRowsOfThread];
    running.finish(inverses, mask.factor(), is_part ? parts.log_sum_exp_of(part, first) : log_sum_exp + first,
                   rows, thread);
    write_results(running.out, inverses, thread, is_part ? parts.out_of(part, first) : own.rows<float>(out),
                  is_part ? problem.head : out.row, rows, head);
  }
};

}  // namespace

void float32_attention(const AttentionProblem& problem, const AttentionMatrices& out, float* log_sum_exp) {
  dispatch_float32(
      problem, problem.batch, problem.queries, [&]<int kHead, int kRowsOfThread, bool kMasked>() {
        using Kernel = Float32ForwardKernel<kHead, kRowsOfThread, kMasked>;
        const std::int64_t blocks =
            batches_of(problem.batch) * blocks_of(static_cast<int>(problem.queries), Kernel::kRows);
        launch_key_parts<float, Kernel>(problem, out, log_sum_exp, blocks, [&](const KeyParts& parts) {
          launch_tiles(blocks * parts.count, Kernel::kShared, Kernel{problem, out, log_sum_exp, parts});
        });
      });
}

}  // namespace lectern::kernels::cuda
