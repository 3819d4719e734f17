#pragma once

#include "tensor/tensor.h"

namespace lectern {

/// matmul(a, b) before it is rounded: of floating dtypes of fewer than 32 bits in float32. Without a
/// gradient.
Tensor matmul_sums(const Tensor& a, const Tensor& b);

/// sums += a · b, of matrices of float32 or float64 on the CPU; `sums` is contiguous and of the product's
/// shape. Without a gradient.
void add_matmul(const Tensor& sums, const Tensor& a, const Tensor& b);

}  // namespace lectern
