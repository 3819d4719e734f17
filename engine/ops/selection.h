#pragma once

#include <optional>

#include "tensor/tensor.h"

// Elementwise selection, with PyTorch's broadcasting and promotion; also methods of Tensor. Each counts 1
// floating-point operation per element of the result, and the bytes of its tensors. clamp_min and clamp_max,
// with one bound, are in ops/elementwise.h.

namespace lectern {

/// a where the condition, of dtype bool, is true, b elsewhere.
Tensor where(const Tensor& condition, const Tensor& a, const Tensor& b);
Tensor where(const Tensor& condition, const Tensor& a, const Scalar& b);
Tensor where(const Tensor& condition, const Scalar& a, const Tensor& b);
Tensor where(const Tensor& condition, const Scalar& a, const Scalar& b);

/// x clamped to [min, max]; one of them may be absent: clamp(x, {}, 1). Where min > max the result is max;
/// NaN, also in a bound, propagates. The gradient goes to x where min <= x <= max, to min where x < min <
/// max, and to max where x or min is above it. (With one bound see clamp_min and clamp_max.)
Tensor clamp(const Tensor& x, const std::optional<Scalar>& min, const std::optional<Scalar>& max = {});
Tensor clamp(const Tensor& x, const std::optional<Tensor>& min, const std::optional<Tensor>& max = {});

/// x with `value` where the mask, of dtype bool, is true. The result has x's dtype, which must be able to
/// represent the value; a tensor value must be 0-d.
Tensor masked_fill(const Tensor& x, const Tensor& mask, const Scalar& value);
Tensor masked_fill(const Tensor& x, const Tensor& mask, const Tensor& value);

/// x with NaN, infinity and -infinity replaced; `posinf` and `neginf` default to the dtype's largest and
/// smallest finite values. Replacements beyond these are infinite. Integers are copied. Composed of masks and
/// fills.
Tensor nan_to_num(const Tensor& x, const Scalar& nan = 0, const std::optional<Scalar>& posinf = {},
                  const std::optional<Scalar>& neginf = {});

}  // namespace lectern
