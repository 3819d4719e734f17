#pragma once

#include <cstdint>
#include <limits>

#include "base/dtype.h"

// The integers PyTorch draws, on every device.

namespace lectern::kernels {

/// How many values random_() without bounds chooses from, zero included.
inline std::uint64_t natural_range(Dtype dtype) {
  return dispatch(dtype, [](auto tag) {
    using Limits = std::numeric_limits<typename decltype(tag)::type>;
    if constexpr (Limits::is_integer) {
      return static_cast<std::uint64_t>(Limits::max()) + 1;
    } else {
      return (std::uint64_t{1} << Limits::digits) + 1;
    }
  });
}

/// Whether random_() without bounds draws 64 bits per element; else 32.
constexpr bool natural_takes_64_bits(Dtype dtype) {
  return dtype == int64 || dtype == float64;
}

/// The same between bounds `range` apart.
constexpr bool range_takes_64_bits(Dtype dtype, std::uint64_t range) {
  const bool wide = dtype == int64 || dtype == float64 || dtype == float32 || dtype == bfloat16;
  return wide && range >= std::uint64_t{1} << 32;
}

}  // namespace lectern::kernels
