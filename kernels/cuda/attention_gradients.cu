#include "kernels/cuda/attention_backward.h"
#include "kernels/cuda/attention_key_blocks.h"
#include "kernels/cuda/attention_scores.h"
#include "kernels/cuda/attention_tiles.h"
#include "kernels/cuda/scratch.h"

namespace lectern::kernels::cuda {
namespace {

/// Of every product warps have parts of 32 rows, so that each fragment that is read is used twice or more:
/// of scores, keys by half of the queries; of the gradients of key and value, keys by half of the columns; of
/// query's gradient, queries by 32 columns.
template <int kHeadSize>
struct GradientParts {
  static constexpr int kHead = kHeadSize, kRows = 32, kRowTiles = kRows / 16;
  static constexpr int kKeys = 128, kQueries = 8192 / kHead;
  static constexpr int kThreads = 256, kBlocksPerMultiprocessor = 1;
  static constexpr int kHalfQueries = kQueries / 2, kHalfHead = kHead / 2;

  /// Where a warp's parts begin.
  struct Part {
    int lane, warp;

    LECTERN_HD explicit Part(int rank) : lane(rank % kWarpThreads), warp(rank / kWarpThreads) {}
    LECTERN_HD int key() const { return warp / 2 * kRows; }
    LECTERN_HD int query() const { return warp % 2 * kHalfQueries; }
    LECTERN_HD int other_query() const { return kHalfQueries - query(); }
    LECTERN_HD int column() const { return warp % 2 * kHalfHead; }
    LECTERN_HD int summed_query() const { return warp / (kHead / kRows) * kRows; }
    LECTERN_HD int summed_column() const { return warp % (kHead / kRows) * kRows; }
  };
};

/// The sums of query's gradient, of a block of queries after the other, each as warps have them: of a warp
/// fragments of 16 × 8, of a fragment the four elements of lane after lane.
template <int kHead>
struct QuerySums {
  using Parts = GradientParts<kHead>;
  static constexpr int kColumnTiles = Parts::kRows / 8, kFragment = 4 * kWarpThreads;
  static constexpr int kOfWarp = Parts::kRowTiles * kColumnTiles * kFragment;
  static constexpr int kOfBlock = Parts::kThreads / kWarpThreads * kOfWarp;

  float* data;
  int blocks;  ///< of queries, of a matrix

  LECTERN_HD float* of_warp(int batch, int block, int warp) const {
    return data + (static_cast<std::int64_t>(batch) * blocks + block) * kOfBlock + warp * kOfWarp;
  }
};

/// All gradients: those of a block of keys and its values, and what these keys add to that of each query.
template <typename T, int kHead>
struct GradientsKernel : KeyBlockKernel<GradientParts<kHead>> {
  using Base = KeyBlockKernel<GradientParts<kHead>>;
  using Base::attention, Base::groups, Base::own_block;
  using Base::kQueries, Base::kRows, Base::kRowTiles, Base::kHalfHead, Base::kHalfQueries;
  using typename Base::KeyTile, typename Base::QueryTile, typename Base::Tiles, typename Base::Turn,
      typename Base::Part;
  using WeightTile = SharedTile<Base::kKeys, kQueries>;
  using WarpTile = SharedTile<kRows, kHalfHead>;
  static constexpr int kShared = Tiles::kBytes + 2 * WeightTile::kBytes;
  using Sums = float[kRowTiles][kHalfHead / 8][4];

  QuerySums<kHead> query_sums;

  template <typename Block>
  LECTERN_HD void operator()(const Block& block, std::int64_t place) const {
    const int index = this->order.block(place);
    const Tiles tiles(block.shared());
    Sums key_sums = {}, value_sums = {};
    this->for_queries(block, index, tiles, [&](int stage, const Turn& turn) {
      add_queries(block, tiles, stage, turn, index, key_sums, value_sums);
    });
    scale_sums(key_sums, static_cast<float>(attention.problem.scale));
    const int again = opaque(index, blocks_of(static_cast<int>(attention.problem.queries), kQueries));
    write(block, key_sums, this->key_gradient, again);
    write(block, value_sums, this->value_gradient, again);
  }

  template <typename Block>
  LECTERN_HD void write(const Block& block, const Sums& sums, const AttentionMatrices& gradient,
                        int index) const {
    const Part part(block.rank());
    const BatchBlock own = own_block(index);
    const WarpTile tile{block.shared() + static_cast<SharedAddress>(part.warp * WarpTile::kBytes)};
    write_sums<T>(sums, tile, 0, part.lane, own.rows(gradient, part.key()) + part.column(), gradient.row,
                  static_cast<int>(attention.problem.keys) - own.first_row - part.key(),
                  static_cast<int>(attention.problem.head) - part.column());
  }

  /// One block of queries.
  template <typename Block>
  LECTERN_HD void add_queries(const Block& block, const Tiles& tiles, int stage, const Turn& turn, int index,
                              Sums& key_sums, Sums& value_sums) const {
    const Part part(opaque(block.rank(), turn.block));
    const WeightTile weights{block.shared() + Tiles::kBytes}, grads{weights.base + WeightTile::kBytes};
    Words own_weights[kRowTiles][kHalfQueries / 16], own_grads[kRowTiles][kHalfQueries / 16];
    score(tiles, stage, turn, index, part, own_weights, own_grads);
    store_rounded(own_weights, weights.from_column(part.query()), part.key(), part.lane);
    store_rounded(own_grads, grads.from_column(part.query()), part.key(), part.lane);
    const QueryTile query = tiles.stages.query(stage).from_column(part.column()),
                    grad = tiles.stages.grad(stage).from_column(part.column());
    multiply<T>(value_sums, own_weights, DownReader<QueryTile>(grad, part.query(), part.lane));
    multiply<T>(key_sums, own_grads, DownReader<QueryTile>(query, part.query(), part.lane));
    block.sync();  // the weights of the other half of the queries are there
    add_other_half(value_sums, weights, grad, part);
    add_other_half(key_sums, grads, query, part);
    add_to_queries(tiles, grads, turn, part);
  }

  /// The weights of the warp's part, and the gradients of the scores.
  LECTERN_HD void score(const Tiles& tiles, int stage, const Turn& turn, int index, const Part& part,
                        Words (&own_weights)[kRowTiles][kHalfQueries / 16],
                        Words (&own_grads)[kRowTiles][kHalfQueries / 16]) const {
    const BatchBlock own = own_block(index);
    const ScoreMask<T, false> mask(attention.problem,
                                   own.position + batch_position(groups.shared, turn.matrix));
    float scores[kRowTiles][kHalfQueries / 8][4] = {}, grads[kRowTiles][kHalfQueries / 8][4] = {};
    multiply_rows<T, kHead>(scores, DownReader<KeyTile>(tiles.key, part.key(), part.lane),
                            RightReader<QueryTile>(tiles.stages.query(stage), part.query(), part.lane));
    mask_scores<true>(mask, scores, turn.block * kQueries + part.query(), own.first_row + part.key(),
                      part.lane);
    multiply_rows<T, kHead>(grads, DownReader<KeyTile>(tiles.value, part.key(), part.lane),
                            RightReader<QueryTile>(tiles.stages.grad(stage), part.query(), part.lane));
    const auto from = static_cast<SharedAddress>(part.query() * static_cast<int>(sizeof(float)));
    this->differentiate(scores, grads, mask.factor(), tiles.stages.log_sum_exp(stage) + from,
                        tiles.stages.grad_sums(stage) + from, part.lane);
    round_sums<T>(own_weights, scores);
    round_sums<T>(own_grads, grads);
  }

  /// sums += left right, of the half of the queries that the warp beside this one has.
  LECTERN_HD static void add_other_half(Sums& sums, const WeightTile& left, const QueryTile& right,
                                        const Part& part) {
    multiply_tiles<T, kHalfQueries>(
        sums, DownReader<WeightTile>(left.from_column(part.other_query()), part.key(), part.lane),
        DownReader<QueryTile>(right, part.other_query(), part.lane));
  }

  LECTERN_HD void add_to_queries(const Tiles& tiles, const WeightTile& grads, const Turn& turn,
                                 const Part& part) const {
    constexpr int kColumnTiles = QuerySums<kHead>::kColumnTiles;
    float sums[kRowTiles][kColumnTiles][4] = {};
    multiply_tiles<T, Base::kKeys, true>(
        sums, RightReader<WeightTile>(grads.from_column(part.summed_query()), 0, part.lane),
        DownReader<KeyTile>(tiles.key.from_column(part.summed_column()), 0, part.lane));
    float* const to = query_sums.of_warp(turn.batch, turn.block, part.warp) + part.lane * 4;
    LECTERN_UNROLLED
    for (int m = 0; m < kRowTiles; ++m) {
      LECTERN_UNROLLED
      for (int n = 0; n < kColumnTiles; ++n) {
        add_to_global(to + (m * kColumnTiles + n) * QuerySums<kHead>::kFragment, sums[m][n]);
      }
    }
  }
};

struct ClearKernel {
  Floats* sums;
  std::int64_t count;

  LECTERN_HD void operator()(std::int64_t thread, std::int64_t threads) const {
    for (std::int64_t i = thread; i < count; i += threads) sums[i] = {};
  }
};

/// gradient = scale sums, rounded: of 16 sums, which four lanes had, 8 columns of two rows.
template <typename T, int kHead>
struct RoundSumsKernel {
  using Sums = QuerySums<kHead>;
  using Parts = GradientParts<kHead>;
  static constexpr int kEach = 16, kItemsOfBlock = Sums::kOfBlock / kEach;

  AttentionProblem problem;
  AttentionMatrices gradient;
  Sums sums;
  std::int64_t items;

  LECTERN_HD void operator()(std::int64_t thread, std::int64_t threads) const {
    for (std::int64_t i = thread; i < items; i += threads) round(i);
  }

 private:
  LECTERN_HD void round(std::int64_t item) const {
    const auto block = static_cast<int>(item / kItemsOfBlock),
               within = static_cast<int>(item % kItemsOfBlock);
    const int fragment = within / 8, group = within % 8, n = fragment % Sums::kColumnTiles;
    const int m = fragment / Sums::kColumnTiles % Parts::kRowTiles;
    const typename Parts::Part part(within / (Sums::kOfWarp / kEach) * kWarpThreads);
    const int column = part.summed_column() + n * 8;
    const int row = block % sums.blocks * Parts::kQueries + part.summed_query() + m * 16 + group;
    if (column >= problem.head) return;
    const auto* const from = reinterpret_cast<const Floats*>(sums.data + item * kEach);
    const auto scale = static_cast<float>(problem.scale);
    Chunk rows[2];
    LECTERN_UNROLLED
    for (int lane = 0; lane < 4; ++lane) {
      const Floats four = from[lane];
      LECTERN_UNROLLED
      for (int half = 0; half < 2; ++half) {
        rows[half].words[lane] = pack<T>(scale * four.at[2 * half], scale * four.at[2 * half + 1]);
      }
    }
    std::uint16_t* const to =
        batch_position(problem.batch, block / sums.blocks).in(gradient) + row * gradient.row + column;
    if (row < problem.queries) *reinterpret_cast<Chunk*>(to) = rows[0];
    if (row + 8 < problem.queries) *reinterpret_cast<Chunk*>(to + 8 * gradient.row) = rows[1];
  }
};

}  // namespace

void gradients_in_any_order(const AttentionBackward& attention, const AttentionGradients& gradients) {
  const AttentionProblem& problem = attention.problem;
  const BatchGroups groups = groups_of(problem);
  dispatch_unmasked_attention(problem, [&]<typename T, int kHead>() {
    using Kernel = GradientsKernel<T, kHead>;
    using Sums = QuerySums<kHead>;
    const int blocks = blocks_of(static_cast<int>(problem.queries), Kernel::kQueries);
    const std::int64_t count = batches_of(problem.batch) * blocks * Sums::kOfBlock;
    const Scratch memory(static_cast<std::size_t>(count) * sizeof(float));
    const Sums sums{static_cast<float*>(memory.data()), blocks};
    launch_for(count / 4, ClearKernel{static_cast<Floats*>(memory.data()), count / 4});
    const BlockOrder order = block_order(problem, groups.kept, problem.keys, Kernel::kKeys);
    launch_tiles(order.count(), Kernel::kShared,
                 Kernel{{{}, attention, groups, order, gradients.key, gradients.value}, sums});
    using Round = RoundSumsKernel<T, kHead>;
    launch_for(count / Round::kEach, Round{problem, gradients.query, sums, count / Round::kEach});
  });
}

}  // namespace lectern::kernels::cuda
