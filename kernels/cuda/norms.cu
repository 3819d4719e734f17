#include "kernels/cuda/line_access.h"
#include "kernels/norm_row.h"
#include "kernels/norms.h"

namespace lectern::kernels::cuda {
namespace {

template <ComputeType C>
struct Statistics {
  C* mean;  ///< null for rms
  C* rstd;

  explicit Statistics(const NormStatistics& statistics)
      : mean(static_cast<C*>(statistics.mean)), rstd(static_cast<C*>(statistics.rstd)) {}

  LECTERN_HD RowStatistics<C> get(std::int64_t row) const {
    return {mean == nullptr ? C(0) : mean[row], rstd[row]};
  }
  LECTERN_HD void set(std::int64_t row, const RowStatistics<C>& found) const {
    if (mean != nullptr) mean[row] = found.mean;
    rstd[row] = found.rstd;
  }
};

template <typename Source>
struct NormKernel {
  using C = typename Source::Row::Value;
  using Shared = SharedRow<C, Source::Row::kChunk>;

  Norm kind;
  Lines lines;
  std::array<Source, 2> arrays;  ///< out, x
  Shared weight, bias;
  C eps;
  Statistics<C> statistics;

  template <typename Group>
  LECTERN_HD void operator()(const Group& group, std::int64_t row) const {
    const auto out = arrays[0].row(lines, row), x = arrays[1].row(lines, row);
    const RowStatistics<C> found = kind == Norm::layer
                                       ? norm_row<true>(group, lines.length, eps, out, x, weight, bias)
                                       : norm_row<false>(group, lines.length, eps, out, x, weight, bias);
    if (group.rank() == 0) statistics.set(row, found);
  }
};

template <typename Source>
struct NormBackwardKernel {
  using C = typename Source::Row::Value;

  Norm kind;
  Lines lines;
  std::array<Source, 3> arrays;  ///< out, grad, x
  SharedRow<C, Source::Row::kChunk> weight;
  Statistics<C> statistics;

  template <typename Group>
  LECTERN_HD void operator()(const Group& group, std::int64_t row) const {
    const auto out = arrays[0].row(lines, row), grad = arrays[1].row(lines, row);
    const auto x = arrays[2].row(lines, row);
    const RowStatistics<C> found = statistics.get(row);
    if (kind == Norm::layer) {
      norm_backward_row<true>(group, lines.length, found, out, grad, x, weight);
    } else {
      norm_backward_row<false>(group, lines.length, found, out, grad, x, weight);
    }
  }
};

/// One part of the rows' contribution to the gradients of weight and bias: a thread per element.
template <typename Source>
struct ParameterKernel {
  using C = typename Source::Row::Value;
  static constexpr int kRowsOfRun = 16;

  Lines lines;
  std::array<Source, 3> arrays;  ///< out, grad, x
  Statistics<C> statistics;
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

}  // namespace

void norm(Norm kind, const NormShape& shape, double eps, const Array& out, const Array& x,
          const NormParameters& parameters, const NormStatistics& statistics) {
  const std::array arrays{out, x};
  const Lines lines = make_lines(std::array{shape.rows, shape.length}, 1, arrays);
  with_lines(lines, out.dtype, arrays, 0, [&]<typename Source>(const std::array<Source, 2>& sources) {
    using Kernel = NormKernel<Source>;
    using C = typename Kernel::C;
    launch_lines<Source>(lines, 1,
                         Kernel{kind,
                                lines,
                                sources,
                                {static_cast<const C*>(parameters.weight), 1},
                                {static_cast<const C*>(parameters.bias), 0},
                                static_cast<C>(eps),
                                Statistics<C>(statistics)});
  });
}

void norm_backward(Norm kind, const NormShape& shape, const Array& out, const Array& grad, const Array& x,
                   const void* weight, const NormStatistics& statistics, const NormParameters& gradients) {
  const std::array arrays{out, grad, x};
  const Lines lines = make_lines(std::array{shape.rows, shape.length}, 1, arrays);
  with_lines(lines, out.dtype, arrays, 0, [&]<typename Source>(const std::array<Source, 3>& sources) {
    using C = typename Source::Row::Value;
    const Statistics<C> found(statistics);
    launch_lines<Source>(
        lines, 1,
        NormBackwardKernel<Source>{kind, lines, sources, {static_cast<const C*>(weight), 1}, found});
    if (gradients.weight == nullptr && gradients.bias == nullptr) return;
    const std::int64_t parts = norm_gradient_parts(shape);
    launch_for(parts * lines.length,
               ParameterKernel<Source>{lines, sources, found, static_cast<C*>(gradients.weight),
                                       static_cast<C*>(gradients.bias), parts});
  });
}

}  // namespace lectern::kernels::cuda
