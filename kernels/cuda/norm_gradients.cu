#include <algorithm>

#include "kernels/cuda/norm_lines.h"
#include "kernels/cuda/one_pass_norms.h"

namespace lectern::kernels::cuda {
namespace {

template <typename Source, bool kCentered>
struct NormBackwardKernel {
  using C = typename Source::Row::Value;

  Lines lines;
  std::array<Source, 3> arrays;  ///< out, grad, x
  SharedRow<C, Source::Row::kChunk> weight;
  StatisticsOfRows<C> statistics;

  template <typename Group>
  LECTERN_HD void operator()(const Group& group, std::int64_t row) const {
    const auto grad = arrays[1].input(group, lines, row), x = arrays[2].input(group, lines, row);
    const auto out = arrays[0].row(lines, row);
    norm_backward_row<kCentered>(group, lines.length, statistics.get(row), out, grad, x, weight);
  }
};

/// One part of the rows' contribution to the gradients of weight and bias: a thread per element. For rows of
/// which packs cannot be read.
template <ComputeType C>
struct ParameterKernel {
  static constexpr int kRowsOfRun = 16;

  Lines lines;
  std::array<StridedLines<C>, 3> arrays;  ///< out, grad, x
  StatisticsOfRows<C> statistics;
  C* weight;
  C* bias;
  std::int64_t parts;

  LECTERN_HD void operator()(std::int64_t thread, std::int64_t threads) const {
    const std::int64_t rows = lines.kept.numel;
    for (std::int64_t i = thread; i < parts * lines.length; i += threads) {
      const std::int64_t part = i / lines.length, column = i % lines.length;
      const std::int64_t end = (part + 1) * rows / parts;
      C weight_sum = 0, bias_sum = 0;
      for (std::int64_t row = part * rows / parts; row < end;) {
        C weight_run = 0, bias_run = 0;
        for (int r = 0; r < kRowsOfRun && row < end; ++r, ++row) {
          const C grad = arrays[1].row(lines, row)[column];
          weight_run += grad * statistics.get(row).normalized(arrays[2].row(lines, row)[column]);
          bias_run += grad;
        }
        weight_sum += weight_run;
        bias_sum += bias_run;
      }
      if (weight != nullptr) weight[i] = weight_sum;
      if (bias != nullptr) bias[i] = bias_sum;
    }
  }
};

/// The same with a thread per pack of columns, which has several rows on their way at once.
template <typename T>
struct PackedParameterKernel {
  using C = Compute<T>;
  static constexpr int kColumns = kPacked<T>, kRows = 4;

  const T* grad;
  const T* x;
  std::int64_t grad_step, x_step;  ///< bytes from a row to the next
  NormShape shape;
  StatisticsOfRows<C> statistics;
  C* weight;
  C* bias;
  std::int64_t parts;

  struct Sums {
    C weight[kColumns] = {}, bias[kColumns] = {};
  };

  template <typename Group>
  LECTERN_HD void operator()(const Group& group, std::int64_t block) const {
    const std::int64_t packs = shape.length / kColumns;
    const std::int64_t i = block * group.size() + group.rank();
    if (i >= parts * packs) return;
    const std::int64_t part = i / packs, column = i % packs * kColumns;
    const std::int64_t end = (part + 1) * shape.rows / parts;
    Sums sums;
    for (std::int64_t row = part * shape.rows / parts; row < end; row += kRows) {
      add_rows(sums, row, end, column);
    }
    if (weight != nullptr) write_packs(weight + part * shape.length + column, sums.weight);
    if (bias != nullptr) write_packs(bias + part * shape.length + column, sums.bias);
  }

 private:
  static LECTERN_HD RawPack read(const T* from, std::int64_t step, std::int64_t row, std::int64_t column) {
    return read_pack(reinterpret_cast<const std::byte*>(from + column) + row * step);
  }
  /// Those before `end`; what is missing counts as 0.
  LECTERN_HD void add_rows(Sums& sums, std::int64_t row, std::int64_t end, std::int64_t column) const {
    RawPack grads[kRows] = {}, xs[kRows] = {};
    RowStatistics<C> found[kRows] = {};
    LECTERN_UNROLLED
    for (int r = 0; r < kRows; ++r) {
      if (row + r >= end) continue;
      grads[r] = read(grad, grad_step, row + r, column);
      xs[r] = read(x, x_step, row + r, column);
      found[r] = statistics.get(row + r);
    }
    LECTERN_UNROLLED
    for (int c = 0; c < kColumns; ++c) {
      C weight_run = 0, bias_run = 0;
      LECTERN_UNROLLED
      for (int r = 0; r < kRows; ++r) {
        const C g = grads[r].template number<T>(c);
        weight_run += g * found[r].normalized(xs[r].template number<T>(c));
        bias_run += g;
      }
      sums.weight[c] += weight_run;
      sums.bias[c] += bias_run;
    }
  }
};

template <typename Source, typename C>
void launch_parameters(const NormShape& shape, const Lines& lines, const std::array<Array, 3>& arrays,
                       const std::array<Source, 3>& sources, const StatisticsOfRows<C>& statistics,
                       const NormParameters& gradients) {
  const std::int64_t parts = norm_gradient_parts(shape, arrays[0].dtype);
  C* const weight = static_cast<C*>(gradients.weight);
  C* const bias = static_cast<C*>(gradients.bias);
  if constexpr (!Source::kIsStrided) {
    using T = std::remove_pointer_t<decltype(Source::data)>;
    if (has_packed_rows<T>(lines, arrays)) {
      const PackedParameterKernel<T> kernel{sources[1].data,
                                            sources[2].data,
                                            lines.kept.strides[1][0],
                                            lines.kept.strides[2][0],
                                            shape,
                                            statistics,
                                            weight,
                                            bias,
                                            parts};
      return launch_groups<kBlockThreads>(blocks_for(parts * shape.length / kPacked<T>), kernel);
    }
  }
  launch_for(parts * lines.length,
             ParameterKernel<C>{lines, strided_lines<C>(arrays, 0), statistics, weight, bias, parts});
}

}  // namespace

std::int64_t norm_gradient_parts(const NormShape& shape, Dtype dtype) {
  if (const std::int64_t parts = one_pass_norm_parts(shape, dtype); parts > 0) return parts;
  // Enough to occupy a GPU, with a thread for each 8 columns of a part.
  constexpr std::int64_t kThreads = std::int64_t{1} << 17, kThreadColumns = 8, kFewest = 32, kRows = 16;
  const std::int64_t most = std::max(kThreads / (shape.length / kThreadColumns + 1), kFewest);
  return std::clamp<std::int64_t>(shape.rows / kRows, 1, most);
}

void norm_backward(Norm kind, const NormShape& shape, const Array& out, const Array& grad, const Array& x,
                   const void* weight, const NormStatistics& statistics, const NormParameters& gradients) {
  const bool has_gradients = gradients.weight != nullptr || gradients.bias != nullptr;
  if (has_gradients && norm_backward_in_one_pass(kind, shape, out, grad, x, weight, statistics, gradients))
    return;
  const std::array arrays{out, grad, x};
  const Lines lines = make_lines(std::array{shape.rows, shape.length}, 1, arrays);
  with_lines(lines, out.dtype, arrays, 0, [&]<typename Source>(const std::array<Source, 3>& sources) {
    using C = typename Source::Row::Value;
    const StatisticsOfRows<C> found(statistics);
    with_centring(kind, [&](auto centred) {
      launch_lines<Source, norm_use(2)>(
          lines, 1,
          NormBackwardKernel<Source, centred>{lines, sources, {static_cast<const C*>(weight), 1}, found});
    });
    if (has_gradients) launch_parameters(shape, lines, arrays, sources, found, gradients);
  });
}

}  // namespace lectern::kernels::cuda
