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
  const auto launch = [&]<typename Source>(const Source& source) {
    using C = typename Source::Row::Value;
    launch_teams(geometry.kept.numel, geometry.length,
                 InPlaceKernel<Source>{geometry, source, ClassTargets<C>(lines),
                                       ClassRule<C>{lines.ignored, static_cast<C>(lines.smoothing)},
                                       static_cast<C*>(losses), static_cast<C*>(weights)});
  };
  const auto launch_packed = [&]<typename T>(std::type_identity<T>) {
    if (!has_packed_lines<T>(geometry, 0, lines.logits)) return false;
    launch(PackedLines<T>{static_cast<T*>(lines.logits.data), 0});
    return true;
  };
  if (launch_packed(std::type_identity<BFloat16>{}) || launch_packed(std::type_identity<Half>{})) return;
  if (launch_packed(std::type_identity<float>{}) || launch_packed(std::type_identity<double>{})) return;
  launch(StridedLines<float>{static_cast<std::byte*>(lines.logits.data), lines.logits.dtype, 0});
}

}  // namespace lectern::kernels::cuda
