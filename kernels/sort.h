#pragma once

#include <cstdint>
#include <span>

#include "kernels/elementwise.h"

// Sorting. The CPU's is a radix sort, of the bytes in which keys differ: O(columns) for each of them; it uses
// all OpenMP threads above 32,768 elements, with a row each. A GPU's is CUB's radix sort, of the bits of a
// key and of its row's index; few keys, up to 131,072, and rows of up to 8,192 are merged instead, in fewer
// launches: O(log(columns)²) per key. Either takes 16 bytes of workspace per key.

namespace lectern::kernels {

/// keys[i] = the sort key of the i-th element in row-major order (kernels/order_key.h) or, `descending`, its
/// complement. O(elements).
LECTERN_KERNEL(void, order_keys, std::span<const std::int64_t> sizes, const Array& in, bool descending,
               std::uint64_t* keys);

/// Sorts each of `rows` rows of `columns` keys, stably and ascending; places[i] becomes the column where the
/// i-th key of all was. Keys may differ in their lowest `bits`, 1 to 64; all higher bits are equal. Both
/// arrays are contiguous. The keys of several rows are consumed, those of one are sorted. On the CPU a row
/// that is sorted already costs one pass.
LECTERN_KERNEL(void, sort_rows, std::int64_t rows, std::int64_t columns, int bits, std::uint64_t* keys,
               std::int64_t* places);

/// The same for the first `k` of each row, at most all; the rest is left in any order. On the CPU, if k is
/// small, each key is read once, and takes O(log k) if it is among the first k so far.
LECTERN_KERNEL(void, sort_first, std::int64_t rows, std::int64_t columns, std::int64_t k, int bits,
               std::uint64_t* keys, std::int64_t* places);

}  // namespace lectern::kernels
