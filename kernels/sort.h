#pragma once

#include <cstdint>
#include <span>

#include "kernels/elementwise.h"

// Sorting on the CPU. Uses all OpenMP threads above 32,768 elements, with a row each.

namespace lectern::kernels {

/// keys[i] = the sort key of the i-th element in row-major order (kernels/order_key.h) or, `descending`, its
/// complement. O(elements).
void order_keys(std::span<const std::int64_t> sizes, const Array& in, bool descending, std::uint64_t* keys);

/// Sorts each of `rows` rows of `columns` keys, stably and ascending; places[i] becomes the column where the
/// i-th key of all was. Both arrays are contiguous. A radix sort, of the bytes in which keys differ:
/// O(columns) for each of them, and 16 bytes of workspace per key. Sorted rows cost one look.
void sort_rows(std::int64_t rows, std::int64_t columns, std::uint64_t* keys, std::int64_t* places);

/// The same for the first `k` of each row, at most all; the rest is left in any order. If k is small it takes
/// one look at each key, and O(log k) if that is one of the first so far.
void sort_first(std::int64_t rows, std::int64_t columns, std::int64_t k, std::uint64_t* keys,
                std::int64_t* places);

}  // namespace lectern::kernels
