#pragma once

#include <cstdint>

#include "kernels/cpu/isa.h"

namespace lectern::kernels::cpu {

/// The inner loops of the distributions, over contiguous blocks of the compute type.
struct RandomBlocks {
  /// out[i] = from + range u, rounded once; u is the low `digits` bits of words[i] as a fraction.
  void (*uniform_float)(float* out, const std::uint32_t* words, std::int64_t count, int digits, float from,
                        float range);
  /// The same with 53 bits of two words each, high one first.
  void (*uniform_double)(double* out, const std::uint32_t* words, std::int64_t count, double from,
                         double range);
  /// The Box-Muller transform in place, on `blocks` times 16 uniform values. The values 0 to 7 of a block
  /// give the radius, 8 to 15 the angle; the results are the cosines, then the sines.
  void (*normal_float)(float* values, std::int64_t blocks, float mean, float std);
};

LECTERN_PER_ISA(RandomBlocks, random_blocks)

}  // namespace lectern::kernels::cpu
