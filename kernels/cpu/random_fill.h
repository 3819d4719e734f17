#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <type_traits>

#include "kernels/compute_type.h"
#include "kernels/convert_number.h"
#include "kernels/cpu/walker.h"
#include "kernels/dispatch.h"
#include "kernels/random.h"

namespace lectern::kernels::cpu {

/// Elements drawn at a time: their words and values stay in the L1 cache.
inline constexpr std::int64_t kRandomBlock = 512;

/// Draws the next values of a stream, in order.
template <typename Value>
using Draw = std::function<void(Value* values, std::int64_t count)>;

/// u in [0, 1), of 53 bits.
inline double draw_unit(Mt19937& engine) {
  return static_cast<double>(engine.next64() & ((std::uint64_t{1} << 53) - 1)) * 0x1p-53;
}

/// Fills `array`, whose elements are of type T, in memory order.
template <typename T, typename Value>
void fill_elements(const RandomArray& array, const Draw<Value>& draw) {
  const ArrayStrides strides{array.strides.data(), sizeof(T)};
  const Geometry geometry = make_geometry(array.sizes, {&strides, 1});
  if constexpr (std::is_same_v<T, Value>) {
    if (geometry.rank == 1 && geometry.strides[0][0] == sizeof(T)) {
      return draw(static_cast<T*>(array.data), geometry.numel);
    }
  }
  Value values[kRandomBlock];
  Walker walker(geometry, 0, array.data);
  for (std::int64_t left = geometry.numel; left > 0; left -= kRandomBlock) {
    const std::int64_t count = std::min(left, kRandomBlock);
    draw(values, count);
    walker.advance(count, [&](std::byte* first, std::int64_t stride, std::int64_t done, std::int64_t run) {
      for (std::int64_t i = 0; i < run; ++i)
        element<T>(first, stride, i) = convert_number<T>(values[done + i]);
    });
  }
}

/// The same for any dtype; one rounding from Value.
template <typename Value>
void fill_drawn(const RandomArray& array, const Draw<Value>& draw) {
  dispatch(array.dtype, [&](auto tag) { fill_elements<typename decltype(tag)::type>(array, draw); });
}

/// The same by next(), which gives one value.
template <typename Value, typename Next>
void fill_each(const RandomArray& array, Next next) {
  fill_drawn(array, Draw<Value>([&](Value* values, std::int64_t count) {
               for (std::int64_t i = 0; i < count; ++i) values[i] = static_cast<Value>(next());
             }));
}

}  // namespace lectern::kernels::cpu
