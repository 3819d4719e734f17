#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "kernels/cumsum.h"

// Running sums on arrays in the memory of the current CUDA device, with the meaning of kernels/cumsum.h,
// given to the current stream. A line of n elements is cut into about √n parts: their sums are added up one
// after the other by one thread, what is inside of them by one thread each.

namespace lectern::kernels::cuda {

void cumsum(Dtype common, std::span<const std::int64_t> sizes, std::size_t dim, const Array& out,
            const Array& in, bool reverse);

}  // namespace lectern::kernels::cuda
