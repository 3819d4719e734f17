#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "tensor/scalar.h"

namespace lectern {

/// A number as one element of a dtype, in memory, as conversions make it: rounded, cut off, wrapped around.
class ScalarElement {
 public:
  ScalarElement(const Scalar& value, Dtype dtype);

  void* data() { return bytes_.data(); }
  const void* data() const { return bytes_.data(); }

 private:
  alignas(8) std::array<std::byte, 8> bytes_;
};

/// A TensorError when `value` lies outside the range of `dtype`. Infinities and NaN fit every floating-point
/// dtype that has them, everything fits bool; a negative integer is allowed to wrap around in uint8.
void check_in_range(std::string_view operation, const Scalar& value, Dtype dtype);

}  // namespace lectern
