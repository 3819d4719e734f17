#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "tensor/scalar.h"

namespace lectern {

/// A scalar as one element of a dtype in memory, converted as usual: rounded, truncated, wrapped around.
class ScalarElement {
 public:
  ScalarElement(const Scalar& value, Dtype dtype);

  void* data() { return bytes_.data(); }
  const void* data() const { return bytes_.data(); }

 private:
  alignas(8) std::array<std::byte, 8> bytes_;
};

/// A TensorError when `value` is out of range for `dtype`. Infinities and NaN fit every floating-point dtype
/// that has them, everything fits bool; a negative integer may wrap around in uint8.
void check_in_range(std::string_view operation, const Scalar& value, Dtype dtype);

}  // namespace lectern
