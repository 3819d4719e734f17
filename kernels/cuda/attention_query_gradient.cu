#include "kernels/cuda/attention_backward.h"
#include "kernels/cuda/attention_keys.h"
#include "kernels/cuda/attention_scores.h"
#include "kernels/cuda/attention_tiles.h"

namespace lectern::kernels::cuda {
namespace {

/// Of a block of queries of one matrix: scale Σ weight (grad valueᵀ - grad_sum) key, over blocks of keys.
template <typename T, int kHead, bool kMasked>
struct QueryGradientKernel {
  static constexpr int kThreads = 128, kBlocksPerMultiprocessor = 2;
  static constexpr int kRowTiles = 2, kWarpRows = 16 * kRowTiles;
  static constexpr int kRows = kThreads / kWarpThreads * kWarpRows;
  static constexpr int kKeys = kHead == 128 ? 32 : 64;
  using QueryTile = SharedTile<kRows, kHead>;
  using Keys = KeyTiles<kKeys, kHead>;
  static constexpr int kShared = 2 * QueryTile::kBytes + Keys::kBytes;

  AttentionBackward attention;
  BlockOrder order;
  AttentionMatrices gradient;

  struct Tiles {
    QueryTile query, grad;
    Keys keys;

    LECTERN_HD explicit Tiles(SharedAddress base)
        : query{base}, grad{base + QueryTile::kBytes}, keys{base + 2 * QueryTile::kBytes} {}
  };

  /// What the backward pass keeps of this lane's queries.
  struct Queries {
    float log_sum_exp[kRowTiles][2];
    float grad_sum[kRowTiles][2];

    LECTERN_HD Queries(const AttentionBackward& attention, std::int64_t first, int rows, int lane) {
      LECTERN_UNROLLED
      for (int m = 0; m < kRowTiles; ++m) {
        LECTERN_UNROLLED
        for (int half = 0; half < 2; ++half) {
          const int row = m * 16 + half * 8 + lane / 4;
          log_sum_exp[m][half] = row < rows ? attention.log_sum_exp[first + row] : 0;
          grad_sum[m][half] = row < rows ? attention.grad_sums[first + row] : 0;
        }
      }
    }

    /// Makes scores the gradients of the scores, from those of the weights.
    template <int kColumnTiles>
    LECTERN_HD void differentiate(float (&scores)[kRowTiles][kColumnTiles][4],
                                  const float (&grads)[kRowTiles][kColumnTiles][4], float factor) const {
      LECTERN_UNROLLED
      for (int m = 0; m < kRowTiles; ++m) {
        LECTERN_UNROLLED
        for (int n = 0; n < kColumnTiles; ++n) {
          LECTERN_UNROLLED
          for (int i = 0; i < 4; ++i) {
            const float weight = exp2_fast(math::fma(scores[m][n][i], factor, -log_sum_exp[m][i / 2]));
            scores[m][n][i] = weight * (grads[m][n][i] - grad_sum[m][i / 2]);
          }
        }
      }
    }
  };

  template <typename Block>
  LECTERN_HD void operator()(const Block& block, std::int64_t place) const {
    const int index = order.block(place);
    const AttentionProblem& problem = attention.problem;
    const BatchBlock own = query_block<kRows>(problem, index);
    const ScoreMask<T, kMasked> mask(problem, own.position);
    const int key_blocks = blocks_of(mask.end_of_keys(own.first_row + kRows - 1), kKeys);
    const int lane = block.rank() % kWarpThreads, row = block.rank() / kWarpThreads * kWarpRows;
    const int rows = mask.queries() - own.first_row;
    const auto head = static_cast<int>(problem.head);
    const Tiles tiles(block.shared());

    const AttentionMatrices& grad = attention.grad;
    tiles.query.copy_from(ThreadOf<kThreads>{block.rank()}, own.rows(problem.query), problem.query.row, rows,
                          head);
    tiles.grad.copy_from(ThreadOf<kThreads>{block.rank()}, own.rows(grad), grad.row, rows, head);
    const std::uint16_t *key = own.position.in(problem.key), *value = own.position.in(problem.value);
    const auto copy_keys = [&](int i) {
      tiles.keys.copy(ThreadOf<kThreads>{opaque(block.rank(), i)}, i, problem, key, value,
                      mask.keys() - i * kKeys, head);
    };
    copy_keys(0);

    const Queries queries(attention,
                          batch_index(problem.batch, own.position) * problem.queries + own.first_row + row,
                          rows - row, lane);
    float sums[kRowTiles][kHead / 8][4] = {};
    LECTERN_ROLLED
    for (int i = 0; i < key_blocks; ++i) {
      wait_for_copies<0>();
      block.sync();  // everybody's copies are there, and the block before is no longer used
      if (i + 1 < key_blocks) copy_keys(i + 1);
      const int at = opaque(lane, i);
      float scores[kRowTiles][kKeys / 8][4] = {}, grads[kRowTiles][kKeys / 8][4] = {};
      multiply_rows<T, kHead>(scores, DownReader<QueryTile>(tiles.query, row, at),
                              RightReader<typename Keys::Tile>(tiles.keys.key(i), 0, at));
      mask_scores(mask, scores, own.first_row + row, i * kKeys, at);
      multiply_rows<T, kHead>(grads, DownReader<QueryTile>(tiles.grad, row, at),
                              RightReader<typename Keys::Tile>(tiles.keys.value(i), 0, at));
      queries.differentiate(scores, grads, mask.factor());
      Words rounded[kRowTiles][kKeys / 16];
      round_sums<T>(rounded, scores);
      multiply<T>(sums, rounded, DownReader<typename Keys::Tile>(tiles.keys.key(i), 0, at));
    }

    scale_sums(sums, static_cast<float>(problem.scale));
    const BatchBlock again = query_block<kRows>(problem, opaque(index, key_blocks));
    write_sums<T>(sums, tiles.query, row, lane, again.rows(gradient, row), gradient.row,
                  static_cast<int>(problem.queries) - again.first_row - row, static_cast<int>(problem.head));
  }
};

}  // namespace

void query_gradient(const AttentionBackward& attention, const AttentionMatrices& gradient) {
  const AttentionProblem& problem = attention.problem;
  dispatch_attention(problem, [&]<typename T, int kHead, bool kMasked>() {
    using Kernel = QueryGradientKernel<T, kHead, kMasked>;
    const BlockOrder order = block_order(problem, problem.batch, problem.queries, Kernel::kRows);
    launch_tiles(order.count(), Kernel::kShared, Kernel{attention, order, gradient});
  });
}

}  // namespace lectern::kernels::cuda
