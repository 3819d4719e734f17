#pragma once

// The elementwise operations: one row each. From a row come the function, the method, the in-place form, the
// kernels of both devices and the test case; its functor, with its gradient, is in one of the headers that
// kernels/elementwise_functors.h includes.
//
//   X(name, Functor, rule)
//
// Rules for the result's dtype, also that of the computation (16- and 8-bit floats in float, rounded once):
//   same      as the operands', after promotion
//   number    likewise, but not bool
//   integer   likewise, and only integers
//   bits      likewise, and only integers and bool
//   floating  likewise, and only floating point
//   real      floating point: integers and bool become the default dtype (float32)
//   truth     predicate: computed in the promoted dtype, is bool

#define LECTERN_UNARY_OPERATIONS(X) \
  X(abs, Abs, number)               \
  X(neg, Neg, number)               \
  X(sign, Sign, same)               \
  X(sgn, Sign, same)                \
  X(square, Square, same)           \
  X(sqrt, Sqrt, real)               \
  X(rsqrt, Rsqrt, real)             \
  X(reciprocal, Reciprocal, real)   \
  X(floor, Floor, number)           \
  X(ceil, Ceil, number)             \
  X(trunc, Trunc, number)           \
  X(round, Round, number)           \
  X(frac, Frac, floating)           \
  X(exp, Exp, real)                 \
  X(exp2, Exp2, real)               \
  X(expm1, Expm1, real)             \
  X(log, Log, real)                 \
  X(log1p, Log1p, real)             \
  X(log2, Log2, real)               \
  X(log10, Log10, real)             \
  X(sin, Sin, real)                 \
  X(cos, Cos, real)                 \
  X(tan, Tan, real)                 \
  X(asin, Asin, real)               \
  X(acos, Acos, real)               \
  X(atan, Atan, real)               \
  X(sinh, Sinh, real)               \
  X(cosh, Cosh, real)               \
  X(tanh, Tanh, real)               \
  X(asinh, Asinh, real)             \
  X(acosh, Acosh, real)             \
  X(atanh, Atanh, real)             \
  X(deg2rad, Deg2Rad, real)         \
  X(rad2deg, Rad2Deg, real)         \
  X(erf, Erf, real)                 \
  X(erfc, Erfc, real)               \
  X(erfinv, ErfInv, real)           \
  X(lgamma, LGamma, real)           \
  X(digamma, Digamma, real)         \
  X(sigmoid, Sigmoid, real)         \
  X(logit, Logit, real)             \
  X(relu, Relu, number)             \
  X(silu, Silu, floating)           \
  X(gelu, Gelu, floating)           \
  X(gelu_tanh, GeluTanh, floating)  \
  X(softplus, Softplus, floating)   \
  X(bitwise_not, BitwiseNot, bits)  \
  X(logical_not, LogicalNot, truth) \
  X(isnan, IsNan, truth)            \
  X(isinf, IsInf, truth)            \
  X(isfinite, IsFinite, truth)      \
  X(isposinf, IsPosInf, truth)      \
  X(isneginf, IsNegInf, truth)      \
  X(signbit, SignBit, truth)

#define LECTERN_BINARY_OPERATIONS(X)                 \
  X(add, Add, same)                                  \
  X(sub, Sub, same)                                  \
  X(mul, Mul, same)                                  \
  X(div, Div, real)                                  \
  X(floor_divide, FloorDivide, number)               \
  X(trunc_divide, TruncDivide, number)               \
  X(remainder, Remainder, number)                    \
  X(fmod, Fmod, number)                              \
  X(pow, Pow, number)                                \
  X(atan2, Atan2, real)                              \
  X(hypot, Hypot, floating)                          \
  X(copysign, CopySign, real)                        \
  X(logaddexp, LogAddExp, floating)                  \
  X(logaddexp2, LogAddExp2, floating)                \
  X(xlogy, XLogY, real)                              \
  X(maximum, Maximum, same)                          \
  X(minimum, Minimum, same)                          \
  X(fmax, FMax, same)                                \
  X(fmin, FMin, same)                                \
  X(heaviside, Heaviside, same)                      \
  X(clamp_min, ClampMin, same)                       \
  X(clamp_max, ClampMax, same)                       \
  X(silu_mul, SiluMul, floating)                     \
  X(bias_gelu, BiasGelu, floating)                   \
  X(bitwise_and, BitwiseAnd, bits)                   \
  X(bitwise_or, BitwiseOr, bits)                     \
  X(bitwise_xor, BitwiseXor, bits)                   \
  X(bitwise_left_shift, BitwiseLeftShift, integer)   \
  X(bitwise_right_shift, BitwiseRightShift, integer) \
  X(logical_and, LogicalAnd, truth)                  \
  X(logical_or, LogicalOr, truth)                    \
  X(logical_xor, LogicalXor, truth)                  \
  X(eq, Eq, truth)                                   \
  X(ne, Ne, truth)                                   \
  X(lt, Lt, truth)                                   \
  X(le, Le, truth)                                   \
  X(gt, Gt, truth)                                   \
  X(ge, Ge, truth)

// Of three operands there are only kernels here; the functions are in engine/ops/selection.h.
//
//   X(name, Functor)

#define LECTERN_TERNARY_OPERATIONS(X) \
  X(where, Where)                     \
  X(clamp, Clamp)
