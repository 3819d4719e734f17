#pragma once

#include "kernels/table.h"

// The elementwise operations: one row each. From a row come the function, the method, the in-place form, the
// kernels of both devices and the test case; its functor, with its gradient, is in one of the headers that
// kernels/elementwise_functors.h includes.
//
//   X(name, Functor, rule, autocast)
//
// Rules for the result's dtype, also that of the computation (16- and 8-bit floats in float, rounded once):
//   same         as the operands', after promotion
//   any_numeric  likewise, but not bool
//   integer      likewise, and only integers
//   bits         likewise, and only integers and bool
//   floating     likewise, and only floating point
//   real         floating point: integers and bool become the default dtype (float32)
//   predicate    computed in the promoted dtype, is bool
//
// What autocast does with them is PyTorch's CastPolicy (engine/ops/autocast.h):
//   fp32         computes in float32
//   fallthrough  computes in the operands' dtype

#define LECTERN_UNARY_OPERATIONS(X)                  \
  X(abs, Abs, any_numeric, fallthrough)              \
  X(neg, Neg, any_numeric, fallthrough)              \
  X(sign, Sign, same, fallthrough)                   \
  X(sgn, Sign, same, fallthrough)                    \
  X(square, Square, same, fp32)                      \
  X(cube, Cube, any_numeric, fp32)                   \
  X(sqrt, Sqrt, real, fallthrough)                   \
  X(rsqrt, Rsqrt, real, fp32)                        \
  X(reciprocal, Reciprocal, real, fp32)              \
  X(floor, Floor, any_numeric, fallthrough)          \
  X(ceil, Ceil, any_numeric, fallthrough)            \
  X(trunc, Trunc, any_numeric, fallthrough)          \
  X(round, Round, any_numeric, fallthrough)          \
  X(frac, Frac, floating, fallthrough)               \
  X(exp, Exp, real, fp32)                            \
  X(exp2, Exp2, real, fallthrough)                   \
  X(expm1, Expm1, real, fp32)                        \
  X(log, Log, real, fp32)                            \
  X(log1p, Log1p, real, fp32)                        \
  X(log2, Log2, real, fp32)                          \
  X(log10, Log10, real, fp32)                        \
  X(sin, Sin, real, fallthrough)                     \
  X(cos, Cos, real, fallthrough)                     \
  X(tan, Tan, real, fp32)                            \
  X(asin, Asin, real, fp32)                          \
  X(acos, Acos, real, fp32)                          \
  X(atan, Atan, real, fallthrough)                   \
  X(sinc, Sinc, real, fallthrough)                   \
  X(sinh, Sinh, real, fp32)                          \
  X(cosh, Cosh, real, fp32)                          \
  X(tanh, Tanh, real, fallthrough)                   \
  X(asinh, Asinh, real, fallthrough)                 \
  X(acosh, Acosh, real, fallthrough)                 \
  X(atanh, Atanh, real, fallthrough)                 \
  X(deg2rad, Deg2Rad, real, fallthrough)             \
  X(rad2deg, Rad2Deg, real, fallthrough)             \
  X(erf, Erf, real, fallthrough)                     \
  X(erfc, Erfc, real, fallthrough)                   \
  X(erfinv, ErfInv, real, fp32)                      \
  X(lgamma, LGamma, real, fallthrough)               \
  X(digamma, Digamma, real, fallthrough)             \
  X(sigmoid, Sigmoid, real, fallthrough)             \
  X(logit, Logit, real, fallthrough)                 \
  X(relu, Relu, any_numeric, fallthrough)            \
  X(silu, Silu, floating, fallthrough)               \
  X(gelu, Gelu, floating, fallthrough)               \
  X(gelu_tanh, GeluTanh, floating, fallthrough)      \
  X(softplus, Softplus, floating, fp32)              \
  X(logsigmoid, LogSigmoid, floating, fallthrough)   \
  X(bitwise_not, BitwiseNot, bits, fallthrough)      \
  X(logical_not, LogicalNot, predicate, fallthrough) \
  X(isnan, IsNan, predicate, fallthrough)            \
  X(isinf, IsInf, predicate, fallthrough)            \
  X(isfinite, IsFinite, predicate, fallthrough)      \
  X(isposinf, IsPosInf, predicate, fallthrough)      \
  X(isneginf, IsNegInf, predicate, fallthrough)      \
  X(signbit, SignBit, predicate, fallthrough)

#define LECTERN_BINARY_OPERATIONS(X)                              \
  X(add, Add, same, fallthrough)                                  \
  X(sub, Sub, same, fallthrough)                                  \
  X(mul, Mul, same, fallthrough)                                  \
  X(div, Div, real, fallthrough)                                  \
  X(floor_divide, FloorDivide, any_numeric, fallthrough)          \
  X(trunc_divide, TruncDivide, any_numeric, fallthrough)          \
  X(remainder, Remainder, any_numeric, fallthrough)               \
  X(fmod, Fmod, any_numeric, fallthrough)                         \
  X(pow, Pow, any_numeric, fp32)                                  \
  X(atan2, Atan2, real, fallthrough)                              \
  X(hypot, Hypot, floating, fallthrough)                          \
  X(copysign, CopySign, real, fallthrough)                        \
  X(logaddexp, LogAddExp, floating, fallthrough)                  \
  X(logaddexp2, LogAddExp2, floating, fallthrough)                \
  X(xlogy, XLogY, real, fallthrough)                              \
  X(maximum, Maximum, same, fallthrough)                          \
  X(minimum, Minimum, same, fallthrough)                          \
  X(fmax, FMax, same, fallthrough)                                \
  X(fmin, FMin, same, fallthrough)                                \
  X(heaviside, Heaviside, same, fallthrough)                      \
  X(clamp_min, ClampMin, same, fallthrough)                       \
  X(clamp_max, ClampMax, same, fallthrough)                       \
  X(silu_mul, SiluMul, floating, fallthrough)                     \
  X(bias_gelu, BiasGelu, floating, fallthrough)                   \
  X(bitwise_and, BitwiseAnd, bits, fallthrough)                   \
  X(bitwise_or, BitwiseOr, bits, fallthrough)                     \
  X(bitwise_xor, BitwiseXor, bits, fallthrough)                   \
  X(bitwise_left_shift, BitwiseLeftShift, integer, fallthrough)   \
  X(bitwise_right_shift, BitwiseRightShift, integer, fallthrough) \
  X(logical_and, LogicalAnd, predicate, fallthrough)              \
  X(logical_or, LogicalOr, predicate, fallthrough)                \
  X(logical_xor, LogicalXor, predicate, fallthrough)              \
  X(eq, Eq, predicate, fallthrough)                               \
  X(ne, Ne, predicate, fallthrough)                               \
  X(lt, Lt, predicate, fallthrough)                               \
  X(le, Le, predicate, fallthrough)                               \
  X(gt, Gt, predicate, fallthrough)                               \
  X(ge, Ge, predicate, fallthrough)

// Of three operands there are only kernels here; the functions are in engine/ops/selection.h and ternary.h.
//
//   X(name, Functor)

#define LECTERN_TERNARY_OPERATIONS(X) \
  X(where, Where)                     \
  X(clamp, Clamp)                     \
  X(lerp, Lerp)                       \
  X(addcmul, AddCMul)                 \
  X(addcdiv, AddCDiv)
