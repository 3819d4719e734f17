#pragma once

#include <cstdint>
#include <type_traits>

#include "kernels/cpu/element_blocks.h"
#include "kernels/cpu/isa.h"

// The loops of element_blocks.h over a functor, for the files of families/.

namespace lectern::kernels::LECTERN_ISA {

/// How a result is stored: bool as a byte.
template <typename R>
using Stored = std::conditional_t<std::is_same_v<R, bool>, std::uint8_t, R>;

template <typename Functor, typename T>
void unary_loop(void* out, const void* a, std::int64_t count) {
  using To = Stored<std::invoke_result_t<Functor, T>>;
  auto* to = static_cast<To*>(out);
  const auto* x = static_cast<const T*>(a);
  LECTERN_INDEPENDENT
  for (std::int64_t i = 0; i < count; ++i) to[i] = Functor{}(x[i]);
}

/// Steps are 1, or 0 for an operand that repeats.
template <typename Functor, typename T, int kStepA = 1, int kStepB = 1>
void binary_loop(void* out, const void* a, const void* b, std::int64_t count) {
  using To = Stored<std::invoke_result_t<Functor, T, T>>;
  auto* to = static_cast<To*>(out);
  const auto* x = static_cast<const T*>(a);
  const auto* y = static_cast<const T*>(b);
  const T x0 = x[0];
  const T y0 = y[0];
  LECTERN_INDEPENDENT
  for (std::int64_t i = 0; i < count; ++i)
    to[i] = Functor{}(kStepA == 0 ? x0 : x[i], kStepB == 0 ? y0 : y[i]);
}

template <typename Functor, typename T>
void ternary_loop(void* out, const void* a, const void* b, const void* c, std::int64_t count) {
  auto* to = static_cast<T*>(out);
  const auto* x = static_cast<const T*>(a);
  const auto* y = static_cast<const T*>(b);
  const auto* z = static_cast<const T*>(c);
  LECTERN_INDEPENDENT
  for (std::int64_t i = 0; i < count; ++i) to[i] = Functor{}(x[i], y[i], z[i]);
}

// Null where the functor does not compute in T.

template <typename Functor, typename T>
constexpr UnaryBlock unary_block() {
  if constexpr (std::is_invocable_v<Functor, T>) {
    return unary_loop<Functor, T>;
  } else {
    return nullptr;
  }
}

template <typename Functor, typename T>
constexpr BinaryBlock binary_block() {
  if constexpr (std::is_invocable_v<Functor, T, T>) {
    return binary_loop<Functor, T>;
  } else {
    return nullptr;
  }
}

template <typename Functor, typename T>
constexpr BinaryBlocks binary_blocks() {
  if constexpr (std::is_invocable_v<Functor, T, T>) {
    return {binary_loop<Functor, T>, binary_loop<Functor, T, 0, 1>, binary_loop<Functor, T, 1, 0>};
  } else {
    return {};
  }
}

template <typename Functor, typename T>
constexpr TernaryBlock ternary_block() {
  if constexpr (std::is_invocable_v<Functor, T, T, T>) {
    return ternary_loop<Functor, T>;
  } else {
    return nullptr;
  }
}

}  // namespace lectern::kernels::LECTERN_ISA
