#pragma once

#include <cmath>
#include <concepts>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>

#include "base/dtype.h"
#include "base/tensor_error.h"

namespace lectern {

/// A scalar argument of an operation: takes part in type promotion by category only (bool, int64, double).
class Scalar {
 public:
  constexpr Scalar(bool value) : kind_(Kind::boolean), integer_(value) {}
  /// A TensorError for 2^63 and above.
  template <std::integral T>
  constexpr Scalar(T value) : kind_(Kind::integer), integer_(static_cast<std::int64_t>(value)) {
    if constexpr (std::is_unsigned_v<T>) {
      if (value > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
        throw TensorError("Scalar", "a number", "below 2^63", std::to_string(value));
    }
  }
  template <std::floating_point T>
  constexpr Scalar(T value) : kind_(Kind::real), real_(static_cast<double>(value)) {}

  constexpr bool is_boolean() const { return kind_ == Kind::boolean; }
  constexpr bool is_integer() const { return kind_ == Kind::integer; }
  constexpr bool is_real() const { return kind_ == Kind::real; }
  /// bool_, int64 or float64.
  constexpr Dtype dtype() const { return is_real() ? float64 : is_integer() ? int64 : bool_; }

  constexpr double to_double() const { return is_real() ? real_ : static_cast<double>(integer_); }
  /// Truncates, like a conversion.
  constexpr std::int64_t to_int64() const { return is_real() ? static_cast<std::int64_t>(real_) : integer_; }
  constexpr bool to_bool() const { return is_real() ? real_ != 0 : integer_ != 0; }

 private:
  enum class Kind : std::uint8_t { boolean, integer, real };

  Kind kind_;
  union {
    std::int64_t integer_;
    double real_;
  };
};

/// Whether a scalar, truncated, is in the range of the integer type T. Everything fits bool.
template <std::integral T>
bool fits(const Scalar& value) {
  using Limits = std::numeric_limits<T>;
  if constexpr (std::is_same_v<T, bool>) {
    return true;
  } else if (value.is_real()) {
    const double whole = std::trunc(value.to_double());
    return whole >= static_cast<double>(Limits::min()) && whole < std::ldexp(1.0, Limits::digits);
  } else {
    const std::int64_t whole = value.to_int64();
    if constexpr (std::is_unsigned_v<T>) {
      return whole >= 0 && static_cast<std::uint64_t>(whole) <= Limits::max();
    } else {
      return whole >= Limits::min() && whole <= Limits::max();
    }
  }
}

/// "300" or "0.5".
inline std::string to_string(const Scalar& value) {
  return value.is_real() ? std::to_string(value.to_double()) : std::to_string(value.to_int64());
}

}  // namespace lectern
