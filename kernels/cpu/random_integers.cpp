#include <utility>

#include "kernels/cpu/random_fill.h"
#include "kernels/random_ranges.h"

namespace lectern::kernels::cpu {

void fill_integers(const RandomArray& array, std::uint64_t range, std::int64_t base, GeneratorState& state) {
  Mt19937& engine = state.stream->engine;
  const auto offset = static_cast<std::uint64_t>(base);  // sums wrap
  if (range_takes_64_bits(array.dtype, range)) {
    fill_each<std::int64_t>(array, [&] { return engine.next64() % range + offset; });
  } else if (range >> 32 != 0) {
    fill_each<std::int64_t>(array, [&] { return engine.next32() + offset; });
  } else {
    const auto narrow = static_cast<std::uint32_t>(range);
    fill_each<std::int64_t>(array, [&] { return engine.next32() % narrow + offset; });
  }
}

void fill_all_integers(const RandomArray& array, GeneratorState& state) {
  fill_each<std::int64_t>(array, [&] { return state.stream->engine.next64(); });
}

void fill_natural(const RandomArray& array, GeneratorState& state) {
  const std::uint64_t range = natural_range(array.dtype);
  if (natural_takes_64_bits(array.dtype)) {
    fill_each<std::int64_t>(array, [&] { return state.stream->engine.next64() % range; });
  } else {
    const auto narrow = static_cast<std::uint32_t>(range);
    fill_each<std::int64_t>(array, [&] { return state.stream->engine.next32() % narrow; });
  }
}

void fill_permutation(const RandomArray& array, GeneratorState& state) {
  std::int64_t n = 1;
  for (const std::int64_t size : array.sizes) n *= size;
  dispatch(array.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    T* const data = static_cast<T*>(array.data);
    for (std::int64_t i = 0; i < n; ++i) data[i] = static_cast<T>(i);
    for (std::int64_t i = 0; i < n - 1; ++i) {
      const auto ahead =
          static_cast<std::int64_t>(state.stream->engine.next32() % static_cast<std::uint64_t>(n - i));
      std::swap(data[i], data[i + ahead]);
    }
  });
}

}  // namespace lectern::kernels::cpu
