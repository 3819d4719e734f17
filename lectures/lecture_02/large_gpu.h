// Whether products may be as large as in the lecture that this one retells.

#pragma once

#include <cstdint>

#include <lectern/lecture.h>

/// With room for two layers of 16,384 × 32,768 × 8,192 in float32 and their
/// gradients: some 20 GB.
inline bool has_large_gpu() {
  constexpr std::int64_t kEnough = std::int64_t{32} << 30;
  return lectern::cuda::is_available() &&
         lectern::cuda::get_device_properties(0).total_memory >= kEnough;
}
