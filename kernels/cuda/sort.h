#pragma once

#include <cstdint>
#include <span>

#include "kernels/elementwise.h"

namespace lectern::kernels::cuda {

/// kernels/sort.h on the current CUDA device, enqueued on the current stream.
void order_keys(std::span<const std::int64_t> sizes, const Array& in, bool descending, std::uint64_t* keys);

/// Sorts each of `rows` rows of `columns` keys, stably and ascending; places[i] becomes the column where the
/// i-th key of all was. Both arrays are contiguous, on the current CUDA device; work is enqueued on the
/// current stream. A merge sort: O(log(columns)^2) per key, and 16 bytes of workspace.
void sort_rows(std::int64_t rows, std::int64_t columns, std::uint64_t* keys, std::int64_t* places);

}  // namespace lectern::kernels::cuda
