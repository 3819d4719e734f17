#pragma once

#include <cstdint>

#include "kernels/cuda/sorted_keys.h"

namespace lectern::kernels::cuda {

/// sort_rows() by CUB's radix sort, a row at a time. Returns false, with nothing done, on the simulated GPU,
/// for which there is no CUB.
bool radix_sort_rows(std::int64_t rows, std::int64_t columns, int bits, const SortedKeys& keys,
                     const SortedKeys& workspace);

}  // namespace lectern::kernels::cuda
