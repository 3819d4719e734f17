#pragma once

#include "kernels/cuda/nvcc_groups.h"

// How kernels that are compiled at run time are entered: what LECTERN_RUNTIME_ENTRY_HEADER is for NVRTC.

/// A kernel of this name: Kernel{}(group, index) for as many groups of kThreads as it is told.
#define LECTERN_RUNTIME_KERNEL(name, Kernel, kThreads)                                             \
  extern "C" __global__ void __launch_bounds__(lectern::kernels::cuda::threads_of_block(kThreads)) \
      name(const __grid_constant__ Kernel kernel, std::int64_t groups) {                           \
    lectern::kernels::cuda::for_groups<kThreads>(kernel, groups);                                  \
  }
