#pragma once

#include <cstdint>
#include <span>

#include "kernels/kernel.h"

// The set elements of a mask. On the CPU uses all OpenMP threads above 32,768 elements.

namespace lectern::kernels {

/// Elements of a mask that are counted and written together.
inline constexpr std::int64_t kMaskRun = 256;
constexpr std::int64_t mask_runs(std::int64_t count) {
  return (count + kMaskRun - 1) / kMaskRun;
}

/// starts[r], of mask_runs(count) of them, becomes the number of set elements of `mask` before its r-th run
/// of kMaskRun elements. Returns the number of all set ones, for which it waits. O(count).
LECTERN_KERNEL(std::int64_t, count_true, std::int64_t count, const bool* mask, std::int64_t* starts);

/// The index of each set element, in row-major order: `out` has a row for each of them, with one entry for
/// each of the sizes. `starts` comes from count_true(). O(count + set · sizes).
LECTERN_KERNEL(void, fill_nonzero, std::span<const std::int64_t> sizes, const bool* mask,
               const std::int64_t* starts, std::int64_t* out);

}  // namespace lectern::kernels
