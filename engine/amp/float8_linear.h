#pragma once

#include "tensor/tensor.h"

namespace lectern::amp {

/// Elements in a float8 dtype and their scale factor: a 0-d float32 on their device.
struct ScaledTensor {
  Tensor elements;
  Tensor scale;
};

/// The tensor, scaled so that its largest magnitude is the maximum of `dtype`: 448 for float8_e4m3fn, 57,344
/// for float8_e5m2; smaller where the scale would be below 2^-126. Does not synchronize. If x has an infinity
/// or a NaN, the result has a NaN. A TensorError for another dtype, and unless x is floating.
ScaledTensor quantize_float8(const Tensor& x, Dtype dtype);

/// linear(x, weight, bias) with a float8 product: x and the weight in E4M3, which has more precision, and in
/// backward the gradient in E5M2, which has more range (Micikevicius et al. 2022, "FP8 Formats for Deep
/// Learning"). Each tensor has its own scale, computed from its elements. Products are accumulated in float32
/// (float8_matmul()), scaled, and rounded once to the dtypes of x and the weight. backward() needs one saved
/// byte per element of x and the weight.
///
/// Shapes and errors as linear()'s (ops/linear.h); x, weight and bias may have any floating dtypes.
Tensor float8_linear(const Tensor& x, const Tensor& weight, const Tensor& bias = {});

}  // namespace lectern::amp
