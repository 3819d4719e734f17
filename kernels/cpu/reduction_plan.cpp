#include "kernels/cpu/reduction_plan.h"

#include <limits>

namespace lectern::kernels::cpu {
namespace {

/// The most elements of a folded row.
constexpr std::int64_t kFoldedRow = 256;
/// Results of fewer elements than this are computed across if there are many.
constexpr std::int64_t kShortRun = 16;

std::int64_t step(const Geometry& geometry) {
  const std::int64_t stride = geometry.strides[0][0];
  return geometry.numel == 1 || stride == 0 ? std::numeric_limits<std::int64_t>::max() : stride;
}

bool runs_across(const Geometry& kept, const Geometry& reduced) {
  const std::int64_t columns = kept.sizes[0];
  if (step(reduced) <= step(kept)) return reduced.numel < kShortRun && columns >= 4 * kShortRun;
  // A few columns far apart in each row: better one by one.
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
  ReductionPlan plan{reduction_geometry(sizes, over, out, in, positions)};
  plan.elements = plan.reduced.numel;
  plan.across = plan.elements > 0 && plan.kept.numel > 0 && runs_across(plan.kept, plan.reduced);
  if (plan.across && foldable) fold_rows(plan);
  return plan;
}

}  // namespace lectern::kernels::cpu
