#pragma once

#include "tensor/tensor.h"

// Arithmetic on three tensors in one pass, with PyTorch's broadcasting; also methods, and in place. Each
// counts 1 floating-point operation per element of the result, and the bytes of its tensors.

namespace lectern {

/// start + weight (end - start), which is `end` itself for a weight of 1. All have one floating dtype.
Tensor lerp(const Tensor& start, const Tensor& end, const Tensor& weight);
Tensor lerp(const Tensor& start, const Tensor& end, const Scalar& weight);

/// x + value · tensor1 · tensor2, of the promoted dtype, which is not bool. For integers `value` is
/// truncated. One other than 1 costs a product more.
Tensor addcmul(const Tensor& x, const Tensor& tensor1, const Tensor& tensor2, const Scalar& value = 1);
/// x + value · tensor1 / tensor2, likewise, of a floating dtype.
Tensor addcdiv(const Tensor& x, const Tensor& tensor1, const Tensor& tensor2, const Scalar& value = 1);

}  // namespace lectern
