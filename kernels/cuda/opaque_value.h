#pragma once

#include "base/host_device.h"

namespace lectern::kernels::cuda {

/// An integer of 32 bits of which a CUDA compiler then knows nothing: it neither computes it anew in order
/// not to keep it, nor keeps what follows from it in order not to compute that anew.
template <typename T>
LECTERN_HD T opaque(T value) {
#ifdef __CUDA_ARCH__
  asm volatile("" : "+r"(value));
#endif
  return value;
}

}  // namespace lectern::kernels::cuda
