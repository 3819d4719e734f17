#pragma once

#include "kernels/matmul.h"

namespace lectern::kernels::cuda {

/// out = a b, of two matrices of float8 types, of which one is float8_e4m3fn, to float32 sums, by the tensor
/// cores that multiply float8 (from compute capability 8.9 on), through cuBLASLt. They add up in fewer bits
/// than float32 has. False, and nothing was done, where there are none, and where cuBLASLt has no such
/// product: the inner size and the columns must be multiples of 16. `out` is contiguous, on the current
/// device; the work is given to the current stream.
bool float8_product(const ProductSizes& sizes, const Array& out, const Array& a, const Array& b);

}  // namespace lectern::kernels::cuda
