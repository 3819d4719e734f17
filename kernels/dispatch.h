#pragma once

#include <cstdint>
#include <type_traits>

#include "base/dtype.h"

// From values at run time to types: each function calls visit(std::type_identity<T>{}). See also dispatch()
// in base/dtype.h.

namespace lectern::kernels {

/// With the compute type of a dtype.
template <typename Visit>
decltype(auto) dispatch_compute(Dtype dtype, Visit&& visit) {
  if (dtype == float64) return visit(std::type_identity<double>{});
  if (is_floating_point(dtype)) return visit(std::type_identity<float>{});
  return visit(std::type_identity<std::int64_t>{});
}

/// The same for a floating dtype: float or double.
template <typename Visit>
decltype(auto) dispatch_real_compute(Dtype dtype, Visit&& visit) {
  if (dtype == float64) return visit(std::type_identity<double>{});
  return visit(std::type_identity<float>{});
}

/// With the type of a floating dtype of at least 16 bits.
template <typename Visit>
decltype(auto) dispatch_real(Dtype dtype, Visit&& visit) {
  if (dtype == float64) return visit(std::type_identity<double>{});
  if (dtype == float32) return visit(std::type_identity<float>{});
  if (dtype == float16) return visit(std::type_identity<Half>{});
  return visit(std::type_identity<BFloat16>{});
}

/// With the unsigned integer that is as large as an element.
template <typename Visit>
decltype(auto) dispatch_word(std::int64_t element_size, Visit&& visit) {
  if (element_size == 1) return visit(std::type_identity<std::uint8_t>{});
  if (element_size == 2) return visit(std::type_identity<std::uint16_t>{});
  if (element_size == 4) return visit(std::type_identity<std::uint32_t>{});
  return visit(std::type_identity<std::uint64_t>{});
}

}  // namespace lectern::kernels
