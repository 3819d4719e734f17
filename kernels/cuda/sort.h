#pragma once

#include <cstdint>
#include <span>

#include "kernels/elementwise.h"

namespace lectern::kernels::cuda {

/// kernels/sort.h, on the memory of the current CUDA device, given to the current stream.
void order_keys(std::span<const std::int64_t> sizes, const Array& in, bool descending, std::uint64_t* keys);

/// Sorts each of `rows` rows of `columns` keys, the smallest first, equal ones as they were; places[i]
/// becomes the column where the i-th key of all stood. Both arrays are contiguous, in the memory of the
/// current CUDA device; the work is given to the current stream. A merge sort: O(log(columns)^2) for each
/// key, and 16 bytes of workspace.
void sort_rows(std::int64_t rows, std::int64_t columns, std::uint64_t* keys, std::int64_t* places);

}  // namespace lectern::kernels::cuda
