#include "kernels/cuda/attention_float32.h"
#include "kernels/cuda/attention_float32_tiles.h"
#include "kernels/cuda/attention_query_stages.h"

namespace lectern::kernels::cuda {
namespace {

/// Of a block of keys of one matrix: the gradients of key, scale Σ weight (value gradᵀ - grad_sum) query, and
/// of value, Σ weight grad, over blocks of the queries that see them, of all matrices that share them. Scores
/// are transposed here, a row for each key.
template <int kHead, int kRowsOfThread, bool kMasked>
struct Float32KeyGradientsKernel {
  using Thread = FloatThread<kRowsOfThread>;
  static constexpr bool kIsLarge = kHead == 128 || kRowsOfThread == 4;
  static constexpr int kThreads = Thread::kThreads, kBlocksPerMultiprocessor = kIsLarge ? 2 : 3;
  static constexpr int kKeys = Thread::kRows, kQueries = 32;
  using KeyTile = SharedTile<kKeys, kHead, float>;
  using QueryTile = SharedTile<kQueries, kHead, float>;
  using ScoreTile = SharedTile<kKeys, kQueries, float>;
  using Stages = QueryStages<QueryTile, kQueries, float>;
  static constexpr int kShared = 2 * KeyTile::kBytes + 2 * ScoreTile::kBytes + Stages::kBytes;

  AttentionBackward attention;
  BatchGroups groups;
  AttentionMatrices key_gradient, value_gradient;

  struct Tiles {
    KeyTile key, value;
    ScoreTile weights, score_grads;
    Stages stages;

    LECTERN_HD explicit Tiles(SharedAddress base)
        : key{base},
          value{base + KeyTile::kBytes},
          weights{base + 2 * KeyTile::kBytes},
          score_grads{weights.base + ScoreTile::kBytes},
          stages{score_grads.base + ScoreTile::kBytes} {}
  };

  /// The blocks of queries in turn, of one matrix after the other.
  struct Turn {
    int block;
    int matrix;
    const float *query, *grad;  ///< of the matrix
    std::int64_t first_query;   ///< of the batch: where its statistics begin
  };

  LECTERN_HD Turn first_turn(const BatchPosition& own, int first_block, int matrix) const {
    const AttentionProblem& problem = attention.problem;
    const BatchPosition position = own + batch_position(groups.shared, matrix);
    return {first_block, matrix, position.in<float>(problem.query), position.in<float>(attention.grad),
            batch_index(problem.batch, position) * problem.queries};
  }

  LECTERN_HD void copy_queries(Thread thread, const Tiles& tiles, int stage, const Turn& turn) const {
    tiles.stages.copy(thread.of_block(), stage, attention, turn.block, turn.query, turn.grad,
                      turn.first_query);
  }

  /// Makes scores the weights, and the gradients of these those of the scores.
  template <int kColumns>
  LECTERN_HD static void differentiate(float (&scores)[kRowsOfThread][kColumns],
                                       float (&grads)[kRowsOfThread][kColumns], float factor,
                                       SharedAddress log_sum_exp, SharedAddress grad_sums, Thread thread) {
    LECTERN_UNROLLED
    for (int n = 0; n < kColumns; ++n) {
      const auto at = static_cast<SharedAddress>((thread.score_column() + n * 8) * 4);
      const auto logarithm = load_shared<float>(log_sum_exp + at), sum = load_shared<float>(grad_sums + at);
      LECTERN_UNROLLED
      for (int m = 0; m < kRowsOfThread; ++m) {
        scores[m][n] = exp2_fast(math::fma(scores[m][n], factor, -logarithm));
        grads[m][n] = scores[m][n] * (grads[m][n] - sum);
      }
    }
  }

  template <typename Block>
  LECTERN_HD void operator()(const Block& block, std::int64_t index) const {
    const AttentionProblem& problem = attention.problem;
    const BatchBlock own = balanced_block<kKeys>(
        groups.kept, blocks_of(static_cast<int>(problem.keys), kKeys), static_cast<int>(index), false);
    const int rows = static_cast<int>(problem.keys) - own.first_row, head = static_cast<int>(problem.head);
    const Thread thread{block.rank()};
    const Tiles tiles(block.shared());
    tiles.key.copy_from(thread.of_block(), own.rows<float>(problem.key), problem.key.row, rows, head);
    tiles.value.copy_from(thread.of_block(), own.rows<float>(problem.value), problem.value.row, rows, head);
    commit_copies();  // not with the first queries: there may be none

    const int query_blocks = blocks_of(static_cast<int>(problem.queries), kQueries);
    const int first_block = problem.is_causal ? own.first_row / kQueries : 0;
    const int matrices = first_block < query_blocks ? static_cast<int>(batches_of(groups.shared)) : 0;
    Turn turn = first_turn(own.position, first_block, 0);
    if (matrices > 0) copy_queries(thread, tiles, 0, turn);
    float key_sums[kRowsOfThread][kHead / 32][4] = {}, value_sums[kRowsOfThread][kHead / 32][4] = {};
    LECTERN_ROLLED
    for (int stage = 0; turn.matrix < matrices; stage ^= 1) {
      wait_for_copies<0>();
      block.sync();  // everybody's copies are there, and the block before is no longer used
      const int now = turn.block, matrix = turn.matrix;
      if (++turn.block == query_blocks) turn = first_turn(own.position, first_block, matrix + 1);
      if (turn.matrix < matrices) copy_queries(thread, tiles, stage ^ 1, turn);
      const ScoreMask<float, kMasked> mask(problem, own.position + batch_position(groups.shared, matrix));
      make_scores(thread, tiles, stage, mask, now * kQueries, own.first_row);
      sync_warp();
      add_results(value_sums, tiles.weights, tiles.stages.grad(stage), thread);
      add_results(key_sums, tiles.score_grads, tiles.stages.query(stage), thread);
    }

    wait_for_copies<0>();  // also those of keys that nobody sees
    const auto write = [&](const auto& sums, float scale, const AttentionMatrices& gradient) {
      float scales[kRowsOfThread];
      for (float& each : scales) each = scale;
      write_results(sums, scales, thread, own.rows<float>(gradient), gradient.row, rows, head);
    };
    write(key_sums, static_cast<float>(problem.scale), key_gradient);
    write(value_sums, 1.0F, value_gradient);
  }

  /// The weights of a block of queries and the gradients of their scores.
  LECTERN_HD void make_scores(Thread thread, const Tiles& tiles, int stage,
                              const ScoreMask<float, kMasked>& mask, int query, int key) const {
    float scores[kRowsOfThread][kQueries / 8] = {}, grads[kRowsOfThread][kQueries / 8] = {};
    add_scores(scores, tiles.key, tiles.stages.query(stage), thread);
    mask_scores<true>(mask, scores, query, key, thread);
    add_scores(grads, tiles.value, tiles.stages.grad(stage), thread);
    differentiate(scores, grads, mask.factor(), tiles.stages.log_sum_exp(stage),
                  tiles.stages.grad_sums(stage), thread);
    store_scores(scores, tiles.weights, thread);
    store_scores(grads, tiles.score_grads, thread);
  }
};

}  // namespace

void float32_key_gradients(const AttentionBackward& attention, const AttentionMatrices& key,
                           const AttentionMatrices& value) {
  const BatchGroups groups = groups_of(attention.problem);
  dispatch_float32(attention.problem, groups.kept, attention.problem.keys,
                   [&]<int kHead, int kRowsOfThread, bool kMasked>() {
                     using Kernel = Float32KeyGradientsKernel<kHead, kRowsOfThread, kMasked>;
                     launch_tiles(batches_of(groups.kept) *
                                      blocks_of(static_cast<int>(attention.problem.keys), Kernel::kKeys),
                                  Kernel::kShared, Kernel{attention, groups, key, value});
                   });
}

}  // namespace lectern::kernels::cuda
