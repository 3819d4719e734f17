#pragma once

#include <cstdint>
#include <span>

#include "kernels/reductions.h"

// Reductions on arrays on the current CUDA device, with the semantics of kernels/reductions.h, enqueued on
// the current stream.
//
// Contiguous floating-point elements of one result are reduced by a warp, or by blocks of 8,192 of them each;
// else a thread takes 64 elements of a result, and its neighbour those next in memory. Partial results go to
// a workspace and are merged likewise. So no sum has more than 16 values added in sequence, and the order
// follows from sizes, strides and dtypes alone.

namespace lectern::kernels::cuda {

/// At most 16 bytes of workspace per 32 elements. O(elements).
void reduce(Reduction reduction, Dtype common, std::span<const std::int64_t> sizes,
            std::span<const bool> over, const Array& out, const Array& in, const Array* positions = nullptr);

}  // namespace lectern::kernels::cuda
