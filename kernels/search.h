#pragma once

#include <cstdint>

#include "base/host_device.h"
#include "kernels/kernel.h"

// Binary search among sort keys (kernels/order_key.h).

namespace lectern::kernels {

/// How often the sorted keys of `columns` can come before `key`: the place of the first that is not smaller
/// or, to the `right`, not smaller or equal.
LECTERN_HD std::int64_t insertion_point(const std::uint64_t* sorted, std::int64_t columns, std::uint64_t key,
                                        bool right) {
  std::int64_t low = 0, high = columns;
  while (low < high) {
    const std::int64_t half = low + (high - low) / 2;
    const bool before = right ? sorted[half] <= key : sorted[half] < key;
    (before ? low : high) = before ? half + 1 : half;
  }
  return low;
}

/// Keys to search for, `wanted` for each of some rows, among rows of sorted ones, or in one row for all.
struct KeySearch {
  const std::uint64_t* sorted;
  std::int64_t columns;
  bool one_row;
  const std::uint64_t* keys;
  std::int64_t count;
  std::int64_t wanted;
  bool right;

  LECTERN_HD std::int64_t find(std::int64_t i) const {
    const std::int64_t row = one_row ? 0 : i / wanted;
    return insertion_point(sorted + row * columns, columns, keys[i], right);
  }
};

/// places[i] = the insertion point of the i-th key. All OpenMP threads above 32,768 keys. O(log(columns))
/// for each.
LECTERN_KERNEL(void, search_sorted, const KeySearch& search, std::int64_t* places);

}  // namespace lectern::kernels
