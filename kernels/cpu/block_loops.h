#pragma once

#include <cstdint>
#include <type_traits>

#include "kernels/cpu/cache.h"
#include "kernels/cpu/element_blocks.h"
#include "kernels/cpu/isa.h"
#include "kernels/cpu/stream_bytes.h"
#include "kernels/cpu/streaming.h"

// The loops of element_blocks.h over a functor, for the files of per_isa/.

namespace lectern::kernels::cpu::LECTERN_ISA {

/// How a result is stored: bool as a byte.
template <typename R>
using Stored = std::conditional_t<std::is_same_v<R, bool>, std::uint8_t, R>;

/// to[i] = value(from[i]…), a chunk at a time. When streamed, chunks are aligned to cache lines, and operands
/// are prefetched.
template <typename To, typename Value, typename... From>
void each(To* to, std::int64_t count, bool stream, const Value& value, const From*... from) {
  constexpr int kChunk = 32;
  const std::int64_t head = stream ? elements_before_line<sizeof(To)>(to, count) : 0;
  std::int64_t at = head;
  for (; at + kChunk <= count; at += kChunk) {
    if (stream) (prefetch_ahead<kChunk * sizeof(From)>(from + at), ...);
    To results[kChunk];
    LECTERN_INDEPENDENT
    for (int i = 0; i < kChunk; ++i) results[i] = value(from[at + i]...);
    store_chunk(to + at, results, stream);
  }
  const std::int64_t rest[][2] = {{0, head}, {at, count}};
  for (const auto& [begin, end] : rest) {
    LECTERN_INDEPENDENT
    for (std::int64_t i = begin; i < end; ++i) to[i] = value(from[i]...);
  }
}

template <typename Functor, typename T>
void unary_loop(void* out, bool stream, const void* a, std::int64_t count) {
  using To = Stored<std::invoke_result_t<Functor, T>>;
  each(static_cast<To*>(out), count, stream, Functor{}, static_cast<const T*>(a));
}

/// Steps are 1, or 0 for a repeated operand.
template <typename Functor, typename T, int kStepA = 1, int kStepB = 1>
void binary_loop(void* out, bool stream, const void* a, const void* b, std::int64_t count) {
  using To = Stored<std::invoke_result_t<Functor, T, T>>;
  auto* to = static_cast<To*>(out);
  const auto* x = static_cast<const T*>(a);
  const auto* y = static_cast<const T*>(b);
  if constexpr (kStepA == 0) {
    each(
        to, count, stream, [first = x[0]](T second) { return Functor{}(first, second); }, y);
  } else if constexpr (kStepB == 0) {
    each(
        to, count, stream, [second = y[0]](T first) { return Functor{}(first, second); }, x);
  } else {
    each(to, count, stream, Functor{}, x, y);
  }
}

template <typename Functor, typename T>
void ternary_loop(void* out, bool stream, const void* a, const void* b, const void* c, std::int64_t count) {
  each(static_cast<T*>(out), count, stream, Functor{}, static_cast<const T*>(a), static_cast<const T*>(b),
       static_cast<const T*>(c));
}

// Null if the functor does not compute in T.

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

}  // namespace lectern::kernels::cpu::LECTERN_ISA
