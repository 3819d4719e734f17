#include "kernels/attention.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/cuda/gemm_lt.h"

namespace lectern::kernels::cuda {
namespace {

/// Ampere, the first with mma of bfloat16 and cp.async.
constexpr int kAmpere = 80;
constexpr std::int64_t kMostColumns = 128;
/// Rows are counted by int, beyond the last one too, and so are blocks: even of one row each there are no
/// more.
constexpr std::int64_t kMostRows = std::numeric_limits<std::int32_t>::max() - 1024;

}  // namespace

bool fused_attention_takes(const AttentionProblem& problem) {
  std::int64_t rows = std::max(problem.queries, problem.keys);
  bool fits = problem.queries > 0 && problem.keys > 0 && rows <= kMostRows;
  for (const std::int64_t size : problem.batch) {
    fits = fits && size > 0 && rows <= kMostRows / size;
    if (fits) rows *= size;
  }
  return fits && (problem.dtype == bfloat16 || problem.dtype == float16) && problem.head > 0 &&
         problem.head <= kMostColumns && problem.head % 8 == 0 && problem.scale > 0 &&
         std::isfinite(problem.scale) && compute_capability() >= kAmpere;
}

}  // namespace lectern::kernels::cuda
