#pragma once

#include "tensor/small_float.h"

namespace lectern {

/// 4 bits of exponent, 3 of mantissa, finite numbers and NaN (0x7F, 0xFF) only. Largest number 448, smallest
/// normal 2^-6. Source of both: Micikevicius et al., FP8 Formats for Deep Learning, arXiv:2209.05433.
using Float8_e4m3fn = SmallFloat<4, 3, 0x7F, false>;

/// 5 bits of exponent, 2 of mantissa, with infinities: the upper half of a Half. Largest number 57344.
using Float8_e5m2 = SmallFloat<5, 2, 0x7F>;

}  // namespace lectern
