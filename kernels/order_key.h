#pragma once

#include <bit>
#include <concepts>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "base/dtype.h"
#include "base/host_device.h"
#include "kernels/math.h"

namespace lectern::kernels {

/// A value as an unsigned integer in the same order: both zeros the same, every NaN above everything. Keys of
/// narrow types differ in few bytes: see order_key_bits().
template <typename T>
LECTERN_HD std::uint64_t order_key(T x) {
  if constexpr (std::same_as<T, bool> || std::unsigned_integral<T>) {
    return x;
  } else if constexpr (std::signed_integral<T>) {
    return static_cast<std::uint64_t>(x) - static_cast<std::uint64_t>(std::numeric_limits<T>::min());
  } else if constexpr (!std::is_arithmetic_v<T>) {
    return order_key(static_cast<float>(x));
  } else {
    using Bits = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;
    constexpr Bits kSign = Bits{1} << (8 * sizeof(Bits) - 1);
    if (math::is_nan(x)) return ~Bits{0};
    if (x == 0) return kSign;
    const Bits bits = std::bit_cast<Bits>(x);
    return (bits & kSign) != 0 ? static_cast<Bits>(~bits) : static_cast<Bits>(bits | kSign);
  }
}

/// In how many low bits keys of this dtype may differ; all higher ones are equal.
constexpr int order_key_bits(Dtype dtype) {
  const auto bits = static_cast<int>(8 * element_size(dtype));
  return is_floating_point(dtype) && bits < 32 ? 32 : bits;
}

}  // namespace lectern::kernels
