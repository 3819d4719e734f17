#pragma once

#include <cstdint>

#include "kernels/cuda/attention_backward.h"
#include "kernels/cuda/attention_tiles.h"

namespace lectern::kernels::cuda {

/// Blocks of queries and of their results' gradients in shared memory, two of each with the statistics of
/// their queries: one is copied while the other is used.
template <typename Tile, int kQueries, typename Element>
struct QueryStages {
  static constexpr int kStatisticsBytes = kQueries * static_cast<int>(sizeof(float));
  static constexpr int kStageBytes = 2 * Tile::kBytes + 2 * kStatisticsBytes;
  static constexpr int kBytes = 2 * kStageBytes;

  SharedAddress base;

  LECTERN_HD Tile query(int stage) const { return {base + static_cast<SharedAddress>(stage * kStageBytes)}; }
  LECTERN_HD Tile grad(int stage) const { return {query(stage).base + Tile::kBytes}; }
  LECTERN_HD SharedAddress log_sum_exp(int stage) const { return grad(stage).base + Tile::kBytes; }
  LECTERN_HD SharedAddress grad_sums(int stage) const { return log_sum_exp(stage) + kStatisticsBytes; }

  /// Starts to copy a block of a matrix, whose statistics begin at first_query, by all threads.
  template <int kThreads>
  LECTERN_HD void copy(ThreadOf<kThreads> thread, int stage, const AttentionBackward& attention, int block,
                       const Element* queries, const Element* grads, std::int64_t first_query) const {
    static_assert(2 * kQueries <= kThreads);
    const std::int64_t query_row = attention.problem.query.row, grad_row = attention.grad.row;
    const int first = block * kQueries, rows = static_cast<int>(attention.problem.queries) - first;
    const auto head = static_cast<int>(attention.problem.head);
    query(stage).copy_from(thread, queries + first * query_row, query_row, rows, head);
    grad(stage).copy_from(thread, grads + first * grad_row, grad_row, rows, head);
    const int row = thread.rank % kQueries;
    const std::int64_t at = first_query + first + row;
    const auto to = static_cast<SharedAddress>(row * 4);
    if (thread.rank < kQueries) {
      copy_async<4>(log_sum_exp(stage) + to, attention.log_sum_exp + at, row < rows);
    } else if (thread.rank < 2 * kQueries) {
      copy_async<4>(grad_sums(stage) + to, attention.grad_sums + at, row < rows);
    }
    commit_copies();
  }
};

}  // namespace lectern::kernels::cuda
