#include "kernels/cuda/attention_backward.h"
#include "kernels/cuda/attention_key_blocks.h"
#include "kernels/cuda/attention_scores.h"
#include "kernels/cuda/attention_tiles.h"

namespace lectern::kernels::cuda {
namespace {

template <int kHeadSize>
struct KeyRows {
  static constexpr int kHead = kHeadSize, kRowTiles = kHead == 128 ? 1 : 2, kWarpRows = 16 * kRowTiles;
  static constexpr int kKeys = 128, kQueries = kHead == 128 ? 64 : 32;
  static constexpr int kThreads = kKeys / kWarpRows * kWarpThreads, kBlocksPerMultiprocessor = kRowTiles;
};

/// The gradients of key and value: a warp has some of the keys, and goes over all queries that see them.
template <typename T, int kHead, bool kMasked>
struct KeyGradientsKernel : KeyBlockKernel<KeyRows<kHead>> {
  using Base = KeyBlockKernel<KeyRows<kHead>>;
  using Base::attention, Base::groups, Base::own_block;
  using Base::kQueries, Base::kRowTiles, Base::kWarpRows;
  using typename Base::KeyTile, typename Base::QueryTile, typename Base::Tiles, typename Base::Turn;
  static constexpr int kShared = Tiles::kBytes;

  template <typename Block>
  LECTERN_HD void operator()(const Block& block, std::int64_t place) const {
    const int index = this->order.block(place);
    const int lane = block.rank() % kWarpThreads, row = block.rank() / kWarpThreads * kWarpRows;
    const Tiles tiles(block.shared());
    float key_sums[kRowTiles][kHead / 8][4] = {}, value_sums[kRowTiles][kHead / 8][4] = {};
    this->for_queries(block, index, tiles, [&](int stage, const Turn& turn) {
      add_queries(tiles, stage, turn, index, row, opaque(lane, turn.block), key_sums, value_sums);
    });
    scale_sums(key_sums, static_cast<float>(attention.problem.scale));
    const int again = opaque(index, blocks_of(static_cast<int>(attention.problem.queries), kQueries));
    write(key_sums, tiles.key, this->key_gradient, again, row, lane);
    write(value_sums, tiles.value, this->value_gradient, again, row, lane);
  }

  LECTERN_HD void write(const float (&sums)[kRowTiles][kHead / 8][4], const KeyTile& tile,
                        const AttentionMatrices& gradient, int index, int row, int lane) const {
    const BatchBlock own = own_block(index);
    write_sums<T>(sums, tile, row, lane, own.rows(gradient, row), gradient.row,
                  static_cast<int>(attention.problem.keys) - own.first_row - row,
                  static_cast<int>(attention.problem.head));
  }

  /// One block of queries.
  LECTERN_HD void add_queries(const Tiles& tiles, int stage, const Turn& turn, int index, int row, int lane,
                              float (&key_sums)[kRowTiles][kHead / 8][4],
                              float (&value_sums)[kRowTiles][kHead / 8][4]) const {
    const BatchBlock own = own_block(index);
    const ScoreMask<T, kMasked> mask(attention.problem,
                                     own.position + batch_position(groups.shared, turn.matrix));
    float scores[kRowTiles][kQueries / 8][4] = {}, grads[kRowTiles][kQueries / 8][4] = {};
    multiply_rows<T, kHead>(scores, DownReader<KeyTile>(tiles.key, row, lane),
                            RightReader<QueryTile>(tiles.stages.query(stage), 0, lane));
    mask_scores<true>(mask, scores, turn.block * kQueries, own.first_row + row, lane);
    multiply_rows<T, kHead>(grads, DownReader<KeyTile>(tiles.value, row, lane),
                            RightReader<QueryTile>(tiles.stages.grad(stage), 0, lane));
    this->differentiate(scores, grads, mask.factor(), tiles.stages.log_sum_exp(stage),
                        tiles.stages.grad_sums(stage), lane);
    Words rounded[kRowTiles][kQueries / 16];
    round_sums<T>(rounded, scores);
    multiply<T>(value_sums, rounded, DownReader<QueryTile>(tiles.stages.grad(stage), 0, lane));
    round_sums<T>(rounded, grads);
    multiply<T>(key_sums, rounded, DownReader<QueryTile>(tiles.stages.query(stage), 0, lane));
  }
};

}  // namespace

void key_gradients(const AttentionBackward& attention, const AttentionMatrices& key,
                   const AttentionMatrices& value) {
  const BatchGroups groups = groups_of(attention.problem);
  dispatch_attention(attention.problem, [&]<typename T, int kHead, bool kMasked>() {
    using Kernel = KeyGradientsKernel<T, kHead, kMasked>;
    const BlockOrder order =
        block_order(attention.problem, groups.kept, attention.problem.keys, Kernel::kKeys);
    launch_tiles(order.count(), Kernel::kShared, Kernel{{{}, attention, groups, order, key, value}});
  });
}

}  // namespace lectern::kernels::cuda
