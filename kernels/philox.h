#pragma once

#include <cmath>
#include <cstdint>
#include <type_traits>

#include "base/host_device.h"
#include "kernels/compute_type.h"
#include "kernels/math.h"

// PyTorch's random numbers on CUDA: counter-based, so that every thread computes its own draws. Written once
// for host and device; a kernel is a PhiloxFill with its own thread's index. On the host the logarithm,
// sine and cosine are the C library's, and normal and exponential values agree with a GPU's to a few ulp.

namespace lectern::kernels {

struct PhiloxWords {
  std::uint32_t word[4];
};

/// Where a generator is when a CUDA graph is replayed (tensor/cuda_graph.h), in the GPU's memory.
struct PhiloxOrigin {
  std::uint64_t seed;
  std::uint64_t offset;
};

/// The state of a CUDA generator. `offset` counts the words that each thread has drawn; a multiple of 4.
struct PhiloxState {
  std::uint64_t seed;
  std::uint64_t offset;
  const PhiloxOrigin* origin = nullptr;  ///< if given, has the seed, and `offset` counts from its offset

  friend bool operator==(const PhiloxState&, const PhiloxState&) = default;

  /// The same without an origin, for who can read the GPU's memory.
  LECTERN_HD PhiloxState located() const {
    return origin == nullptr ? *this : PhiloxState{origin->seed, origin->offset + offset};
  }
};

/// The keys of the ten rounds.
struct PhiloxKeys {
  std::uint32_t low[10], high[10];

  LECTERN_HD explicit PhiloxKeys(std::uint64_t key) {
    for (std::uint32_t round = 0; round < 10; ++round) {
      low[round] = static_cast<std::uint32_t>(key) + round * 0x9E3779B9;
      high[round] = static_cast<std::uint32_t>(key >> 32) + round * 0xBB67AE85;
    }
  }
};

/// Philox4x32 with 10 rounds (Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as easy as 1, 2, 3",
/// 2011).
LECTERN_HD PhiloxWords philox4x32_10(PhiloxWords counter, const PhiloxKeys& keys) {
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t product0 = std::uint64_t{0xD2511F53} * counter.word[0];
    const std::uint64_t product1 = std::uint64_t{0xCD9E8D57} * counter.word[2];
    counter = {{static_cast<std::uint32_t>(product1 >> 32) ^ counter.word[1] ^ keys.low[round],
                static_cast<std::uint32_t>(product1),
                static_cast<std::uint32_t>(product0 >> 32) ^ counter.word[3] ^ keys.high[round],
                static_cast<std::uint32_t>(product0)}};
  }
  return counter;
}

/// The four words of a thread at a count of its draws.
LECTERN_HD PhiloxWords philox_words(const PhiloxKeys& keys, std::uint64_t thread, std::uint64_t counter) {
  return philox4x32_10({{static_cast<std::uint32_t>(counter), static_cast<std::uint32_t>(counter >> 32),
                         static_cast<std::uint32_t>(thread), static_cast<std::uint32_t>(thread >> 32)}},
                       keys);
}

/// Those that `thread` draws `step` draws after `state`.
LECTERN_HD PhiloxWords philox_draw(const PhiloxState& given, std::uint64_t thread, std::uint64_t step) {
  const PhiloxState state = given.located();
  return philox_words(PhiloxKeys(state.seed), thread, state.offset / 4 + step);
}

template <typename T, int kCount>
struct PhiloxValues {
  T value[kCount];
};

/// In (0, 1], as cuRAND converts them.
LECTERN_HD float philox_unit(std::uint32_t word) {
  return math::fma(static_cast<float>(word), 0x1p-32F, 0x1p-33F);
}
LECTERN_HD double philox_unit(std::uint32_t low, std::uint32_t high) {
  return math::fma(static_cast<double>(low ^ std::uint64_t{high} << 21), 0x1p-53, 0x1p-54);
}

/// The values of one draw: four floats, or two doubles of 64 bits each.
template <typename T>
using PhiloxReals = PhiloxValues<T, std::is_same_v<T, double> ? 2 : 4>;

template <typename T>
LECTERN_HD PhiloxReals<T> philox_units(const PhiloxWords& words) {
  const std::uint32_t* w = words.word;
  if constexpr (std::is_same_v<T, double>) {
    return {{philox_unit(w[0], w[1]), philox_unit(w[2], w[3])}};
  } else {
    return {{philox_unit(w[0]), philox_unit(w[1]), philox_unit(w[2]), philox_unit(w[3])}};
  }
}

/// Two standard normal values by Box-Muller, as cuRAND computes them: the sine first, then the cosine.
LECTERN_HD void philox_normal_pair(std::uint32_t x, std::uint32_t y, float* pair) {
  constexpr float kTurn = 0x1p-32F * 6.2831855F;
  const float angle = math::fma(static_cast<float>(y), kTurn, kTurn / 2);
  const float radius = math::sqrt(-2.0F * std::log(philox_unit(x)));
#ifdef __CUDA_ARCH__
  float sine, cosine;
  __sincosf(angle, &sine, &cosine);
#else
  const float sine = std::sin(angle), cosine = std::cos(angle);
#endif
  pair[0] = sine * radius;
  pair[1] = cosine * radius;
}
LECTERN_HD void philox_normal_pair(const PhiloxWords& words, double* pair) {
  const std::uint32_t* w = words.word;
  const double half_turns =
      math::fma(static_cast<double>(w[2] ^ std::uint64_t{w[3]} << 21), 0x1p-52, 0x1p-53);
  const double radius = math::sqrt(-2.0 * std::log(philox_unit(w[0], w[1])));
#ifdef __CUDA_ARCH__
  double sine, cosine;
  sincospi(half_turns, &sine, &cosine);
#else
  constexpr double kPi = 3.1415926535897932;
  const double sine = std::sin(half_turns * kPi), cosine = std::cos(half_turns * kPi);
#endif
  pair[0] = sine * radius;
  pair[1] = cosine * radius;
}

// Distributions: the values of one draw. Real is the compute type: double for float64, else float.

/// from + (to - from) u, rounded to T, `to` replaced by `from`; `range` is their difference in type T.
template <typename T>
struct PhiloxUniform {
  using Real = Compute<T>;
  static constexpr int kValues = std::is_same_v<T, double> ? 2 : 4;
  T from, to, range;

  LECTERN_HD PhiloxValues<T, kValues> operator()(const PhiloxWords& words) const {
    const PhiloxReals<Real> units = philox_units<Real>(words);
    PhiloxValues<T, kValues> result;
    for (int i = 0; i < kValues; ++i) {
      const auto value = static_cast<T>(math::fma(units.value[i], Real(range), Real(from)));
      result.value[i] = Real(value) == Real(to) ? from : value;
    }
    return result;
  }
};

template <typename Real>
struct PhiloxNormal {
  static constexpr int kValues = std::is_same_v<Real, double> ? 2 : 4;
  Real mean, std;

  LECTERN_HD PhiloxReals<Real> operator()(const PhiloxWords& words) const {
    PhiloxReals<Real> result;
    if constexpr (std::is_same_v<Real, double>) {
      philox_normal_pair(words, result.value);
    } else {
      philox_normal_pair(words.word[0], words.word[1], result.value);
      philox_normal_pair(words.word[2], words.word[3], result.value + 2);
    }
    for (Real& value : result.value) value = math::fma(value, std, mean);
    return result;
  }
};

/// -log(u) / lambda; where u is 1, or next to it, the logarithm is half an epsilon below 0.
template <typename Real>
struct PhiloxExponential {
  static constexpr int kValues = std::is_same_v<Real, double> ? 2 : 4;
  Real lambda;

  LECTERN_HD PhiloxReals<Real> operator()(const PhiloxWords& words) const {
    constexpr Real kSmall = std::is_same_v<Real, double> ? Real(0x1p-53) : Real(0x1p-24);
    PhiloxReals<Real> result = philox_units<Real>(words);
    for (Real& value : result.value)
      value = Real(-1) / lambda * (value >= 1 - kSmall ? -kSmall : std::log(value));
    return result;
  }
};

/// 1 where u < p, else 0.
template <typename Real>
struct PhiloxBernoulli {
  static constexpr int kValues = std::is_same_v<Real, double> ? 2 : 4;
  Real p;

  LECTERN_HD PhiloxReals<Real> operator()(const PhiloxWords& words) const {
    PhiloxReals<Real> result = philox_units<Real>(words);
    for (Real& value : result.value) value = value < p;
    return result;
  }
};

/// base + word % range, where Word is an unsigned type of 32 or 64 bits; a range of 0 means all words.
template <typename Word>
struct PhiloxIntegers {
  static constexpr int kValues = sizeof(Word) == 8 ? 2 : 4;
  Word range;
  std::int64_t base;

  LECTERN_HD PhiloxValues<std::int64_t, kValues> operator()(const PhiloxWords& words) const {
    PhiloxValues<std::int64_t, kValues> result;
    for (int i = 0; i < kValues; ++i) {
      Word word;
      if constexpr (sizeof(Word) == 8) {
        word = Word{words.word[2 * i]} << 32 | words.word[2 * i + 1];
      } else {
        word = words.word[i];
      }
      if (range != 0) word %= range;
      result.value[i] = static_cast<std::int64_t>(word + static_cast<std::uint64_t>(base));
    }
    return result;
  }
};

/// Threads per block.
inline constexpr std::int64_t kPhiloxBlock = 256;

/// Blocks that fill `count` elements, more than 0; large fills differ between GPUs.
LECTERN_HD std::int64_t philox_blocks(std::int64_t count, int multiprocessors,
                                      int threads_per_multiprocessor) {
  const std::int64_t resident = multiprocessors * (threads_per_multiprocessor / kPhiloxBlock);
  const std::int64_t needed = (count + kPhiloxBlock - 1) / kPhiloxBlock;
  return needed < resident ? needed : resident;
}

/// The advance of the offset by filling `count` elements with `blocks` blocks, each draw giving `values`.
LECTERN_HD std::uint64_t philox_increment(std::int64_t count, std::int64_t blocks, int values) {
  return static_cast<std::uint64_t>((count - 1) / (kPhiloxBlock * blocks * values) + 1) * 4;
}

/// Fills `count` elements, less than 2^31, so that their positions fit 32 bits. As a kernel's parameter it
/// spares the threads the keys: a fifth of a draw's instructions.
template <typename Distribution>
class PhiloxFill {
 public:
  PhiloxFill(const Distribution& distribution, const PhiloxState& state, std::int64_t count)
      : distribution_(distribution),
        state_(state),
        count_(static_cast<std::uint32_t>(count)),
        keys_(state.seed) {}

  /// One of `threads` threads' share: store(position, value) for each of its values, `threads` apart.
  template <typename Store>
  LECTERN_HD void operator()(std::uint32_t thread, std::uint32_t threads, const Store& store) const {
    if (state_.origin == nullptr) {
      draw(keys_, state_.offset, thread, threads, store);
    } else {
      const PhiloxState located = state_.located();
      draw(PhiloxKeys(located.seed), located.offset, thread, threads, store);
    }
  }

 private:
  template <typename Store>
  LECTERN_HD void draw(const PhiloxKeys& keys, std::uint64_t offset, std::uint32_t thread,
                       std::uint32_t threads, const Store& store) const {
    constexpr std::uint32_t kValues = Distribution::kValues;
    std::uint64_t counter = offset / 4;
    for (std::uint32_t first = thread; first < count_; first += threads * kValues, ++counter) {
      const auto drawn = distribution_(philox_words(keys, thread, counter));
      for (std::uint32_t i = 0; i < kValues; ++i) {
        const std::uint32_t at = first + threads * i;
        if (at < count_) store(at, drawn.value[i]);
      }
    }
  }

  Distribution distribution_;
  PhiloxState state_;
  std::uint32_t count_;
  PhiloxKeys keys_;  ///< if the state has no origin
};

}  // namespace lectern::kernels
