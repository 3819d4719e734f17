#pragma once

#include <optional>

#include "tensor/tensor.h"

// Operations that choose one of several numbers, element by element, with PyTorch's broadcasting and
// promotion; also methods of Tensor. Each counts 1 floating-point operation per element of the result, and
// the bytes of its tensors. clamp_min and clamp_max, with one bound, stand in ops/elementwise.h.

namespace lectern {

/// a where the condition, of dtype bool, is true, b elsewhere.
Tensor where(const Tensor& condition, const Tensor& a, const Tensor& b);
Tensor where(const Tensor& condition, const Tensor& a, const Scalar& b);
Tensor where(const Tensor& condition, const Scalar& a, const Tensor& b);
Tensor where(const Tensor& condition, const Scalar& a, const Scalar& b);

/// x, but not below min and not above max; either may be absent, not both: clamp(x, {}, 1). Where min is
/// above max the result is max; NaN, of a bound too, stays NaN.
Tensor clamp(const Tensor& x, const std::optional<Scalar>& min, const std::optional<Scalar>& max = {});
Tensor clamp(const Tensor& x, const std::optional<Tensor>& min, const std::optional<Tensor>& max = {});

/// The gradient of clamp(x, min, max) with regard to x: that of the result where x lies from min to max, 0
/// elsewhere. (With one bound see clamp_min and clamp_max.)
Tensor clamp_backward(const Tensor& grad, const Tensor& x, const Scalar& min, const Scalar& max);
Tensor clamp_backward(const Tensor& grad, const Tensor& x, const Tensor& min, const Tensor& max);
/// With regard to min: where x is below it, and it below max.
Tensor clamp_backward_min(const Tensor& grad, const Tensor& x, const Tensor& min, const Tensor& max);
/// With regard to max: where x or min is above it.
Tensor clamp_backward_max(const Tensor& grad, const Tensor& x, const Tensor& min, const Tensor& max);

/// x with `value` where the mask, of dtype bool, is true. The result has x's dtype, which has to hold the
/// value; a tensor as the value has no dimensions.
Tensor masked_fill(const Tensor& x, const Tensor& mask, const Scalar& value);
Tensor masked_fill(const Tensor& x, const Tensor& mask, const Tensor& value);

/// x with other numbers in the place of NaN, infinity and -infinity; without `posinf` and `neginf` the
/// largest and the smallest finite number of the dtype. Integers are copied. Made of masks, fills included.
Tensor nan_to_num(const Tensor& x, const Scalar& nan = 0, const std::optional<Scalar>& posinf = {},
                  const std::optional<Scalar>& neginf = {});

}  // namespace lectern
