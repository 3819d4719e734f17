#pragma once

#include "kernels/table.h"

// The operations along dimensions: one row each. What autocast does with them is PyTorch's CastPolicy
// (engine/ops/autocast.h): `fp32` computes in float32, `fp32_set_opt_dtype` too unless there is a dtype
// argument, `fallthrough` in the operand's dtype.

// From a reduction's row come the kernels of both devices; its functor is in kernels/reduction_functors.h.
//
//   X(name, Functor, autocast)

#define LECTERN_REDUCTIONS(X)                           \
  X(sum, Sum, fp32_set_opt_dtype)                       \
  X(mean, Mean, fallthrough)                            \
  X(prod, Prod, fp32_set_opt_dtype)                     \
  X(any, Any, fallthrough)                              \
  X(all, All, fallthrough)                              \
  X(count_nonzero, CountNonzero, fallthrough)           \
  X(sum_abs, SumAbs, fp32_set_opt_dtype)                \
  X(norm2, Norm2, fp32_set_opt_dtype)                   \
  X(max_abs, MaxAbs, fp32_set_opt_dtype)                \
  X(min_abs, MinAbs, fp32_set_opt_dtype)                \
  X(squared_deviations, SquaredDeviations, fallthrough) \
  X(logsumexp, LogSumExp, fp32)                         \
  X(max, Max, fallthrough)                              \
  X(min, Min, fallthrough)                              \
  X(max_position, MaxPosition, fallthrough)             \
  X(min_position, MinPosition, fallthrough)

// The functions name(x, dims, keepdim), which engine/ops/reductions.h declares, also as methods; each is
// defined in a file of engine/ops/. (Functions with other parameters have headers of their own there.)
//
//   X(name)

#define LECTERN_REDUCTION_FUNCTIONS(X) \
  X(all)                               \
  X(amax)                              \
  X(amin)                              \
  X(any)                               \
  X(logsumexp)

// From a scan's row come the function and the method name(dim, dtype), and the kernels of both devices. Its
// functor is a reduction's, or in kernels/scan.h; its gradient is in engine/ops/scan.cpp.
//
//   X(name, Functor, autocast)

#define LECTERN_SCANS(X)               \
  X(cumprod, Prod, fp32_set_opt_dtype) \
  X(cumsum, Sum, fp32_set_opt_dtype)   \
  X(logcumsumexp, LogSum, fallthrough)

// From a row operation's row come the functions name(x, dim, dtype) and name_backward(), and the kernels of
// both devices; its functor, with its gradient, is in kernels/row_functors.h.
//
//   X(name, Functor, autocast)

#define LECTERN_ROW_OPERATIONS(X)         \
  X(softmax, Softmax, fp32_set_opt_dtype) \
  X(softmin, Softmin, fp32_set_opt_dtype) \
  X(log_softmax, LogSoftmax, fp32_set_opt_dtype)
