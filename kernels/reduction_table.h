#pragma once

// The reductions: one row each. From a row come the kernels of both devices; its functor is in
// kernels/reduction_functors.h, its public functions in engine/ops/.
//
//   X(name, Functor)

#define LECTERN_REDUCTIONS(X)              \
  X(sum, Sum)                              \
  X(mean, Mean)                            \
  X(prod, Prod)                            \
  X(any, Any)                              \
  X(all, All)                              \
  X(count_nonzero, CountNonzero)           \
  X(sum_abs, SumAbs)                       \
  X(norm2, Norm2)                          \
  X(max_abs, MaxAbs)                       \
  X(min_abs, MinAbs)                       \
  X(squared_deviations, SquaredDeviations) \
  X(logsumexp, LogSumExp)                  \
  X(max, Max)                              \
  X(min, Min)                              \
  X(max_position, MaxPosition)             \
  X(min_position, MinPosition)
