#pragma once

/// Before a loop whose iterations are independent.
#if defined(__CUDACC__)
#define LECTERN_INDEPENDENT
#elif defined(__clang__)
#define LECTERN_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#else
#define LECTERN_INDEPENDENT _Pragma("GCC ivdep")
#endif

/// Before a loop in a CUDA kernel that is fast enough as it is: unrolled it would only be longer.
#ifdef __CUDA_ARCH__
#define LECTERN_ROLLED _Pragma("unroll 1")
#else
#define LECTERN_ROLLED
#endif

/// Before a loop in a CUDA kernel over an array that is to be in registers.
#ifdef __CUDA_ARCH__
#define LECTERN_UNROLLED _Pragma("unroll")
#else
#define LECTERN_UNROLLED
#endif
