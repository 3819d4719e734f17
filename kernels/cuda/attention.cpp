#include "kernels/attention.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/cuda/gemm_lt.h"

namespace lectern::kernels::cuda {
namespace {

/// Ampere, the first with mma of bfloat16 and cp.async.
constexpr int kAmpere = 80;
/// Hopper has 227 KiB of shared memory for a block, and so has Blackwell in data centres; on desktops, from
/// 12.0 on, it has 99.
constexpr int kHopper = 90, kDesktopBlackwell = 120;
constexpr std::int64_t kMostColumns = 128, kNarrowColumns = 64;
/// Rows are counted by int, beyond the last one too, and so are blocks: even of one row each there are no
/// more.
constexpr std::int64_t kMostRows = std::numeric_limits<std::int32_t>::max() - 1024;

/// The kernels of wide heads take up to 138 KiB of shared memory for a block; some GPUs have 99.
std::int64_t most_columns() {
  const int capability = compute_capability();
  const bool is_small = capability == 86 || capability == 89 || capability >= kDesktopBlackwell;
  return is_small ? kNarrowColumns : kMostColumns;
}

}  // namespace

bool fused_attention_takes(const AttentionProblem& problem) {
  std::int64_t rows = std::max(problem.queries, problem.keys);
  bool fits = problem.queries > 0 && problem.keys > 0 && rows <= kMostRows;
  for (const std::int64_t size : problem.batch) {
    fits = fits && size > 0 && rows <= kMostRows / size;
    if (fits) rows *= size;
  }
  const bool is_taken = problem.dtype == bfloat16 || problem.dtype == float16 || problem.dtype == float32;
  return fits && is_taken && problem.head > 0 && problem.head % (16 / element_size(problem.dtype)) == 0 &&
         problem.scale > 0 && std::isfinite(problem.scale) && compute_capability() >= kAmpere &&
         problem.head <= most_columns();
}

bool attention_gradients_fit() {
  const int capability = compute_capability();
  return capability >= kHopper && capability < kDesktopBlackwell;
}

}  // namespace lectern::kernels::cuda
