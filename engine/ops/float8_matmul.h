#pragma once

#include "tensor/tensor.h"

namespace lectern {

/// The products of two float8 tensors, of one type or both, as matmul(), in float32 without rounding: […, n,
/// k] · [k, m] is […, n, m]. On a GPU that multiplies float8 by its tensor cores
/// (kernels/cuda/float8_product.h), which add up in fewer bits; elsewhere in float32. Without a gradient.
/// Errors as matmul()'s.
Tensor float8_matmul(const Tensor& a, const Tensor& b);

}  // namespace lectern
