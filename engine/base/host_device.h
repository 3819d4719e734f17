#pragma once

/// Before a function that host and device share, and that kernels call in their inner loops.
///
/// Always inlined: the CPU kernels are compiled several times, for several instruction sets. Were a copy left
/// out of line, the linker would keep one of them for all, and it might be one that this processor cannot
/// run.
#ifdef __CUDACC__
#define LECTERN_HD __host__ __device__ __forceinline__
#else
#define LECTERN_HD inline __attribute__((always_inline))
#endif
