#pragma once

#include <string_view>

#include "kernels/elementwise_table.h"
#include "tensor/tensor.h"

// The elementwise operations of kernels/elementwise_table.h, with PyTorch's broadcasting, promotion and
// errors, as functions (add(a, b)), methods (a.add(b)), in-place (a.add_(b)) and, where C++ has one, as
// operators. An operand may be a scalar; `2 / x` works too.
//
// The result has the operands' layout, as in PyTorch: dense, dimensions in their order. In-place operations
// keep the tensor's shape and dtype; a TensorError when the result would have another shape or a dtype of a
// higher category (a floating result in an integer tensor), or when the tensor is expanded or partially
// overlaps the other operand.
//
// Integer division by 0 is a TensorError; on a GPU it is not checked and gives 0. trunc_divide(a, b) is
// div(a, b, "trunc"); softplus has PyTorch's beta 1 and threshold 20; logit has no eps. Shifts by a negative
// amount, or by more than the width, shift out all bits.
//
// Each operation counts 1 floating-point operation per element of the result, and the bytes of its tensors;
// see device/counters.h.

namespace lectern {

#define LECTERN_FUNCTION(name, Functor, rule, autocast) Tensor name(const Tensor& a);
LECTERN_UNARY_OPERATIONS(LECTERN_FUNCTION)
#undef LECTERN_FUNCTION

#define LECTERN_FUNCTION(name, Functor, rule, autocast) \
  Tensor name(const Tensor& a, const Tensor& b);        \
  Tensor name(const Tensor& a, const Scalar& b);        \
  Tensor name(const Scalar& a, const Tensor& b);
LECTERN_BINARY_OPERATIONS(LECTERN_FUNCTION)
#undef LECTERN_FUNCTION

/// Division rounded down ("floor", as floor_divide) or towards 0 ("trunc"), in the operands' dtype.
Tensor div(const Tensor& a, const Tensor& b, std::string_view rounding_mode);
Tensor div(const Tensor& a, const Scalar& b, std::string_view rounding_mode);
Tensor div(const Scalar& a, const Tensor& b, std::string_view rounding_mode);

inline Tensor operator-(const Tensor& a) {
  return neg(a);
}
inline Tensor operator~(const Tensor& a) {
  return bitwise_not(a);
}

#define LECTERN_OPERATOR(symbol, name)                              \
  inline Tensor operator symbol(const Tensor& a, const Tensor& b) { \
    return name(a, b);                                              \
  }                                                                 \
  inline Tensor operator symbol(const Tensor& a, const Scalar& b) { \
    return name(a, b);                                              \
  }                                                                 \
  inline Tensor operator symbol(const Scalar& a, const Tensor& b) { \
    return name(a, b);                                              \
  }
LECTERN_OPERATOR(+, add)
LECTERN_OPERATOR(-, sub)
LECTERN_OPERATOR(*, mul)
LECTERN_OPERATOR(/, div)
LECTERN_OPERATOR(%, remainder)
LECTERN_OPERATOR(&, bitwise_and)
LECTERN_OPERATOR(|, bitwise_or)
LECTERN_OPERATOR(^, bitwise_xor)
LECTERN_OPERATOR(<<, bitwise_left_shift)
LECTERN_OPERATOR(>>, bitwise_right_shift)
LECTERN_OPERATOR(==, eq)
LECTERN_OPERATOR(!=, ne)
LECTERN_OPERATOR(<, lt)
LECTERN_OPERATOR(<=, le)
LECTERN_OPERATOR(>, gt)
LECTERN_OPERATOR(>=, ge)
#undef LECTERN_OPERATOR

// Also for an unnamed view: x[0] += 1.
#define LECTERN_OPERATOR(symbol, name)                                     \
  inline const Tensor& operator symbol(const Tensor& a, const Tensor& b) { \
    return a.name(b);                                                      \
  }                                                                        \
  inline const Tensor& operator symbol(const Tensor& a, const Scalar& b) { \
    return a.name(b);                                                      \
  }
LECTERN_OPERATOR(+=, add_)
LECTERN_OPERATOR(-=, sub_)
LECTERN_OPERATOR(*=, mul_)
LECTERN_OPERATOR(/=, div_)
LECTERN_OPERATOR(%=, remainder_)
LECTERN_OPERATOR(&=, bitwise_and_)
LECTERN_OPERATOR(|=, bitwise_or_)
LECTERN_OPERATOR(^=, bitwise_xor_)
LECTERN_OPERATOR(<<=, bitwise_left_shift_)
LECTERN_OPERATOR(>>=, bitwise_right_shift_)
#undef LECTERN_OPERATOR

}  // namespace lectern
