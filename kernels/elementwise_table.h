#pragma once

// The elementwise operations: one row each. From a row come the function, the method, the in-place form, the
// kernels of both devices and the test case; its functor stands in kernels/elementwise_functors.h.
//
//   X(name, Functor, rule)
//
// Rules of the result's dtype, which is also what is computed in (16- and 8-bit floats in float, rounded
// once):
//   same      as the operand's, after promotion
//   real      floating point: integers and bool become the default dtype (float32)
//   truth     computed in the promoted dtype, the result is bool

#define LECTERN_UNARY_OPERATIONS(X) \
  X(abs, Abs, same)                 \
  X(neg, Neg, same)                 \
  X(square, Square, same)           \
  X(sqrt, Sqrt, real)               \
  X(rsqrt, Rsqrt, real)             \
  X(exp, Exp, real)                 \
  X(log, Log, real)

#define LECTERN_BINARY_OPERATIONS(X) \
  X(add, Add, same)                  \
  X(sub, Sub, same)                  \
  X(mul, Mul, same)                  \
  X(div, Div, real)                  \
  X(pow, Pow, same)                  \
  X(maximum, Maximum, same)          \
  X(minimum, Minimum, same)          \
  X(eq, Eq, truth)                   \
  X(ne, Ne, truth)                   \
  X(lt, Lt, truth)                   \
  X(le, Le, truth)                   \
  X(gt, Gt, truth)                   \
  X(ge, Ge, truth)
