#pragma once

#include <cstdint>
#include <type_traits>

#include "kernels/cuda/line_access.h"
#include "kernels/norm_row.h"
#include "kernels/norms.h"

// What the kernels of kernels/norms.h and those of their gradients have in common.

namespace lectern::kernels::cuda {

/// The arrays of NormStatistics.
template <ComputeType C>
struct StatisticsOfRows {
  C* mean;  ///< null for rms
  C* rstd;

  explicit StatisticsOfRows(const NormStatistics& statistics)
      : mean(static_cast<C*>(statistics.mean)), rstd(static_cast<C*>(statistics.rstd)) {}

  LECTERN_HD RowStatistics<C> get(std::int64_t row) const {
    return {mean == nullptr ? C(0) : mean[row], rstd[row]};
  }
  LECTERN_HD void set(std::int64_t row, const RowStatistics<C>& found) const {
    if (mean != nullptr) mean[row] = found.mean;
    rstd[row] = found.rstd;
  }
};

/// How launch_lines() takes rows of which a thread reads `rows` at once. Held are those of up to 8192 floats
/// or 16,384 halves. Longer ones, which few models have, are read once more, but from the L2 cache: as many
/// as a GPU works on at once fit there. Only a transposed input lies across; of its neighbouring rows, which
/// share sectors of 32 bytes, the warps of a block take 8.
constexpr LineUse norm_use(int rows) {
  return {.rows = rows, .holds_long = false, .by_threads = false};
}

/// Calls visit(std::bool_constant of whether rows are centred).
template <typename Visit>
void with_centring(Norm kind, const Visit& visit) {
  if (kind == Norm::layer) return visit(std::true_type{});
  visit(std::false_type{});
}

}  // namespace lectern::kernels::cuda
