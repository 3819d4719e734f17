#pragma once

#include <cstdint>

#include "kernels/cpu/isa.h"
#include "kernels/moments.h"

namespace lectern::kernels::cpu {

/// Elements at a time, at most: they stay in the L1 cache, where they are read several times.
inline constexpr std::int64_t kMomentBlock = 4096;

/// The moments of contiguous elements.
struct MomentBlocks {
  Moments (*of_floats)(const float* numbers, std::int64_t count);
  Moments (*of_doubles)(const double* numbers, std::int64_t count);
  Moments (*of_integers)(const std::int64_t* numbers, std::int64_t count);
};

LECTERN_PER_ISA(MomentBlocks, moment_blocks)

}  // namespace lectern::kernels::cpu
