#pragma once

#include <cstdint>

#include "base/dtype.h"
#include "kernels/cpu/isa.h"

namespace lectern::kernels::cpu {

/// Converts `count` contiguous elements. The arrays must not overlap.
using Conversion = void (*)(void* to, const void* from, std::int64_t count);

/// By both dtypes; null from a dtype to itself.
struct Conversions {
  Conversion table[kDtypes][kDtypes];  ///< [from][to]

  Conversion operator()(Dtype from, Dtype to) const {
    return table[static_cast<int>(from)][static_cast<int>(to)];
  }
};

LECTERN_PER_ISA(Conversions, conversions)

}  // namespace lectern::kernels::cpu
