#pragma once

#include "tensor/tensor.h"

namespace lectern::amp {

/// Numbers in a float8 dtype and what they are to be multiplied with: a 0-d float32 on their device.
struct ScaledTensor {
  Tensor numbers;
  Tensor scale;
};

/// The tensor, scaled so that its largest magnitude is the largest number of `dtype`: 448 of float8_e4m3fn,
/// 57,344 of float8_e5m2; smaller where the scale would be below 2^-126. The host waits for nothing. Of an
/// infinity or a NaN the numbers have a NaN. A TensorError for another dtype, and unless x is floating.
ScaledTensor quantize_float8(const Tensor& x, Dtype dtype);

/// linear(x, weight, bias) with a product of float8: x and the weight in E4M3, which has more digits, and in
/// backward the gradient in E5M2, which reaches further (Micikevicius et al. 2022, "FP8 Formats for Deep
/// Learning"). Each tensor has a scale of its own, from the numbers that it holds. Products are summed in
/// float32 (float8_matmul()), multiplied with the scales, and rounded once to the dtypes of x and the weight.
/// For backward() a byte is kept for each number of x and the weight.
///
/// Shapes and errors as linear()'s (ops/linear.h); x, weight and bias may have any floating dtypes.
Tensor float8_linear(const Tensor& x, const Tensor& weight, const Tensor& bias = {});

}  // namespace lectern::amp
