#pragma once

#include "base/small_float.h"

namespace lectern {

/// IEEE 754 binary16: 5 exponent bits, 10 mantissa bits. Largest value 65504, smallest normal 2^-14.
using Half = SmallFloat<5, 10, 0x7E00>;

/// The upper half of a float: 8 exponent bits, 7 mantissa bits.
using BFloat16 = SmallFloat<8, 7, 0x7FC0>;

}  // namespace lectern
