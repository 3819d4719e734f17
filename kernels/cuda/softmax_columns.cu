#include <limits>
#include <utility>

#include "kernels/cuda/current_gpu.h"
#include "kernels/cuda/launch.h"
#include "kernels/cuda/mma.h"
#include "kernels/cuda/reduction_columns.h"
#include "kernels/cuda/scratch.h"
#include "kernels/cuda/softmax_columns.h"
#include "kernels/cuda/wide_row.h"
#include "kernels/row_functors.h"

namespace lectern::kernels::cuda {
namespace {

/// The maximum and the sum of e^(x - max), NaN if x has NaN or infinity.
struct ColumnPowers : LogSumExp<float> {
  using Runs = State;
  /// Of some elements: an exponential each, where absorb() has those of a maximum that may rise as well.
  template <int kCount>
  LECTERN_HD static State of_run(const float (&values)[kCount]) {
    float max = std::numeric_limits<float>::lowest();  // -infinity less itself would be NaN
    LECTERN_UNROLLED
    for (int i = 0; i < kCount; ++i) max = LargerNumber{}(max, values[i]);
    float sum = 0;
    LECTERN_UNROLLED
    for (int i = 0; i < kCount; ++i) sum += math::short_exp_term(values[i] - max);
    return {max, sum};
  }
  /// With the GPU's exponential, of 1 for equal infinities.
  LECTERN_HD static State merge(State a, State b) {
    const bool rises = b.max > a.max;
    const float distance = rises ? a.max - b.max : b.max - a.max;
    const float factor = a.max == b.max ? 1.0F : math::short_exp_term(distance);
    return rises ? State{b.max, math::fma(a.sum, factor, b.sum)}
                 : State{a.max, math::fma(b.sum, factor, a.sum)};
  }
};

/// Columns of a pack, of which a thread computes some results.
template <typename T>
struct ColumnPack {
  static constexpr int kColumns = kPacked<T>;

  const std::byte* x;  ///< their first elements
  std::byte* out;
  float max[kColumns];
  float factor[kColumns];  ///< of e^(x - max); what log_softmax subtracts from that difference

  LECTERN_HD ColumnPack(const ReductionGeometry& geometry, const std::byte* all_x, std::byte* all_out,
                        std::int64_t pack) {
    const auto offsets = element_offsets<2>(geometry.kept, pack * kColumns);
    x = all_x + offsets.at[ReductionGeometry::kIn];
    out = all_out + offsets.at[ReductionGeometry::kOut];
  }
  LECTERN_HD void set(RowOperation operation, int c, const ColumnPowers::State& state) {
    max[c] = state.max;
    factor[c] = operation == RowOperation::log_softmax ? math::log(state.sum) : 1 / state.sum;
  }
  LECTERN_HD RawPack results(RowOperation operation, const RawPack& read) const {
    float values[kColumns];
    LECTERN_UNROLLED
    for (int c = 0; c < kColumns; ++c) values[c] = result(operation, c, read.number<T>(c));
    return RawPack::of<T>(values);
  }

 private:
  LECTERN_HD float result(RowOperation operation, int c, float from) const {
    if (operation == RowOperation::log_softmax) return LogNormalizer<float>{max[c], factor[c]}(from);
    return ScaledPower<WideRow<T>, Itself>{max[c], factor[c]}(from);
  }
};

/// Of the elements that a thread of ColumnsKernel has read, once more, the results. It begins with those that
/// it read last, of which caches have some.
template <typename T>
struct SoftmaxColumnsKernel {
  using State = ColumnPowers::State;
  static constexpr int kColumns = kPacked<T>, kAhead = 4;

  RowOperation operation;
  ReductionGeometry geometry;
  std::int64_t out_step;  ///< bytes from one element of a line to the next
  const std::byte* x;
  std::byte* out;
  const State* states;
  ColumnParts parts;

  template <typename Group>
  LECTERN_HD void operator()(const Group& group, std::int64_t block) const {
    const ColumnParts::Share share = parts.share(group.rank(), block);
    if (!share.is_there) return;
    ColumnPack<T> columns(geometry, x, out, share.pack);
    LECTERN_UNROLLED
    for (int c = 0; c < kColumns; ++c) columns.set(operation, c, state_of(share.pack * kColumns + c));
    for (std::int64_t end = share.end; end > share.begin; end -= kAhead) {
      write(columns, end - kAhead > share.begin ? end - kAhead : share.begin, end);
    }
  }

 private:
  LECTERN_HD State state_of(std::int64_t result) const {
    State state = ColumnPowers::start();
    LECTERN_ROLLED
    for (std::int64_t part = 0; part < parts.kept; ++part) {
      state = ColumnPowers::merge(state, states[part * geometry.kept.numel + result]);
    }
    return state;
  }
  /// The elements from `at` to `end` - 1, at most kAhead.
  LECTERN_HD void write(const ColumnPack<T>& columns, std::int64_t at, std::int64_t end) const {
    RawPack read[kAhead] = {};
    LECTERN_UNROLLED
    for (int a = 0; a < kAhead; ++a) {
      if (at + a < end) read[a] = read_pack(columns.x + (at + a) * geometry.reduced.strides[0][0]);
    }
    LECTERN_UNROLLED
    for (int a = 0; a < kAhead; ++a) {
      if (at + a < end) write_pack(columns.out + (at + a) * out_step, columns.results(operation, read[a]));
    }
  }
};

/// Lines that a block holds in shared memory, so that it reads them once: `wide` packs side by side. A thread
/// has every so-manieth row of one of the packs, and no other thread reads those.
template <typename T, int kBlock>
struct HeldColumnsKernel {
  using State = ColumnPowers::State;
  static constexpr int kThreads = kBlock, kBlocksPerMultiprocessor = 512 / kThreads;
  static constexpr int kColumns = kPacked<T>, kAhead = 4;
  static constexpr int kStateBytes = kThreads * kColumns * static_cast<int>(sizeof(State));

  RowOperation operation;
  ReductionGeometry geometry;
  std::int64_t out_step;  ///< bytes from one element of a line to the next
  const std::byte* x;
  std::byte* out;
  int wide = 0;  ///< a power of two

  std::int64_t blocks() const { return blocks_for(geometry.kept.numel / kColumns, wide); }
  /// Of shared memory: the states of threads, then packs.
  std::int64_t bytes() const { return kStateBytes + geometry.reduced.numel * wide * kPackBytes; }

  LECTERN_HD void operator()(const TileBlock<kThreads>& block, std::int64_t index) const {
    const int rank = block.rank(), rows_at_once = kThreads / wide;
    const std::int64_t pack = index * wide + rank % wide;
    const bool is_there = pack * kColumns < geometry.kept.numel;
    const int first = rank / wide, rows = is_there ? static_cast<int>(geometry.reduced.numel) : 0;
    ColumnPack<T> columns(geometry, x, out, is_there ? pack : 0);
    SharedAddress place = pack_address(block, 0);
    for (int row = first; row < rows; row += rows_at_once, place += kThreads * kPackBytes)
      copy_async<kPackBytes>(place, columns.x + row * geometry.reduced.strides[0][0], true);
    commit_copies();
    wait_for_copies<0>();
    State states[kColumns];
    LECTERN_UNROLLED
    for (int c = 0; c < kColumns; ++c) states[c] = ColumnPowers::start();
    for (int row = first, k = 0; row < rows; row += kAhead * rows_at_once, k += kAhead)
      absorb(states, block, k, row, rows);
    merge_rows(block, states);
    LECTERN_UNROLLED
    for (int c = 0; c < kColumns; ++c)
      columns.set(operation, c, load_shared<State>(state_address(block, c, rank % wide)));
    place = pack_address(block, 0);
    for (int row = first; row < rows; row += rows_at_once, place += kThreads * kPackBytes)
      write_pack(columns.out + row * out_step, columns.results(operation, load_shared<RawPack>(place)));
  }

 private:
  /// Of a thread's k-th pack.
  LECTERN_HD static SharedAddress pack_address(const TileBlock<kThreads>& block, int k) {
    return block.shared() +
           static_cast<SharedAddress>(kStateBytes + (block.rank() + k * kThreads) * kPackBytes);
  }
  LECTERN_HD static SharedAddress state_address(const TileBlock<kThreads>& block, int c, int rank) {
    return block.shared() +
           static_cast<SharedAddress>((c * kThreads + rank) * static_cast<int>(sizeof(State)));
  }
  /// kAhead packs, of rows from `row` on.
  LECTERN_HD void absorb(State (&states)[kColumns], const TileBlock<kThreads>& block, int k, int row,
                         int rows) const {
    RawPack packs[kAhead] = {};
    LECTERN_UNROLLED
    for (int a = 0; a < kAhead; ++a) {
      if (row + a * (kThreads / wide) < rows) packs[a] = load_shared<RawPack>(pack_address(block, k + a));
    }
    LECTERN_UNROLLED
    for (int c = 0; c < kColumns; ++c) {
      float values[kAhead];
      LECTERN_UNROLLED
      for (int a = 0; a < kAhead; ++a)
        values[a] = row + a * (kThreads / wide) < rows ? packs[a].template number<T>(c) : kLowest<float>;
      states[c] = ColumnPowers::merge(states[c], ColumnPowers::of_run(values));
    }
  }
  /// Into those of the first threads: of half as many after each step.
  LECTERN_HD void merge_rows(const TileBlock<kThreads>& block, State (&states)[kColumns]) const {
    LECTERN_UNROLLED
    for (int c = 0; c < kColumns; ++c) store_shared(state_address(block, c, block.rank()), states[c]);
    LECTERN_ROLLED
    for (int half = kThreads / 2; half >= wide; half /= 2) {
      block.sync();
      if (block.rank() >= half) continue;
      LECTERN_UNROLLED
      for (int c = 0; c < kColumns; ++c) {
        const auto other = load_shared<State>(state_address(block, c, block.rank() + half));
        states[c] = ColumnPowers::merge(states[c], other);
        store_shared(state_address(block, c, block.rank()), states[c]);
      }
    }
    block.sync();
  }
};

/// Launches it with the widest blocks, of `wide` packs at most, that take so many bytes of shared memory and
/// are enough to occupy a GPU; returns whether there are such.
template <typename T, int kThreads>
bool launch_held(HeldColumnsKernel<T, kThreads> kernel, int wide, std::int64_t most_bytes) {
  constexpr std::int64_t kFewest = 128;
  for (kernel.wide = wide; kernel.wide > 0; kernel.wide /= 2) {
    if (kernel.bytes() > most_bytes || kernel.blocks() < kFewest) continue;
    launch_tiles(kernel.blocks(), static_cast<int>(kernel.bytes()), kernel);
    return true;
  }
  return false;
}

/// With two blocks on a multiprocessor, of which one can read while the other writes, or with one.
template <typename T>
bool softmax_of_held(RowOperation operation, const ReductionGeometry& geometry, std::int64_t out_step,
                     const std::byte* x, std::byte* out) {
  constexpr std::int64_t kReserved = 1024;  // of a block
  const std::int64_t bytes = current_gpu().shared_memory_per_block_optin;
  const HeldColumnsKernel<T, 256> half{operation, geometry, out_step, x, out};
  const HeldColumnsKernel<T, 512> whole{operation, geometry, out_step, x, out};
  return launch_held(half, 4, bytes / 2 - kReserved) || launch_held(whole, 1, bytes);
}

/// Every thread merges all parts of its columns.
constexpr std::int64_t kMostParts = 64;

template <typename T>
bool softmax_of_type(RowOperation operation, const Lines& lines, const Array& out, const Array& x) {
  if (out.dtype != dtype_of<T> || x.dtype != dtype_of<T>) return false;
  ReductionGeometry geometry{lines.kept, contiguous_geometry(lines.length, {&lines.step[1], 1})};
  if (!has_packed_results<T>(geometry, out.data) || lines.step[0] % kPackBytes != 0) return false;
  std::swap(geometry.kept.strides[ReductionGeometry::kIn], geometry.kept.strides[ReductionGeometry::kOut]);
  if (!has_packed_results<T>(geometry, x.data)) return false;
  const auto* const from = static_cast<const std::byte*>(x.data);
  auto* const to = static_cast<std::byte*>(out.data);
  if (softmax_of_held<T>(operation, geometry, lines.step[0], from, to)) return true;
  const ColumnParts parts(geometry.kept.numel / kPacked<T>, lines.length);
  if (parts.kept > kMostParts) return false;
  const auto count = static_cast<std::size_t>(geometry.kept.numel * parts.kept);
  const Scratch scratch(count * sizeof(ColumnPowers::State));
  auto* const states = static_cast<ColumnPowers::State*>(scratch.data());
  launch_blocks(
      parts.blocks(),
      ColumnsKernel<ColumnPowers, T>{
          from, {nullptr, float32, nullptr, lines.length, states}, geometry.kept, geometry.reduced, parts});
  launch_blocks(parts.blocks(),
                SoftmaxColumnsKernel<T>{operation, geometry, lines.step[0], from, to, states, parts});
  return true;
}

}  // namespace

bool softmax_of_columns(RowOperation operation, const Lines& lines, const Array& out, const Array& x) {
  constexpr std::int64_t kShort = 32;  // so few are soon read by a thread
  if (lines.length <= kShort || lines.kept.numel == 0) return false;
  return softmax_of_type<float>(operation, lines, out, x) ||
         softmax_of_type<Half>(operation, lines, out, x) ||
         softmax_of_type<BFloat16>(operation, lines, out, x);
}

}  // namespace lectern::kernels::cuda
