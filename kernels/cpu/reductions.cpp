#include "kernels/reductions.h"

#include <cstring>
#include <memory>

#include "kernels/cpu/conversions.h"
#include "kernels/cpu/parallel.h"
#include "kernels/cpu/planes.h"
#include "kernels/cpu/reduction_blocks.h"
#include "kernels/cpu/reduction_plan.h"
#include "kernels/cpu/walker.h"

namespace lectern::kernels::cpu {
namespace {

/// Values in the scratch buffer at a time: of a run, or of a row.
constexpr std::int64_t kLength = kRunPart;
/// A chunk, the unit of work of a thread, is a run of kRunParts times kLength, or kRowParts sums of kRows
/// rows.
constexpr std::int64_t kRows = 16;
constexpr std::int64_t kRowParts = 16;

constexpr std::int64_t parts(std::int64_t whole, std::int64_t part) {
  return (whole + part - 1) / part;
}

template <std::int64_t kBytes>
struct Scratch {
  alignas(64) std::byte bytes[kBytes];
};

/// The states of a tile of results are contiguous, chunk after chunk.
class Reducer {
 public:
  Reducer(const ReductionBlocks& blocks, Dtype common, const ReductionPlan& plan, const Array& out,
          const Array& in, const Array* positions)
      : blocks_(blocks),
        plan_(plan),
        in_(static_cast<std::byte*>(in.data)),
        out_(static_cast<std::byte*>(out.data)),
        positions_(positions == nullptr ? nullptr : static_cast<std::byte*>(positions->data)),
        load_(conversions()(in.dtype, common)),
        store_(conversions()(common, out.dtype)),
        in_size_(element_size(in.dtype)),
        common_size_(element_size(common)),
        out_size_(element_size(out.dtype)),
        state_size_(static_cast<std::int64_t>(blocks.state_size)),
        chunk_(plan.across ? kRows * kRowParts : kLength * kRunParts),
        chunks_(std::max<std::int64_t>(1, parts(plan.reduced.numel, chunk_))),
        width_(std::min(plan.kept.sizes[0], plan.across ? kLength / plan.fold : tile_runs())),
        tiles_(parts(plan.kept.sizes[0], width_)) {}

  void run() const {
    const std::int64_t tiles = tiles_ * (plan_.kept.numel / plan_.kept.sizes[0]);
    const std::int64_t work = plan_.kept.numel * plan_.elements;
    if (chunks_ == 1) {
      parallel_ranges(tiles, work, [&](std::int64_t begin, std::int64_t end) {
        Scratch<kLength * kLargestState> states;
        for (std::int64_t t = begin; t < end; ++t) {
          const Tile tile = place(t);
          reduce_chunk(tile, 0, states.bytes);
          store(tile, states.bytes);
        }
      });
      return;
    }
    const std::int64_t tile_states = chunks_ * width_ * plan_.fold * state_size_;
    const auto states =
        std::make_unique_for_overwrite<std::byte[]>(static_cast<std::size_t>(tiles * tile_states));
    parallel_ranges(tiles * chunks_, work, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) {
        const Tile tile = place(i / chunks_);
        const std::int64_t chunk = i % chunks_;
        reduce_chunk(tile, chunk,
                     states.get() + i / chunks_ * tile_states + chunk * count_states(tile) * state_size_);
      }
    });
    parallel_ranges(tiles, tiles * chunks_ * width_, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t t = begin; t < end; ++t) {
        const Tile tile = place(t);
        std::byte* const tile_states_begin = states.get() + t * tile_states;
        merge_groups(blocks_, tile_states_begin, chunks_, count_states(tile));
        store(tile, tile_states_begin);
      }
    });
  }

 private:
  /// Neighbouring results along the first kept dimension.
  struct Tile {
    std::byte* in;
    std::byte* out;
    std::byte* positions;
    std::int64_t width;
  };

  std::int64_t tile_runs() const {
    return std::clamp<std::int64_t>(kParallelElements / std::max<std::int64_t>(1, plan_.elements), 1,
                                    kLength);
  }

  std::int64_t count_states(const Tile& tile) const { return tile.width * plan_.fold; }

  Tile place(std::int64_t index) const {
    const Geometry& kept = plan_.kept;
    const std::int64_t first = index % tiles_ * width_;
    Tile tile{in_, out_, positions_, std::min(width_, kept.sizes[0] - first)};
    std::int64_t rest = index / tiles_;
    for (std::size_t d = 0; d < static_cast<std::size_t>(kept.rank); ++d) {
      const std::int64_t at = d == 0 ? first : rest % kept.sizes[d];
      if (d > 0) rest /= kept.sizes[d];
      if (plan_.elements > 0) tile.in += at * kept.strides[ReductionPlan::kIn][d];  // else it may be null
      tile.out += at * kept.strides[ReductionPlan::kOut][d];
      if (positions_ != nullptr) tile.positions += at * kept.strides[ReductionPlan::kPositions][d];
    }
    return tile;
  }

  void reduce_chunk(const Tile& tile, std::int64_t chunk, std::byte* states) const {
    const std::int64_t begin = chunk * chunk_;
    const std::int64_t end = std::min(plan_.reduced.numel, begin + chunk_);
    if (begin == end) {
      blocks_.start(states, count_states(tile));
    } else if (plan_.across) {
      absorb_rows(tile, begin, end, states);
    } else {
      reduce_runs(tile, begin, end, states);
    }
  }

  void reduce_runs(const Tile& tile, std::int64_t begin, std::int64_t end, std::byte* states) const {
    const std::int64_t next = plan_.kept.strides[ReductionPlan::kIn][0];
    const bool whole = plan_.reduced.rank == 1 && is_direct(plan_.reduced.strides[0][0]);
    if (whole && next % common_size_ == 0) {
      blocks_.runs(states, tile.in + begin * common_size_, tile.width, next / common_size_, end - begin,
                   begin);
      return;
    }
    Scratch<kRunParts * kLargestState> part_states;
    Scratch<kLength * 8> values;
    for (std::int64_t i = 0; i < tile.width; ++i) {
      Walker walker(plan_.reduced, ReductionPlan::kIn, tile.in + i * next, begin);
      for (std::int64_t at = begin; at < end; at += kLength) {
        const std::int64_t length = std::min(kLength, end - at);
        const std::byte* from = values.bytes;
        walker.advance(length,
                       [&](const std::byte* first, std::int64_t step, std::int64_t done, std::int64_t run) {
                         if (run == length && is_direct(step)) {
                           from = first;
                         } else {
                           load(values.bytes + done * common_size_, first, step, run);
                         }
                       });
        blocks_.runs(part_states.bytes + (at - begin) / kLength * state_size_, from, 1, 0, length, at);
      }
      merge_groups(blocks_, part_states.bytes, parts(end - begin, kLength), 1);
      std::memcpy(states + i * state_size_, part_states.bytes, blocks_.state_size);
    }
  }

  void absorb_rows(const Tile& tile, std::int64_t begin, std::int64_t end, std::byte* states) const {
    const std::int64_t width = count_states(tile);
    Scratch<kLength * kLargestState> row_states;
    Walker walker(plan_.reduced, ReductionPlan::kIn, tile.in, begin);
    blocks_.start(states, width);
    for (std::int64_t at = begin; at < end; at += kRows) {
      const std::int64_t count = std::min(kRows, end - at);
      std::byte* const into = end - begin <= kRows ? states : row_states.bytes;
      if (into != states) blocks_.start(into, width);
      walker.advance(
          count, [&](const std::byte* first, std::int64_t pitch, std::int64_t done, std::int64_t rows) {
            const bool ends = (at + done + rows) % plan_.reduced.sizes[0] == 0;
            const bool short_row = ends && plan_.last_fold != plan_.fold;
            const std::int64_t full = rows - short_row;
            absorb(into, first, full, pitch, width, at + done);
            if (short_row)
              absorb(into, first + full * pitch, 1, pitch, tile.width * plan_.last_fold, at + done + full);
          });
      if (into != states) blocks_.merge(states, into, width);
    }
  }

  void absorb(std::byte* states, const std::byte* first, std::int64_t rows, std::int64_t pitch,
              std::int64_t length, std::int64_t index) const {
    const std::int64_t stride = plan_.kept.strides[ReductionPlan::kIn][0];
    if (is_direct(stride) && pitch % common_size_ == 0) {
      blocks_.rows(states, first, rows, pitch / common_size_, length, index);
      return;
    }
    Scratch<kLength * 8> values;
    for (std::int64_t r = 0; r < rows; ++r) {
      load(values.bytes, first + r * pitch, stride, length);
      blocks_.rows(states, values.bytes, 1, 0, length, index + r);
    }
  }

  void store(const Tile& tile, std::byte* states) const {
    merge_groups(blocks_, states, plan_.fold, tile.width);
    Scratch<kLength * 8> values, converted;
    const bool adjacent = plan_.kept.strides[ReductionPlan::kOut][0] == out_size_ || tile.width == 1;
    std::byte* const results = adjacent ? tile.out : converted.bytes;
    blocks_.finish(store_ == nullptr ? results : values.bytes, states, tile.width, plan_.elements);
    if (store_ != nullptr) store_(results, values.bytes, tile.width);
    if (!adjacent)
      spread(tile.out, plan_.kept.strides[ReductionPlan::kOut][0], results, out_size_, tile.width);
    if (positions_ == nullptr) return;
    auto* const indices = reinterpret_cast<std::int64_t*>(values.bytes);
    blocks_.positions(indices, states, tile.width);
    spread(tile.positions, plan_.kept.strides[ReductionPlan::kPositions][0], values.bytes, 8, tile.width);
  }

  static void spread(std::byte* to, std::int64_t stride, const std::byte* from, std::int64_t size,
                     std::int64_t count) {
    plane_kernels().copy_kernel(size)({to, stride, 0}, {from, size, 0}, count, 1);
  }

  bool is_direct(std::int64_t stride) const { return load_ == nullptr && stride == common_size_; }

  /// `count` elements of the input as contiguous values.
  void load(std::byte* values, const std::byte* first, std::int64_t stride, std::int64_t count) const {
    if (stride == in_size_ && load_ != nullptr) return load_(values, first, count);
    Scratch<kLength * 8> gathered;
    std::byte* const into = load_ == nullptr ? values : gathered.bytes;
    plane_kernels().copy_kernel(in_size_)({into, in_size_, 0}, {first, stride, 0}, count, 1);
    if (load_ != nullptr) load_(values, into, count);
  }

  const ReductionBlocks& blocks_;
  const ReductionPlan& plan_;
  std::byte* in_;
  std::byte* out_;
  std::byte* positions_;
  Conversion load_;   ///< null if elements are of the compute type
  Conversion store_;  ///< likewise
  std::int64_t in_size_, common_size_, out_size_, state_size_;
  std::int64_t chunk_;   ///< elements, or rows, of one
  std::int64_t chunks_;  ///< per result
  std::int64_t width_;   ///< results of a tile
  std::int64_t tiles_;   ///< along the first kept dimension
};

}  // namespace

void reduce(Reduction reduction, Dtype common, std::span<const std::int64_t> sizes,
            std::span<const bool> over, const Array& out, const Array& in, const Array* positions) {
  const ReductionBlocks& blocks =
      reduction_kernels().table[static_cast<std::size_t>(reduction)][compute_index(common)];
  const ReductionPlan plan = plan_reduction(sizes, over, in, out, positions, blocks.positions == nullptr);
  if (plan.kept.numel > 0) Reducer(blocks, compute_dtype(common), plan, out, in, positions).run();
}

}  // namespace lectern::kernels::cpu
