#pragma once

#include <cstdint>
#include <span>

#include "base/dtype.h"
#include "kernels/elementwise.h"
#include "kernels/reduction_table.h"

// Reductions, of any dtype and strides, without copying the array.
//
// On the CPU blocks that are not contiguous or of another dtype pass through a scratch buffer in the L1
// cache. Sums are exact to a few roundings: at most 16 elements are added in sequence, 16 or 64 of such sums
// again, and everything beyond pairwise. The order of combination follows from sizes and strides alone, not
// from the instruction set or the number of threads: neither changes a bit. Uses all OpenMP threads above
// 32,768 elements.
//
// On a GPU contiguous floating-point elements of one result are reduced by a warp, or by blocks of 8,192 of
// them each; else a thread takes 64 elements of a result, and its neighbour those next in memory. Partial
// results go to a workspace, at most 16 bytes per 32 elements, and are merged likewise. So no sum has more
// than 16 values added in sequence, and the order follows from sizes, strides and dtypes alone.

namespace lectern::kernels {

enum class Reduction : std::uint8_t { LECTERN_REDUCTIONS(LECTERN_NAME) };

/// Reduces `in` over the dimensions d that have over[d], computing in `common`, to which elements are
/// converted first; the result is converted to out's dtype. `out` has a stride for every dimension of `in`,
/// with those of the reduced ones ignored. `positions`, likewise and of dtype int64, receives indices along
/// the one reduced dimension where a reduction gives any; else it is null. O(elements).
LECTERN_KERNEL(void, reduce, Reduction reduction, Dtype common, std::span<const std::int64_t> sizes,
               std::span<const bool> over, const Array& out, const Array& in, const Array* positions);

}  // namespace lectern::kernels
