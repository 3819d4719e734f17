#pragma once

#include "kernels/matmul.h"

namespace lectern::kernels::cuda {

/// out = a b, of two float8 matrices, at least one of them float8_e4m3fn, to float32 sums, by float8 tensor
/// cores (from compute capability 8.9 on), through cuBLASLt. They accumulate in fewer bits than float32 has.
/// Returns false, with nothing done, without such cores, and if cuBLASLt has no such product: the inner size
/// and the columns must be multiples of 16. `out` is contiguous, on the current device; work is enqueued on
/// the current stream.
bool float8_product(const ProductSizes& sizes, const Array& out, const Array& a, const Array& b);

}  // namespace lectern::kernels::cuda
