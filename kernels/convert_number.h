#pragma once

#include <concepts>
#include <cstdint>
#include <type_traits>

#include "base/host_device.h"

namespace lectern::kernels {

/// Converts between any of the twelve element types. To the 8- and 16-bit floats through float, to nearest,
/// ties to even; floating point to integers by truncation (unspecified when out of range); integers to
/// narrower ones modulo 2^bits; to bool whether it is not 0.
template <typename To, typename From>
LECTERN_HD To convert_number(From x) {
  if constexpr (std::same_as<To, From>) {
    return x;
  } else if constexpr (!std::is_arithmetic_v<From>) {
    return convert_number<To>(static_cast<float>(x));
  } else if constexpr (std::same_as<To, bool>) {
    return x != From(0);
  } else if constexpr (!std::is_arithmetic_v<To>) {
    return To(static_cast<float>(x));
  } else if constexpr (std::floating_point<From> && std::integral<To> && sizeof(To) < 4) {
    return static_cast<To>(static_cast<std::int32_t>(x));
  } else {
    return static_cast<To>(x);
  }
}

}  // namespace lectern::kernels
