#include "kernels/cuda/norm_lines.h"
#include "kernels/cuda/one_pass_norms.h"

namespace lectern::kernels::cuda {
namespace {

template <typename Source, bool kCentered>
struct NormKernel {
  using C = typename Source::Row::Value;
  using Shared = SharedRow<C, Source::Row::kChunk>;

  Lines lines;
  std::array<Source, 2> arrays;  ///< out, x
  Shared weight, bias;
  C eps;
  StatisticsOfRows<C> statistics;

  template <typename Group>
  LECTERN_HD void operator()(const Group& group, std::int64_t row) const {
    const auto x = arrays[1].input(group, lines, row);
    const auto out = arrays[0].row(lines, row);
    const auto found = norm_row<kCentered>(group, lines.length, eps, out, x, weight, bias);
    if (group.rank() == 0) statistics.set(row, found);
  }
};

}  // namespace

void norm(Norm kind, const NormShape& shape, double eps, const Array& out, const Array& x,
          const NormParameters& parameters, const NormStatistics& statistics) {
  if (norm_in_one_pass(kind, shape, eps, out, x, parameters, statistics)) return;
  const std::array arrays{out, x};
  const Lines lines = make_lines(std::array{shape.rows, shape.length}, 1, arrays);
  with_lines(lines, out.dtype, arrays, 0, [&]<typename Source>(const std::array<Source, 2>& sources) {
    using C = typename Source::Row::Value;
    using Shared = SharedRow<C, Source::Row::kChunk>;
    const Shared weight{static_cast<const C*>(parameters.weight), 1};
    const Shared bias{static_cast<const C*>(parameters.bias), 0};
    with_centring(kind, [&](auto centred) {
      launch_lines<Source, norm_use(1)>(
          lines, 1,
          NormKernel<Source, centred>{lines, sources, weight, bias, static_cast<C>(eps),
                                      StatisticsOfRows<C>(statistics)});
    });
  });
}

}  // namespace lectern::kernels::cuda
