#pragma once

#include "kernels/elementwise_table.h"
#include "tensor/tensor.h"

// The elementwise operations of kernels/elementwise_table.h, with PyTorch's broadcasting, promotion and
// errors, as functions (add(a, b)), methods (a.add(b)), in place (a.add_(b)) and, where C++ has one, as
// operators. An operand may be a number; `2 / x` works too.
//
// The result has the operands' layout, as in PyTorch: dimensions in the order of theirs, without gaps. In
// place, the tensor keeps its shape and dtype; a TensorError when the result would have another shape, or a
// dtype of a higher category (a floating result does not go into an integer tensor), or when the tensor is
// expanded or partly shares memory with the other one.
//
// Each operation counts 1 floating-point operation per element of the result, and the bytes of its tensors;
// see device/counters.h.

namespace lectern {

#define LECTERN_FUNCTION(name, Functor, rule) Tensor name(const Tensor& a);
LECTERN_UNARY_OPERATIONS(LECTERN_FUNCTION)
#undef LECTERN_FUNCTION

#define LECTERN_FUNCTION(name, Functor, rule)    \
  Tensor name(const Tensor& a, const Tensor& b); \
  Tensor name(const Tensor& a, const Scalar& b); \
  Tensor name(const Scalar& a, const Tensor& b);
LECTERN_BINARY_OPERATIONS(LECTERN_FUNCTION)
#undef LECTERN_FUNCTION

inline Tensor operator-(const Tensor& a) {
  return neg(a);
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
LECTERN_OPERATOR(==, eq)
LECTERN_OPERATOR(!=, ne)
LECTERN_OPERATOR(<, lt)
LECTERN_OPERATOR(<=, le)
LECTERN_OPERATOR(>, gt)
LECTERN_OPERATOR(>=, ge)
#undef LECTERN_OPERATOR

// Also of a view that has no name: x[0] += 1.
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
#undef LECTERN_OPERATOR

}  // namespace lectern
