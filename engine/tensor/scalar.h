#pragma once

#include <concepts>
#include <cstdint>

#include "tensor/dtype.h"

namespace lectern {

/// A number as an argument of an operation: takes part in type promotion by its category only (bool, int64,
/// double).
class Scalar {
 public:
  constexpr Scalar(bool value) : kind_(Kind::boolean), integer_(value) {}
  template <std::integral T>
  constexpr Scalar(T value) : kind_(Kind::integer), integer_(static_cast<std::int64_t>(value)) {}
  template <std::floating_point T>
  constexpr Scalar(T value) : kind_(Kind::real), real_(static_cast<double>(value)) {}

  constexpr bool is_boolean() const { return kind_ == Kind::boolean; }
  constexpr bool is_integer() const { return kind_ == Kind::integer; }
  constexpr bool is_real() const { return kind_ == Kind::real; }
  /// bool_, int64 or float64.
  constexpr Dtype dtype() const { return is_real() ? float64 : is_integer() ? int64 : bool_; }

  constexpr double to_double() const { return is_real() ? real_ : static_cast<double>(integer_); }
  /// Truncates, as a conversion does.
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

}  // namespace lectern
