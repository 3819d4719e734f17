#pragma once

#include <cstdint>

#include "base/dtype.h"

namespace lectern::test {

// What kernels/cuda/mma.h describes, tried in one warp of the current GPU; arrays are in its memory, and what
// a lane gets is at [lane].

/// A tile of 32 × 64 16-bit numbers, of which `rows` and `columns` are copied from `matrix`; in `words` the
/// fragments [8 of 16 × 16, row by row][lane][4].
void read_fragments(bool transposed, const std::uint16_t* matrix, int rows, int columns,
                    std::uint32_t* words);

/// sums[lane][4] += the products of a[lane][4] and b[lane][2].
void multiply_fragments_of(Dtype dtype, const std::uint32_t* a, const std::uint32_t* b, float* sums);

/// Of each lane's number x: the one of lane ^ mask, 2^x, log₂ x, 1 / x; and pairs of it and -x.
void try_functions(int mask, const float* x, float (*results)[4], std::uint32_t (*pairs)[2]);

}  // namespace lectern::test
