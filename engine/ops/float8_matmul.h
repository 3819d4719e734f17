#pragma once

#include "tensor/tensor.h"

namespace lectern {

/// The product of two float8 tensors, of one type or both, as matmul(), in float32 without rounding: […, n,
/// k] · [k, m] is […, n, m]. On a GPU with float8 tensor cores it uses them (kernels/matmul.h),
/// which accumulate in fewer bits; elsewhere it is computed in float32. Has no gradient. Errors as
/// matmul()'s.
Tensor float8_matmul(const Tensor& a, const Tensor& b);

}  // namespace lectern
