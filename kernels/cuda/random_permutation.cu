#include <algorithm>
#include <cmath>

#include "kernels/cuda/launch.h"
#include "kernels/cuda/random_fill.h"
#include "kernels/cuda/scratch.h"
#include "kernels/elementwise.h"
#include "kernels/random.h"
#include "kernels/sort.h"

namespace lectern::kernels::cuda {
namespace {

/// Bits that make all n keys distinct in nine of ten permutations.
int key_bits(std::int64_t n) {
  const auto count = static_cast<double>(n);
  const double needed = std::log2(count - (6 * count * count + 1) / (12 * std::log(0.9)));
  return std::min(64, static_cast<int>(std::ceil(needed)));
}

/// The low bits of signed integers, ordered as by a radix sort: if they include the sign bit, as signed.
template <typename Drawn>
struct KeyKernel {
  const Drawn* drawn;
  std::uint64_t* keys;
  std::int64_t count;
  std::uint64_t mask;
  std::uint64_t flip;

  LECTERN_HD void operator()(std::int64_t thread, std::int64_t threads) const {
    for (std::int64_t i = thread; i < count; i += threads) {
      keys[i] = (static_cast<std::uint64_t>(drawn[i]) & mask) ^ flip;
    }
  }
};

template <typename Drawn>
void draw_keys(std::uint64_t* keys, std::int64_t count, int bits, GeneratorState& state) {
  constexpr int kBits = static_cast<int>(8 * sizeof(Drawn));
  const Scratch drawn(static_cast<std::size_t>(count) * sizeof(Drawn));
  const std::int64_t step = 1;
  const RandomArray array{drawn.data(), dtype_of<Drawn>, {&count, 1}, {&step, 1}, true};
  constexpr Drawn kLeast = std::numeric_limits<Drawn>::min();
  // From the least to the one below the largest.
  fill_integers(array, ~std::uint64_t{0} >> (64 - kBits), kLeast, state);
  const std::uint64_t flip = bits == kBits ? std::uint64_t{1} << (kBits - 1) : 0;
  launch_for(count, KeyKernel<Drawn>{static_cast<const Drawn*>(drawn.data()), keys, count,
                                     ~std::uint64_t{0} >> (64 - bits), flip});
}

/// Fisher-Yates shuffle of equal keys, by the thread of the first of them.
struct ShuffleKernel {
  const std::uint64_t* keys;
  std::int64_t* places;
  std::int64_t count;
  PhiloxState state;

  LECTERN_HD void operator()(std::int64_t thread, std::int64_t threads) const {
    for (std::int64_t i = thread; i < count; i += threads) {
      if (i != 0 && keys[i - 1] == keys[i]) continue;
      std::int64_t equal = 1;
      while (i + equal < count && keys[i + equal] == keys[i]) ++equal;
      std::uint64_t drawn = 0;
      for (std::int64_t last = equal - 1; last > 0; --last, ++drawn) {
        const PhiloxWords words = philox_draw(state, static_cast<std::uint64_t>(i), drawn / 4);
        const std::int64_t other = words.word[drawn % 4] % static_cast<std::uint32_t>(last + 1);
        const std::int64_t place = places[i + last];
        places[i + last] = places[i + other];
        places[i + other] = place;
      }
    }
  }
};

}  // namespace

void fill_permutation(const RandomArray& array, GeneratorState& state) {
  std::int64_t count = 1;
  for (const std::int64_t size : array.sizes) count *= size;
  if (count == 0) return;
  const auto bytes = static_cast<std::size_t>(count) * sizeof(std::uint64_t);
  const Scratch key_memory(bytes), place_memory(bytes);
  auto* const keys = static_cast<std::uint64_t*>(key_memory.data());
  auto* const places = static_cast<std::int64_t*>(place_memory.data());
  const int bits = key_bits(count);
  if (bits <= 32) {
    draw_keys<std::int32_t>(keys, count, bits, state);
  } else {
    draw_keys<std::int64_t>(keys, count, bits, state);
  }
  sort_rows(1, count, bits, keys, places);
  launch_for(count, ShuffleKernel{keys, places, count, state.philox});
  state.philox.offset += static_cast<std::uint64_t>(count + 3) / 4 * 4;
  const std::int64_t step = 1;
  copy({&count, 1}, {array.data, array.dtype, &step}, {places, int64, &step});
}

}  // namespace lectern::kernels::cuda
