#include "kernels/cuda/attention_float32.h"
#include "kernels/cuda/attention_float32_tiles.h"

namespace lectern::kernels::cuda {
namespace {

/// Of a block of queries of one matrix: scale Σ weight (grad valueᵀ - grad_sum) key, over blocks of keys. A
/// block of values is copied while the keys before are used, and the other way.
template <int kHead, int kRowsOfThread, bool kMasked>
struct Float32QueryGradientKernel {
  using Thread = FloatThread<kRowsOfThread>;
  static constexpr int kThreads = Thread::kThreads, kBlocksPerMultiprocessor = kRowsOfThread == 4 ? 2 : 3;
  static constexpr int kRows = Thread::kRows, kKeys = kHead == 128 ? 32 : 64;
  using QueryTile = SharedTile<kRows, kHead, float>;
  using KeyTile = SharedTile<kKeys, kHead, float>;
  using ScoreTile = SharedTile<kRows, kKeys, float>;
  static constexpr int kShared = 2 * QueryTile::kBytes + 2 * KeyTile::kBytes + ScoreTile::kBytes;

  AttentionBackward attention;
  AttentionMatrices gradient;

  /// What the backward pass keeps of a thread's queries.
  struct Queries {
    float log_sum_exp[kRowsOfThread];
    float grad_sum[kRowsOfThread];

    LECTERN_HD Queries(const AttentionBackward& attention, std::int64_t first, int rows, Thread thread) {
      LECTERN_UNROLLED
      for (int m = 0; m < kRowsOfThread; ++m) {
        const int row = thread.row() + m * 4;
        log_sum_exp[m] = row < rows ? attention.log_sum_exp[first + row] : 0;
        grad_sum[m] = row < rows ? attention.grad_sums[first + row] : 0;
      }
    }

    /// Makes scores the gradients of the scores, from those of the weights.
    template <int kColumns>
    LECTERN_HD void differentiate(float (&scores)[kRowsOfThread][kColumns],
                                  const float (&grads)[kRowsOfThread][kColumns], float factor) const {
      LECTERN_UNROLLED
      for (int m = 0; m < kRowsOfThread; ++m) {
        LECTERN_UNROLLED
        for (int n = 0; n < kColumns; ++n) {
          const float weight = exp2_fast(math::fma(scores[m][n], factor, -log_sum_exp[m]));
          scores[m][n] = weight * (grads[m][n] - grad_sum[m]);
        }
      }
    }
  };

  template <typename Block>
  LECTERN_HD void operator()(const Block& block, std::int64_t index) const {
    const AttentionProblem& problem = attention.problem;
    const AttentionMatrices& grad = attention.grad;
    const BatchBlock own = balanced_block<kRows>(
        problem.batch, blocks_of(static_cast<int>(problem.queries), kRows), static_cast<int>(index), true);
    const ScoreMask<float, kMasked> mask(problem, own.position);
    const int key_blocks = blocks_of(mask.end_of_keys(own.first_row + kRows - 1), kKeys);
    const int rows = mask.queries() - own.first_row, head = static_cast<int>(problem.head);
    const Thread thread{block.rank()};
    const QueryTile query_tile{block.shared()}, grad_tile{query_tile.base + QueryTile::kBytes};
    const KeyTile key_tile{grad_tile.base + QueryTile::kBytes}, value_tile{key_tile.base + KeyTile::kBytes};
    const ScoreTile score_tile{value_tile.base + KeyTile::kBytes};

    const auto *key = own.position.in<float>(problem.key), *value = own.position.in<float>(problem.value);
    const auto copy_keys = [&](const KeyTile& tile, int i, const float* from, std::int64_t stride) {
      tile.copy_from(thread.of_block(), from + i * kKeys * stride, stride, mask.keys() - i * kKeys, head);
      commit_copies();
    };
    query_tile.copy_from(thread.of_block(), own.rows<float>(problem.query), problem.query.row, rows, head);
    grad_tile.copy_from(thread.of_block(), own.rows<float>(grad), grad.row, rows, head);
    copy_keys(value_tile, 0, value, problem.value.row);

    const Queries queries(
        attention, batch_index(problem.batch, own.position) * problem.queries + own.first_row, rows, thread);
    float sums[kRowsOfThread][kHead / 32][4] = {};
    LECTERN_ROLLED
    for (int i = 0; i < key_blocks; ++i) {
      wait_for_copies<0>();
      block.sync();  // everybody's copies are there, and the keys before are no longer used
      copy_keys(key_tile, i, key, problem.key.row);
      float scores[kRowsOfThread][kKeys / 8] = {}, grads[kRowsOfThread][kKeys / 8] = {};
      add_scores(grads, grad_tile, value_tile, thread);
      wait_for_copies<0>();
      block.sync();  // everybody's copies are there, and the values no longer used
      if (i + 1 < key_blocks) copy_keys(value_tile, i + 1, value, problem.value.row);
      add_scores(scores, query_tile, key_tile, thread);
      mask_scores(mask, scores, own.first_row, i * kKeys, thread);
      queries.differentiate(scores, grads, mask.factor());
      store_scores(scores, score_tile, thread);
      sync_warp();
      add_results(sums, score_tile, key_tile, thread);
    }

    float scales[kRowsOfThread];
    for (float& scale : scales) scale = static_cast<float>(problem.scale);
    write_results(sums, scales, thread, own.rows<float>(gradient), gradient.row, rows, head);
  }
};

}  // namespace

void float32_query_gradient(const AttentionBackward& attention, const AttentionMatrices& gradient) {
  const AttentionProblem& problem = attention.problem;
  dispatch_float32(
      problem, problem.batch, problem.queries, [&]<int kHead, int kRowsOfThread, bool kMasked>() {
        using Kernel = Float32QueryGradientKernel<kHead, kRowsOfThread, kMasked>;
        launch_tiles(batches_of(problem.batch) * blocks_of(static_cast<int>(problem.queries), Kernel::kRows),
                     Kernel::kShared, Kernel{attention, gradient});
      });
}

}  // namespace lectern::kernels::cuda
