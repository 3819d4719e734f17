#include "tensor/finfo.h"

#include <charconv>
#include <cmath>
#include <concepts>
#include <limits>
#include <ostream>

#include "base/tensor_error.h"

namespace lectern {
namespace {

template <typename T>
FloatInfo float_info() {
  using Limits = std::numeric_limits<T>;
  constexpr int kBits = 8 * sizeof(T);
  constexpr int kMantissaBits = Limits::digits - 1;
  const double smallest_normal = Limits::min();
  return {
      .dtype = dtype_of<T>,
      .bits = kBits,
      .exponent_bits = kBits - 1 - kMantissaBits,
      .mantissa_bits = kMantissaBits,
      .eps = Limits::epsilon(),
      .max = Limits::max(),
      .min = Limits::lowest(),
      .tiny = smallest_normal,
      .smallest_normal = smallest_normal,
      .smallest_subnormal = Limits::denorm_min(),
      .resolution = std::pow(10.0, -Limits::digits10),
  };
}

std::string decimal(double number) {
  char text[32];
  const auto end = std::to_chars(text, text + sizeof text, number, std::chars_format::general, 6).ptr;
  return {text, end};
}

}  // namespace

FloatInfo finfo(Dtype dtype) {
  return dispatch(dtype, [&](auto tag) -> FloatInfo {
    using T = typename decltype(tag)::type;
    if constexpr (std::numeric_limits<T>::is_integer) {
      throw TensorError("finfo", "dtype", "a floating-point type (iinfo has the integer ones)", name(dtype));
    } else {
      return float_info<T>();
    }
  });
}

IntegerInfo iinfo(Dtype dtype) {
  return dispatch(dtype, [&](auto tag) -> IntegerInfo {
    using T = typename decltype(tag)::type;
    using Limits = std::numeric_limits<T>;
    if constexpr (!Limits::is_integer || std::same_as<T, bool>) {
      throw TensorError("iinfo", "dtype", "an integer type (finfo has the floating-point ones)", name(dtype));
    } else {
      return {.dtype = dtype, .bits = 8 * sizeof(T), .max = Limits::max(), .min = Limits::min()};
    }
  });
}

std::string to_string(const FloatInfo& info) {
  return "finfo(resolution=" + decimal(info.resolution) + ", min=" + decimal(info.min) +
         ", max=" + decimal(info.max) + ", eps=" + decimal(info.eps) +
         ", smallest_normal=" + decimal(info.smallest_normal) + ", tiny=" + decimal(info.tiny) +
         ", dtype=" + std::string(name(info.dtype)) + ")";
}

std::string to_string(const IntegerInfo& info) {
  return "iinfo(min=" + decimal(static_cast<double>(info.min)) +
         ", max=" + decimal(static_cast<double>(info.max)) + ", dtype=" + std::string(name(info.dtype)) + ")";
}

std::ostream& operator<<(std::ostream& out, const FloatInfo& info) {
  return out << to_string(info);
}
std::ostream& operator<<(std::ostream& out, const IntegerInfo& info) {
  return out << to_string(info);
}

}  // namespace lectern
