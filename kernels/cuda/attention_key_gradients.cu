#include "kernels/cuda/attention_backward.h"
#include "kernels/cuda/attention_scores.h"
#include "kernels/cuda/attention_tiles.h"

namespace lectern::kernels::cuda {
namespace {

/// Of a block of keys of one matrix: the gradients of key, scale Σ weight (value gradᵀ - grad_sum) query, and
/// of value, Σ weight grad, over blocks of the queries that see them, of all matrices that share them. Scores
/// are transposed here, a row for each key, so that weights as they come are left operands.
template <typename T, int kHead, bool kMasked>
struct KeyGradientsKernel {
  static constexpr int kRowTiles = kHead == 128 ? 1 : 2, kWarpRows = 16 * kRowTiles;
  static constexpr int kKeys = 128, kQueries = kHead == 128 ? 64 : 32;
  static constexpr int kThreads = kKeys / kWarpRows * kWarpThreads, kBlocksPerMultiprocessor = kRowTiles;
  using KeyTile = SharedTile<kKeys, kHead>;
  using QueryTile = SharedTile<kQueries, kHead>;
  static constexpr int kStatisticsBytes = kQueries * static_cast<int>(sizeof(float));
  static constexpr int kStageBytes = 2 * QueryTile::kBytes + 1024;
  static constexpr int kShared = 2 * KeyTile::kBytes + 2 * kStageBytes;
  static_assert(2 * kStatisticsBytes <= 1024);

  AttentionBackward attention;
  BatchGroups groups;
  AttentionMatrices key_gradient, value_gradient;

  /// Queries and gradients, two blocks of each with the statistics of their queries: one is copied while the
  /// other is used.
  struct Tiles {
    KeyTile key, value;
    SharedAddress queries;

    LECTERN_HD explicit Tiles(SharedAddress base)
        : key{base}, value{base + KeyTile::kBytes}, queries(base + 2 * KeyTile::kBytes) {}
    LECTERN_HD QueryTile query(int block) const {
      return {queries + static_cast<SharedAddress>(block * kStageBytes)};
    }
    LECTERN_HD QueryTile grad(int block) const { return {query(block).base + QueryTile::kBytes}; }
    LECTERN_HD SharedAddress log_sum_exp(int block) const { return grad(block).base + QueryTile::kBytes; }
    LECTERN_HD SharedAddress grad_sums(int block) const { return log_sum_exp(block) + kStatisticsBytes; }
  };

  /// The blocks of queries in turn, of one matrix after the other.
  struct Turn {
    int block;
    int matrix;
    const std::uint16_t *query, *grad;  ///< of the matrix
    std::int64_t first_query;           ///< of the batch: where its statistics begin
  };

  LECTERN_HD void begin(Turn& turn, int index, int first_block, int matrix) const {
    const AttentionProblem& problem = attention.problem;
    const BatchPosition position = own_block(index).position + batch_position(groups.shared, matrix);
    turn = {first_block, matrix, position.in(problem.query), position.in(attention.grad),
            batch_index(problem.batch, position) * problem.queries};
  }

  template <typename Block>
  LECTERN_HD void copy_queries(const Block& block, const Tiles& tiles, int stage, const Turn& turn) const {
    const AttentionProblem& problem = attention.problem;
    const AttentionMatrices& grad = attention.grad;
    const int first = turn.block * kQueries, rows = static_cast<int>(problem.queries) - first;
    const auto head = static_cast<int>(problem.head);
    const ThreadOf<kThreads> thread{opaque(block.rank(), turn.block)};
    tiles.query(stage).copy_from(thread, turn.query + first * problem.query.row, problem.query.row, rows,
                                 head);
    tiles.grad(stage).copy_from(thread, turn.grad + first * grad.row, grad.row, rows, head);
    const int row = block.rank() % kQueries;
    const std::int64_t at = turn.first_query + first + row;
    const auto to = static_cast<SharedAddress>(row * 4);
    if (block.rank() < kQueries) {
      copy_async<4>(tiles.log_sum_exp(stage) + to, attention.log_sum_exp + at, row < rows);
    } else if (block.rank() < 2 * kQueries) {
      copy_async<4>(tiles.grad_sums(stage) + to, attention.grad_sums + at, row < rows);
    }
    commit_copies();
  }

  struct alignas(8) Pair {
    float at[2];
  };

  /// Makes scores the weights, and the gradients of these those of the scores.
  template <int kColumnTiles>
  LECTERN_HD static void differentiate(float (&scores)[kRowTiles][kColumnTiles][4],
                                       float (&grads)[kRowTiles][kColumnTiles][4], float factor,
                                       SharedAddress log_sum_exp, SharedAddress grad_sums, int lane) {
    LECTERN_UNROLLED
    for (int n = 0; n < kColumnTiles; ++n) {
      const auto at = static_cast<SharedAddress>((n * 8 + lane % 4 * 2) * 4);
      const Pair logarithm = load_shared<Pair>(log_sum_exp + at), sum = load_shared<Pair>(grad_sums + at);
      LECTERN_UNROLLED
      for (int m = 0; m < kRowTiles; ++m) {
        LECTERN_UNROLLED
        for (int i = 0; i < 4; ++i) {
          scores[m][n][i] = exp2_fast(math::fma(scores[m][n][i], factor, -logarithm.at[i % 2]));
          grads[m][n][i] = scores[m][n][i] * (grads[m][n][i] - sum.at[i % 2]);
        }
      }
    }
  }

  /// Most queries see the first keys, which so go first.
  LECTERN_HD BatchBlock own_block(int index) const {
    const int blocks = blocks_of(static_cast<int>(attention.problem.keys), kKeys);
    return {batch_position(groups.kept, index / blocks), index % blocks * kKeys};
  }

  template <typename Block>
  LECTERN_HD void operator()(const Block& block, std::int64_t block_index) const {
    const AttentionProblem& problem = attention.problem;
    const auto index = static_cast<int>(block_index);
    const BatchBlock own = own_block(index);
    const int lane = block.rank() % kWarpThreads, row = block.rank() / kWarpThreads * kWarpRows;
    const int rows = static_cast<int>(problem.keys) - own.first_row, head = static_cast<int>(problem.head);
    const Tiles tiles(block.shared());
    tiles.key.copy_from(ThreadOf<kThreads>{block.rank()}, own.rows(problem.key), problem.key.row, rows, head);
    tiles.value.copy_from(ThreadOf<kThreads>{block.rank()}, own.rows(problem.value), problem.value.row, rows,
                          head);

    const int query_blocks = blocks_of(static_cast<int>(problem.queries), kQueries);
    const int first_block = problem.is_causal ? own.first_row / kQueries : 0;
    const int matrices = first_block < query_blocks ? static_cast<int>(batches_of(groups.shared)) : 0;
    Turn turn{};
    begin(turn, index, first_block, 0);
    if (matrices > 0) copy_queries(block, tiles, 0, turn);
    float key_sums[kRowTiles][kHead / 8][4] = {}, value_sums[kRowTiles][kHead / 8][4] = {};
    LECTERN_ROLLED
    for (int stage = 0; turn.matrix < matrices; stage ^= 1) {
      wait_for_copies<0>();
      block.sync();  // everybody's copies are there, and the block before is no longer used
      const int now = turn.block, matrix = turn.matrix;
      if (++turn.block == query_blocks) begin(turn, opaque(index, now), first_block, matrix + 1);
      if (turn.matrix < matrices) copy_queries(block, tiles, stage ^ 1, turn);
      add_queries(tiles, stage, now, matrix, index, row, opaque(lane, now), key_sums, value_sums);
    }

    wait_for_copies<0>();  // also those of keys that nobody sees
    block.sync();
    scale_sums(key_sums, static_cast<float>(problem.scale));
    write(key_sums, tiles.key, key_gradient, opaque(index, query_blocks), row, lane);
    write(value_sums, tiles.value, value_gradient, opaque(index, query_blocks), row, lane);
  }

  LECTERN_HD void write(const float (&sums)[kRowTiles][kHead / 8][4], const KeyTile& tile,
                        const AttentionMatrices& gradient, int index, int row, int lane) const {
    const BatchBlock own = own_block(index);
    write_sums<T>(sums, tile, row, lane, own.rows(gradient, row), gradient.row,
                  static_cast<int>(attention.problem.keys) - own.first_row - row,
                  static_cast<int>(attention.problem.head));
  }

  /// One block of queries.
  LECTERN_HD void add_queries(const Tiles& tiles, int stage, int query_block, int matrix, int index, int row,
                              int lane, float (&key_sums)[kRowTiles][kHead / 8][4],
                              float (&value_sums)[kRowTiles][kHead / 8][4]) const {
    const BatchBlock own = own_block(index);
    const ScoreMask<T, kMasked> mask(attention.problem, own.position + batch_position(groups.shared, matrix));
    float scores[kRowTiles][kQueries / 8][4] = {}, grads[kRowTiles][kQueries / 8][4] = {};
    multiply_rows<T, kHead>(scores, DownReader<KeyTile>(tiles.key, row, lane),
                            RightReader<QueryTile>(tiles.query(stage), 0, lane));
    mask_scores<true>(mask, scores, query_block * kQueries, own.first_row + row, lane);
    multiply_rows<T, kHead>(grads, DownReader<KeyTile>(tiles.value, row, lane),
                            RightReader<QueryTile>(tiles.grad(stage), 0, lane));
    differentiate(scores, grads, mask.factor(), tiles.log_sum_exp(stage), tiles.grad_sums(stage), lane);
    Words rounded[kRowTiles][kQueries / 16];
    round_sums<T>(rounded, scores);
    multiply<T>(value_sums, rounded, DownReader<QueryTile>(tiles.grad(stage), 0, lane));
    round_sums<T>(rounded, grads);
    multiply<T>(key_sums, rounded, DownReader<QueryTile>(tiles.query(stage), 0, lane));
  }
};

}  // namespace

void key_gradients(const AttentionBackward& attention, const AttentionMatrices& key,
                   const AttentionMatrices& value) {
  const BatchGroups groups = groups_of(attention.problem);
  dispatch_attention(attention.problem, [&]<typename T, int kHead, bool kMasked>() {
    using Kernel = KeyGradientsKernel<T, kHead, kMasked>;
    launch_tiles(batches_of(groups.kept) * blocks_of(static_cast<int>(attention.problem.keys), Kernel::kKeys),
                 Kernel::kShared, Kernel{attention, groups, key, value});
  });
}

}  // namespace lectern::kernels::cuda
