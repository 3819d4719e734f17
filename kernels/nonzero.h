#pragma once

#include <cstdint>
#include <span>

// Which elements of a mask are set, in the CPU's memory. Above 32,768 elements all OpenMP threads take part.

namespace lectern::kernels {

/// Elements of a mask that are counted and written together.
inline constexpr std::int64_t kMaskRun = 256;
constexpr std::int64_t mask_runs(std::int64_t count) {
  return (count + kMaskRun - 1) / kMaskRun;
}

/// starts[r], of mask_runs(count) of them, becomes how many of the `count` elements of `mask` are set before
/// its r-th run of kMaskRun elements. Returns how many are set altogether. O(count).
std::int64_t count_nonzero(std::int64_t count, const bool* mask, std::int64_t* starts);

/// For each element that is set its index, in row-major order: `out` has a row for each of them, with one
/// number for each of the sizes. `starts` comes from count_nonzero(). O(count + set · sizes).
void fill_nonzero(std::span<const std::int64_t> sizes, const bool* mask, const std::int64_t* starts,
                  std::int64_t* out);

}  // namespace lectern::kernels
