#pragma once

/// Marks a function that host and device share and that kernels call in inner loops.
///
/// Always inlined: the CPU kernels are compiled once per instruction set. Of out-of-line copies the linker
/// would keep one for all, perhaps one that this processor cannot run.
#ifdef __CUDACC__
#define LECTERN_HD __host__ __device__ __forceinline__
#else
#define LECTERN_HD inline __attribute__((always_inline))
#endif
