#include "kernels/cpu/reduction_plan.h"

#include <limits>

namespace lectern::kernels {
namespace {

/// Elements of a row that is folded together, at most.
constexpr std::int64_t kFoldedRow = 256;
/// Results of fewer elements than this are computed side by side where there are many.
constexpr std::int64_t kShortRun = 16;

std::int64_t step(const Geometry& geometry) {
  const std::int64_t stride = geometry.strides[0][0];
  return geometry.numel == 1 || stride == 0 ? std::numeric_limits<std::int64_t>::max() : stride;
}

bool runs_across(const Geometry& kept, const Geometry& reduced) {
  const std::int64_t columns = kept.sizes[0];
  if (step(reduced) <= step(kept)) return reduced.numel < kShortRun && columns >= 4 * kShortRun;
  // A few columns far apart in each row: rather one after the other.
  const bool adjacent = reduced.strides[0][0] == columns * kept.strides[0][0];
  return columns >= 4 || adjacent || reduced.numel < kShortRun;
}

void fold_rows(ReductionPlan& plan) {
  const std::int64_t columns = plan.kept.sizes[0];
  std::int64_t& rows = plan.reduced.sizes[0];
  std::int64_t& stride = plan.reduced.strides[0][0];
  if (stride != columns * plan.kept.strides[0][0]) return;
  while (2 * plan.fold * columns <= kFoldedRow && 2 * plan.fold <= rows) plan.fold *= 2;
  const std::int64_t folded = (rows + plan.fold - 1) / plan.fold;
  plan.last_fold = rows - (folded - 1) * plan.fold;
  plan.reduced.numel = plan.reduced.numel / rows * folded;
  rows = folded;
  stride *= plan.fold;
}

}  // namespace

ReductionPlan plan_reduction(std::span<const std::int64_t> sizes, std::span<const bool> over, const Array& in,
                             const Array& out, const Array* positions, bool foldable) {
  std::array<std::array<std::int64_t, kMaxRank>, 2> part_sizes;  // [whether reduced]
  std::array<std::array<std::int64_t, kMaxRank>, 2> in_strides;
  std::array<std::int64_t, kMaxRank> out_strides;
  std::array<std::int64_t, kMaxRank> position_strides;
  std::array<std::size_t, 2> ranks{};
  for (std::size_t d = 0; d < sizes.size(); ++d) {
    std::size_t& rank = ranks[over[d]];
    part_sizes[over[d]][rank] = sizes[d];
    in_strides[over[d]][rank] = in.strides[d];
    if (!over[d]) {
      out_strides[rank] = out.strides[d];
      position_strides[rank] = positions == nullptr ? 0 : positions->strides[d];
    }
    ++rank;
  }
  const auto part = [&](std::size_t which) { return std::span(part_sizes[which].data(), ranks[which]); };
  const ArrayStrides kept[] = {{in_strides[0].data(), element_size(in.dtype)},
                               {out_strides.data(), element_size(out.dtype)},
                               {position_strides.data(), element_size(int64)}};
  const ArrayStrides reduced[] = {{in_strides[1].data(), element_size(in.dtype)}};
  ReductionPlan plan;
  plan.kept = make_geometry(part(0), std::span(kept, positions == nullptr ? 2 : 3));
  plan.reduced = make_geometry(part(1), reduced);
  plan.elements = plan.reduced.numel;
  plan.across = plan.elements > 0 && plan.kept.numel > 0 && runs_across(plan.kept, plan.reduced);
  if (plan.across && foldable) fold_rows(plan);
  return plan;
}

}  // namespace lectern::kernels
