#pragma once

#include <concepts>
#include <cstdint>

namespace lectern::kernels {

/// The compute types of all dtypes: float (float32 and everything narrower), double, and int64 (integers and
/// bool), where arithmetic wraps around.
template <typename T>
concept ComputeType = std::same_as<T, float> || std::same_as<T, double> || std::same_as<T, std::int64_t>;

template <typename T>
concept RealComputeType = std::same_as<T, float> || std::same_as<T, double>;

/// Integers by their unsigned types: overflow wraps.
template <ComputeType T>
struct Wrapping {
  using type = T;
};
template <>
struct Wrapping<std::int64_t> {
  using type = std::uint64_t;
};
template <ComputeType T>
using wrapping = typename Wrapping<T>::type;

}  // namespace lectern::kernels
