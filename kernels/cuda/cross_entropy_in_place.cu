#include "kernels/class_lines.h"
#include "kernels/cross_entropy.h"
#include "kernels/cross_entropy_row.h"
#include "kernels/cuda/line_access.h"

namespace lectern::kernels::cuda {
namespace {

/// A group reads its row again while it is cached.
template <typename Source>
struct InPlaceKernel {
  using C = typename Source::Row::Value;

  Lines lines;
  Source logits;
  ClassTargets<C> targets;
  ClassRule<C> rule;
  C* losses;
  C* weights;

  template <typename Group>
  LECTERN_HD void operator()(const Group& group, std::int64_t line) const {
    const SharedRow<C, Source::Row::kChunk> weight{targets.weight, 1};
    const auto row = logits.row(lines, line);
    const std::int64_t target = targets.targets[line];
    const RowLoss<C> found = cross_entropy_row(group, targets.classes, rule, target, row, weight);
    cross_entropy_backward_row(group, targets.classes, rule, target, found.normalizer, C(1), row, row,
                               weight);
    if (group.rank() != 0) return;
    losses[line] = found.loss;
    weights[line] = found.weight;
  }
};

}  // namespace

void cross_entropy_in_place(const ClassLines& lines, void* losses, void* weights) {
  const std::array arrays{lines.logits};
  const Lines geometry = make_lines(lines.sizes, lines.dim, arrays);
  with_lines(geometry, lines.logits.dtype, arrays, 0,
             [&]<typename Source>(const std::array<Source, 1>& sources) {
               using C = typename Source::Row::Value;
               launch_lines<Source, LineUse{.rows = 0, .by_threads = false}>(
                   geometry, 0,
                   InPlaceKernel<Source>{geometry, sources[0], ClassTargets<C>(lines),
                                         ClassRule<C>{lines.ignored, static_cast<C>(lines.smoothing)},
                                         static_cast<C*>(losses), static_cast<C*>(weights)});
             });
}

}  // namespace lectern::kernels::cuda
