#pragma once

#include <cstdint>

#include "kernels/cpu/isa.h"
#include "kernels/moments.h"

namespace lectern::kernels::cpu {

/// Elements at a time, at most: they stay in the L1 cache, where they are read several times.
inline constexpr std::int64_t kMomentBlock = 4096;

/// The moments of contiguous elements.
struct MomentBlocks {
  Moments (*floats)(const float* values, std::int64_t count);
  Moments (*doubles)(const double* values, std::int64_t count);
  Moments (*integers)(const std::int64_t* values, std::int64_t count);
};

LECTERN_PER_ISA(MomentBlocks, moment_blocks)

}  // namespace lectern::kernels::cpu
