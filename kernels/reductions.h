#pragma once

#include <cstdint>
#include <span>

#include "kernels/elementwise.h"
#include "kernels/reduction_table.h"
#include "tensor/dtype.h"

// Reductions on arrays in the CPU's memory, of any dtype and strides, without copies of the size of the
// array: blocks that are not contiguous or of another dtype pass through a scratch in the first-level cache.
//
// Sums are exact to a few roundings: at most 16 elements are added up one after the other, 16 or 64 of such
// sums again, and everything beyond by halves. The order in which elements are combined follows from sizes
// and strides alone, not from the instruction set or the number of threads: neither changes a bit. Above
// 32,768 elements all OpenMP threads take part.

namespace lectern::kernels {

enum class Reduction : std::uint8_t {
#define LECTERN_ROW(name, Functor) name,
  LECTERN_REDUCTIONS(LECTERN_ROW)
#undef LECTERN_ROW
};

/// Reduces `in` over the dimensions d that have over[d], computing in `common`, to which elements are
/// converted first; the result is converted to out's dtype. `out` has a stride for every dimension of `in`,
/// with those of the reduced ones ignored. `positions`, likewise and of dtype int64, receives indices along
/// the one reduced dimension where a reduction gives any; else it is null. O(elements).
void reduce(Reduction reduction, Dtype common, std::span<const std::int64_t> sizes,
            std::span<const bool> over, const Array& out, const Array& in, const Array* positions = nullptr);

}  // namespace lectern::kernels
