// Whether products may be as large as in the lecture that this one retells.

#pragma once

#include "parts.h"

/// With room for two layers of 16,384 × 32,768 × 8,192 in float32 and their gradients: some 20 GB.  @stepover
inline bool has_large_gpu() {
  constexpr int64_t kEnough = int64_t{32} << 30;
  return cuda::is_available() && cuda::get_device_properties(0).total_memory >= kEnough;
}
