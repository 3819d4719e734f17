#pragma once

#include <cstdint>
#include <span>

#include "kernels/reductions.h"

// Reductions on arrays in the memory of the current CUDA device, with the meaning of kernels/reductions.h,
// given to the current stream.
//
// Real numbers that lie next to each other in memory and make one result are taken in by a warp, or by blocks
// that take 8,192 of them each; else a thread takes 64 elements of a result, and its neighbour what lies next
// in memory. What the parts of a result came to waits in a workspace and is merged likewise. So no sum has
// more than 16 numbers added up one after the other, and the order follows from sizes, strides and dtypes
// alone.

namespace lectern::kernels::cuda {

/// At most 16 bytes of workspace for 32 elements. O(elements).
void reduce(Reduction reduction, Dtype common, std::span<const std::int64_t> sizes,
            std::span<const bool> over, const Array& out, const Array& in, const Array* positions = nullptr);

}  // namespace lectern::kernels::cuda
