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
  if constexpr (std::is_integral_v<T>) {
    if (value.is_real() && !std::is_same_v<T, bool>) {
      const double real = value.to_double();  // 127.5 is out of int8's range, as in PyTorch
      return fits<T>(value) && real >= static_cast<double>(Limits::min()) &&
             real <= static_cast<double>(Limits::max());
    }
    return fits<T>(value) || (std::is_unsigned_v<T> && value.to_double() < 0 && fits<T>(-value.to_double()));
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
  throw TensorError(operation, "value", "in the range of " + std::string(name(dtype)), to_string(value));
}

}  // namespace lectern
