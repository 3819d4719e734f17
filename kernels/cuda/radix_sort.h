#pragma once

#include <cstdint>

#include "kernels/cuda/keys_and_places.h"

namespace lectern::kernels::cuda {

/// sort_rows() by CUB's radix sort. The workspace is for as many. Returns false, with nothing done, in builds
/// without nvcc, as for the simulated GPU.
bool radix_sort_rows(std::int64_t rows, std::int64_t columns, int bits, const KeysAndPlaces& keys,
                     const KeysAndPlaces& workspace);

}  // namespace lectern::kernels::cuda
