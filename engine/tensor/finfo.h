#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>

#include "base/dtype.h"

namespace lectern {

/// The limits of a floating-point dtype: torch.finfo, and the layout of its bits.
struct FloatInfo {
  Dtype dtype;
  int bits;           // per element: 1 + exponent_bits + mantissa_bits
  int exponent_bits;  // biased by 2^(exponent_bits - 1) - 1
  int mantissa_bits;  // stored, without the hidden bit
  double eps;         // from 1 to the next value
  double max;         // largest finite value
  double min;         // -max
  double tiny;        // alias of smallest_normal
  double smallest_normal;
  double smallest_subnormal;
  double resolution;  // 10^-n, where n decimal digits survive a round trip through the dtype
};

/// The limits of an integer dtype: torch.iinfo.
struct IntegerInfo {
  Dtype dtype;
  int bits;
  std::int64_t max;
  std::int64_t min;
};

/// A TensorError for a dtype that is not floating-point.
FloatInfo finfo(Dtype dtype);
/// A TensorError for a dtype that is not an integer type; bool has no limits.
IntegerInfo iinfo(Dtype dtype);

/// As PyTorch prints them, to six significant digits: "finfo(resolution=0.001, min=-65504, max=65504,
/// eps=0.000976562, smallest_normal=…, tiny=…, dtype=float16)".
std::string to_string(const FloatInfo& info);
/// "iinfo(min=-2.14748e+09, max=2.14748e+09, dtype=int32)"
std::string to_string(const IntegerInfo& info);
std::ostream& operator<<(std::ostream& out, const FloatInfo& info);
std::ostream& operator<<(std::ostream& out, const IntegerInfo& info);

}  // namespace lectern
