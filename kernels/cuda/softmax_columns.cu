#include <limits>
#include <utility>

#include "kernels/cuda/launch.h"
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

  struct Columns {
    const std::byte* x;
    std::byte* out;
    float max[kColumns];
    float factor[kColumns];  ///< of e^(x - max); what log_softmax subtracts from that difference
  };

  template <typename Group>
  LECTERN_HD void operator()(const Group& group, std::int64_t block) const {
    const ColumnParts::Share share = parts.share(group.rank(), block);
    if (!share.is_there) return;
    const Columns columns = columns_from(share.pack * kColumns);
    for (std::int64_t end = share.end; end > share.begin; end -= kAhead) {
      write(columns, end - kAhead > share.begin ? end - kAhead : share.begin, end);
    }
  }

 private:
  LECTERN_HD Columns columns_from(std::int64_t result) const {
    const auto offsets = element_offsets<2>(geometry.kept, result);
    Columns columns{
        x + offsets.at[ReductionGeometry::kIn], out + offsets.at[ReductionGeometry::kOut], {}, {}};
    LECTERN_UNROLLED
    for (int c = 0; c < kColumns; ++c) {
      State state = ColumnPowers::start();
      LECTERN_ROLLED
      for (std::int64_t part = 0; part < parts.kept; ++part) {
        state = ColumnPowers::merge(state, states[part * geometry.kept.numel + result + c]);
      }
      columns.max[c] = state.max;
      columns.factor[c] = operation == RowOperation::log_softmax ? math::log(state.sum) : 1 / state.sum;
    }
    return columns;
  }
  /// The elements from `at` to `end` - 1, at most kAhead.
  LECTERN_HD void write(const Columns& columns, std::int64_t at, std::int64_t end) const {
    RawPack read[kAhead] = {};
    LECTERN_UNROLLED
    for (int a = 0; a < kAhead; ++a) {
      if (at + a < end) read[a] = read_pack(columns.x + (at + a) * geometry.reduced.strides[0][0]);
    }
    LECTERN_UNROLLED
    for (int a = 0; a < kAhead; ++a) {
      float values[kColumns];
      LECTERN_UNROLLED
      for (int c = 0; c < kColumns; ++c) values[c] = value(columns, c, read[a].template number<T>(c));
      if (at + a < end) write_pack(columns.out + (at + a) * out_step, RawPack::of<T>(values));
    }
  }
  LECTERN_HD float value(const Columns& columns, int c, float from) const {
    if (operation == RowOperation::log_softmax)
      return LogNormalizer<float>{columns.max[c], columns.factor[c]}(from);
    return ScaledPower<WideRow<T>, Itself>{columns.max[c], columns.factor[c]}(from);
  }
};

/// Every thread merges all parts of its columns.
constexpr std::int64_t kMostParts = 64;

template <typename T>
bool softmax_of_type(RowOperation operation, const Lines& lines, const Array& out, const Array& x) {
  if (out.dtype != dtype_of<T> || x.dtype != dtype_of<T>) return false;
  ReductionGeometry geometry{lines.kept, contiguous_geometry(lines.length, {&lines.step[1], 1})};
  if (!has_packed_results<T>(geometry, out.data) || lines.step[0] % kPackBytes != 0) return false;
  std::swap(geometry.kept.strides[ReductionGeometry::kIn], geometry.kept.strides[ReductionGeometry::kOut]);
  if (!has_packed_results<T>(geometry, x.data)) return false;
  const ColumnParts parts(geometry.kept.numel / kPacked<T>, lines.length);
  if (parts.kept > kMostParts) return false;
  const auto count = static_cast<std::size_t>(geometry.kept.numel * parts.kept);
  const Scratch scratch(count * sizeof(ColumnPowers::State));
  auto* const states = static_cast<ColumnPowers::State*>(scratch.data());
  const auto* const from = static_cast<const std::byte*>(x.data);
  launch_blocks(
      parts.blocks(),
      ColumnsKernel<ColumnPowers, T>{
          from, {nullptr, float32, nullptr, lines.length, states}, geometry.kept, geometry.reduced, parts});
  launch_blocks(parts.blocks(), SoftmaxColumnsKernel<T>{operation, geometry, lines.step[0], from,
                                                        static_cast<std::byte*>(out.data), states, parts});
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
