#pragma once

#include <concepts>
#include <cstdint>
#include <type_traits>

namespace lectern::kernels {

/// The compute types of all dtypes: float (float32 and everything narrower), double, and int64 (integers and
/// bool), where arithmetic wraps around.
template <typename T>
concept ComputeType = std::same_as<T, float> || std::same_as<T, double> || std::same_as<T, std::int64_t>;

template <typename T>
concept RealComputeType = std::same_as<T, float> || std::same_as<T, double>;

/// The compute type of an element type.
template <typename T>
using Compute = std::conditional_t<std::is_integral_v<T>, std::int64_t,
                                   std::conditional_t<std::is_same_v<T, double>, double, float>>;

/// Integers by their unsigned types: overflow wraps.
template <ComputeType T>
using wrapping = std::conditional_t<std::is_same_v<T, std::int64_t>, std::uint64_t, T>;

}  // namespace lectern::kernels
