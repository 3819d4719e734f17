#include "tensor/scalar_element.h"

#include <cmath>
#include <limits>
#include <string>
#include <type_traits>

#include "base/tensor_error.h"
#include "kernels/elementwise.h"

namespace lectern {
namespace {

template <typename T>
bool in_range(const Scalar& value) {
  using Limits = std::numeric_limits<T>;
  if constexpr (std::is_same_v<T, bool>) {
    return true;
  } else if constexpr (Limits::is_integer) {
    constexpr std::int64_t kMax = Limits::max();
    constexpr std::int64_t kMin = std::is_signed_v<T> ? Limits::min() : -kMax;
    // As doubles the limits of int64 are -2^63 and 2^63, which is one too many.
    if (value.is_real()) {
      const double real = std::trunc(value.to_double());
      return real >= static_cast<double>(kMin) && real < static_cast<double>(kMax) + 1;
    }
    return value.to_int64() >= kMin && value.to_int64() <= kMax;
  } else {
    const double real = value.to_double();
    if (!std::isfinite(real)) return std::isnan(real) || Limits::has_infinity;
    return std::abs(real) <= static_cast<double>(Limits::max());
  }
}

}  // namespace

ScalarElement::ScalarElement(const Scalar& value, Dtype dtype) {
  if (value.is_real()) {
    const double real = value.to_double();
    kernels::convert_element(dtype, bytes_.data(), float64, &real);
  } else {
    const std::int64_t integer = value.to_int64();
    kernels::convert_element(dtype, bytes_.data(), int64, &integer);
  }
}

void check_in_range(std::string_view operation, const Scalar& value, Dtype dtype) {
  const bool fits = dispatch(dtype, [&](auto tag) { return in_range<typename decltype(tag)::type>(value); });
  if (fits) return;
  const std::string text =
      value.is_real() ? std::to_string(value.to_double()) : std::to_string(value.to_int64());
  throw TensorError(operation, "value", "in the range of " + std::string(name(dtype)), text);
}

}  // namespace lectern
