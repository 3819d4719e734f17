#pragma once

#include "base/small_float.h"

namespace lectern {

/// 4 exponent bits, 3 mantissa bits, finite values and NaN (0x7F, 0xFF) only. Largest value 448, smallest
/// normal 2^-6. Source of both: Micikevicius et al., FP8 Formats for Deep Learning, arXiv:2209.05433.
using Float8_e4m3fn = SmallFloat<4, 3, 0x7F, false>;

/// 5 exponent bits, 2 mantissa bits, with infinities: the upper half of a Half. Largest value 57344.
using Float8_e5m2 = SmallFloat<5, 2, 0x7F>;

}  // namespace lectern
