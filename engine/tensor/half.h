#pragma once

#include "tensor/small_float.h"

namespace lectern {

/// IEEE 754 binary16: 5 bits of exponent, 10 of mantissa. Largest number 65504, smallest normal 2^-14.
using Half = SmallFloat<5, 10, 0x7E00>;

/// The upper half of a float: 8 bits of exponent, 7 of mantissa.
using BFloat16 = SmallFloat<8, 7, 0x7FC0>;

}  // namespace lectern
