#pragma once

#include <cstdint>

#include "kernels/cuda/attention_backward.h"
#include "kernels/cuda/attention_query_stages.h"
#include "kernels/cuda/attention_scores.h"
#include "kernels/cuda/attention_tiles.h"

namespace lectern::kernels::cuda {

/// What the kernels have in common whose blocks of kThreads each have a block of kKeys keys of one matrix,
/// and go over blocks of kQueries of the queries that see them, of all matrices that share them. The gradient
/// of key is scale Σ weight (value gradᵀ - grad_sum) query, of value Σ weight grad. Scores are transposed
/// here, a row for each key, so that weights as they come are left operands.
template <typename Shape>
struct KeyBlockKernel : Shape {
  using Shape::kKeys, Shape::kQueries, Shape::kThreads;
  using KeyTile = SharedTile<kKeys, Shape::kHead>;
  using QueryTile = SharedTile<kQueries, Shape::kHead>;
  using Stages = QueryStages<QueryTile, kQueries, std::uint16_t>;

  AttentionBackward attention;
  BatchGroups groups;
  BlockOrder order;
  AttentionMatrices key_gradient, value_gradient;

  struct Tiles {
    static constexpr int kBytes = 2 * KeyTile::kBytes + Stages::kBytes;

    KeyTile key, value;
    Stages stages;

    LECTERN_HD explicit Tiles(SharedAddress base)
        : key{base}, value{base + KeyTile::kBytes}, stages{base + 2 * KeyTile::kBytes} {}
  };

  /// The blocks of queries in turn, of one matrix after the other.
  struct Turn {
    int block;
    int matrix;                         ///< among those that share the keys
    int batch;                          ///< its index in the batch
    const std::uint16_t *query, *grad;  ///< of the matrix
  };

  /// Of an index among the blocks of keys, from the first one on, which most queries see.
  LECTERN_HD BatchBlock own_block(int index) const {
    const int blocks = blocks_of(static_cast<int>(attention.problem.keys), kKeys);
    return {batch_position(groups.kept, index / blocks), index % blocks * kKeys};
  }

  /// add(stage, turn) with the tiles of each block of queries; when this returns, no tile is used any more.
  template <typename Block, typename Add>
  LECTERN_HD void for_queries(const Block& block, int index, const Tiles& tiles, const Add& add) const {
    const AttentionProblem& problem = attention.problem;
    const BatchBlock own = own_block(index);
    const int rows = static_cast<int>(problem.keys) - own.first_row, head = static_cast<int>(problem.head);
    tiles.key.copy_from(ThreadOf<kThreads>{block.rank()}, own.rows(problem.key), problem.key.row, rows, head);
    tiles.value.copy_from(ThreadOf<kThreads>{block.rank()}, own.rows(problem.value), problem.value.row, rows,
                          head);
    commit_copies();  // not with the first queries: there may be none
    const int query_blocks = blocks_of(static_cast<int>(problem.queries), kQueries);
    const int first_block = problem.is_causal ? own.first_row / kQueries : 0;
    const int matrices = first_block < query_blocks ? static_cast<int>(batches_of(groups.shared)) : 0;
    Turn turn{};
    begin(turn, index, first_block, 0);
    if (matrices > 0) copy_queries(block, tiles, 0, turn);
    LECTERN_ROLLED
    for (int stage = 0; turn.matrix < matrices; stage ^= 1) {
      wait_for_copies<0>();
      block.sync();  // everybody's copies are there, and the block before is no longer used
      const Turn now = turn;
      if (++turn.block == query_blocks) begin(turn, opaque(index, now.block), first_block, now.matrix + 1);
      if (turn.matrix < matrices) copy_queries(block, tiles, stage ^ 1, turn);
      add(stage, now);
    }
    wait_for_copies<0>();  // also those of keys that nobody sees
    block.sync();
  }

  /// Makes scores the weights, and the gradients of these those of the scores.
  template <int kRowTiles, int kColumnTiles>
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

 private:
  struct alignas(8) Pair {
    float at[2];
  };

  LECTERN_HD void begin(Turn& turn, int index, int first_block, int matrix) const {
    const AttentionProblem& problem = attention.problem;
    const BatchPosition position = own_block(index).position + batch_position(groups.shared, matrix);
    turn = {first_block, matrix, static_cast<int>(batch_index(problem.batch, position)),
            position.in(problem.query), position.in(attention.grad)};
  }

  template <typename Block>
  LECTERN_HD void copy_queries(const Block& block, const Tiles& tiles, int stage, const Turn& turn) const {
    tiles.stages.copy(ThreadOf<kThreads>{opaque(block.rank(), turn.block)}, stage, attention, turn.block,
                      turn.query, turn.grad, turn.batch * attention.problem.queries);
  }
};

}  // namespace lectern::kernels::cuda
