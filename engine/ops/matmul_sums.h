#pragma once

#include "tensor/tensor.h"

namespace lectern {

/// matmul(a, b) before rounding: float32 for floating dtypes of fewer than 32 bits. Has no gradient.
Tensor matmul_sums(const Tensor& a, const Tensor& b);

/// sums += a · b for float32 or float64 matrices on the CPU; `sums` is contiguous and has the product's
/// shape. Has no gradient.
void add_matmul(const Tensor& sums, const Tensor& a, const Tensor& b);

}  // namespace lectern
