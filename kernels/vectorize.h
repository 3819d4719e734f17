#pragma once

/// Before a loop: no pass reads what another one writes.
#if defined(__CUDACC__)
#define LECTERN_INDEPENDENT
#elif defined(__clang__)
#define LECTERN_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#else
#define LECTERN_INDEPENDENT _Pragma("GCC ivdep")
#endif

/// Before a loop in a kernel on CUDA that is fast enough as it is: unrolled it would only be longer.
#ifdef __CUDA_ARCH__
#define LECTERN_ROLLED _Pragma("unroll 1")
#else
#define LECTERN_ROLLED
#endif
