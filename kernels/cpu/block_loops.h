#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

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

/// to[i] = value(from[i]…), a chunk at a time. When streamed, chunks are aligned to cache lines.
template <typename To, typename Value, typename... From>
void each(To* to, std::int64_t count, Access access, const Value& value, const From*... from) {
  constexpr int kChunk = 32;
  const bool stream = access == Access::streamed;
  const std::int64_t head = stream ? elements_before_line<sizeof(To)>(to, count) : 0;
  std::int64_t at = head;
  for (; at + kChunk <= count; at += kChunk) {
    if (access != Access::cached) (prefetch_ahead<kChunk * sizeof(From)>(from + at), ...);
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

/// The loop of a functor of operands of these types.
template <typename Functor, typename... T>
void loop(void* out, Access access, const void* const* in, std::int64_t count) {
  auto* const to = static_cast<Stored<std::invoke_result_t<Functor, T...>>*>(out);
  [&]<std::size_t... k>(std::index_sequence<k...>) __attribute__((always_inline)) {
    each(to, count, access, Functor{}, static_cast<const T*>(in[k])...);
  }
  (std::index_sequence_for<T...>{});
}

/// The same of two operands, of which one repeats its first element.
template <typename Functor, typename T, std::size_t kRepeated>
void repeating_loop(void* out, Access access, const void* const* in, std::int64_t count) {
  auto* const to = static_cast<Stored<std::invoke_result_t<Functor, T, T>>*>(out);
  const auto* const other = static_cast<const T*>(in[1 - kRepeated]);
  const T repeated = *static_cast<const T*>(in[kRepeated]);
  if constexpr (kRepeated == 0) {
    each(
        to, count, access, [=](T b) { return Functor{}(repeated, b); }, other);
  } else {
    each(
        to, count, access, [=](T a) { return Functor{}(a, repeated); }, other);
  }
}

/// The loop of a functor, of as many operands as it takes; null if it does not compute in T.
template <typename Functor, typename T>
constexpr ElementBlock block() {
  if constexpr (std::is_invocable_v<Functor, T>) {
    return loop<Functor, T>;
  } else if constexpr (std::is_invocable_v<Functor, T, T>) {
    return loop<Functor, T, T>;
  } else if constexpr (std::is_invocable_v<Functor, T, T, T>) {
    return loop<Functor, T, T, T>;
  } else {
    return nullptr;
  }
}

template <typename Functor, typename T>
constexpr BinaryBlocks binary_blocks() {
  if constexpr (std::is_invocable_v<Functor, T, T>) {
    return {block<Functor, T>(), {repeating_loop<Functor, T, 0>, repeating_loop<Functor, T, 1>}};
  } else {
    return {};
  }
}

}  // namespace lectern::kernels::cpu::LECTERN_ISA
