#include <cmath>
#include <limits>
#include <numbers>

#include "kernels/cpu/random_blocks.h"
#include "kernels/cpu/random_fill.h"
#include "kernels/random_math.h"

namespace lectern::kernels::cpu {
namespace {

constexpr std::int64_t kNormalBlock = 16;

/// Uniform values of type T's precision, unrounded.
template <typename T>
void draw_uniform(Compute<T>* values, std::int64_t count, Compute<T> from, Compute<T> range,
                  Mt19937& engine) {
  constexpr std::int64_t kWordsEach = std::is_same_v<T, double> ? 2 : 1;
  std::uint32_t words[kRandomBlock * kWordsEach];
  for (std::int64_t done = 0; done < count; done += kRandomBlock) {
    const std::int64_t block = std::min(kRandomBlock, count - done);
    engine.fill(std::span(words, static_cast<std::size_t>(block * kWordsEach)));
    if constexpr (std::is_same_v<T, double>) {
      random_blocks().uniform_double(values + done, words, block, from, range);
    } else {
      random_blocks().uniform_float(values + done, words, block, std::numeric_limits<T>::digits, from, range);
    }
  }
}

/// The bounds of a uniform distribution as type T holds them.
template <typename T>
struct Bounds {
  Bounds(double low, double high)
      : from(static_cast<T>(low)),
        range(static_cast<T>(static_cast<Compute<T>>(static_cast<T>(high)) - from)) {}
  Compute<T> from;
  Compute<T> range;
};

/// In the precision of T, with PyTorch's roundings: on float16 in float except stored values, on bfloat16
/// after each step.
template <typename T>
void transform_normal_block(T* values, T mean, T std) {
  for (int i = 0; i < 8; ++i) {
    if constexpr (std::is_same_v<T, double>) {
      const double radius = std::sqrt(-2 * std::log(1 - values[i]));
      const double theta = 2 * std::numbers::pi * values[i + 8];
      values[i] = math::fma(radius * std::cos(theta), std, mean);
      values[i + 8] = math::fma(radius * std::sin(theta), std, mean);
    } else {
      const auto step = [](float value) { return std::is_same_v<T, BFloat16> ? float{T(value)} : value; };
      const float radius{T(std::sqrt(step(-2 * step(std::log(1 - float{values[i]})))))};
      const float theta{T(2 * std::numbers::pi * float{values[i + 8]})};
      const auto shifted = [&](float direction) {
        const float product = step(radius * step(direction));
        return std::is_same_v<T, BFloat16> ? T(step(product * std) + mean)
                                           : T(math::fma(product, float{std}, float{mean}));
      };
      values[i] = shifted(std::cos(theta));
      values[i + 8] = shifted(std::sin(theta));
    }
  }
}

template <typename T>
void transform_normal(T* values, std::int64_t count, T mean, T std) {
  if constexpr (std::is_same_v<T, float>) {
    random_blocks().normal_float(values, count / kNormalBlock, mean, std);
  } else {
    for (std::int64_t i = 0; i < count; i += kNormalBlock) transform_normal_block(values + i, mean, std);
  }
}

/// Draws the words of all `count` elements first, then anew those of the last block if it is not full.
template <typename T>
void fill_normal_blocks(T* data, std::int64_t count, double mean, double std, Mt19937& engine) {
  Compute<T> units[kRandomBlock];
  const auto draw = [&](T* values, std::int64_t n) {
    if constexpr (std::is_same_v<T, Compute<T>>) {
      draw_uniform<T>(values, n, 0, 1, engine);
    } else {
      draw_uniform<T>(units, n, 0, 1, engine);
      for (std::int64_t i = 0; i < n; ++i) values[i] = T(units[i]);
    }
    transform_normal(values, n, static_cast<T>(mean), static_cast<T>(std));
  };
  const std::int64_t rest = count % kNormalBlock;
  const std::int64_t whole = count - rest;
  for (std::int64_t done = 0; done < whole; done += kRandomBlock)
    draw(data + done, std::min(kRandomBlock, whole - done));
  if (rest == 0) return;
  draw_uniform<T>(units, rest, 0, 1, engine);
  draw(data + count - kNormalBlock, kNormalBlock);
}

}  // namespace

void fill_uniform(const RandomArray& array, double from, double to, GeneratorState& state) {
  dispatch_real(array.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const Bounds<T> bounds(from, to);
    fill_elements<T>(array, Draw<Compute<T>>([&](Compute<T>* values, std::int64_t count) {
                       draw_uniform<T>(values, count, bounds.from, bounds.range, state.stream->engine);
                     }));
  });
}

void fill_normal(const RandomArray& array, double mean, double std, GeneratorState& state) {
  std::int64_t count = 1;
  for (const std::int64_t size : array.sizes) count *= size;
  if (array.contiguous && count >= kNormalBlock) {
    return dispatch_real(array.dtype, [&](auto tag) {
      using T = typename decltype(tag)::type;
      fill_normal_blocks(static_cast<T*>(array.data), count, mean, std, state.stream->engine);
    });
  }
  fill_each<double>(array, [&, &next_normal = state.stream->next_normal] {
    double normal;
    if (next_normal) {
      normal = *next_normal;
      next_normal.reset();
    } else {
      const double theta = 2 * std::numbers::pi * draw_unit(state.stream->engine);
      const double radius = std::sqrt(-2 * std::log(1 - draw_unit(state.stream->engine)));
      next_normal = radius * std::sin(theta);
      normal = radius * std::cos(theta);
    }
    return math::fma(normal, std, mean);
  });
}

void fill_exponential(const RandomArray& array, double lambda, GeneratorState& state) {
  fill_each<double>(array, [&] { return -1 / lambda * std::log(1 - draw_unit(state.stream->engine)); });
}

void fill_truncated_normal(const RandomArray& array, const TruncatedNormal& shape, GeneratorState& state) {
  dispatch_real(array.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    using W = Compute<T>;
    const Bounds<T> bounds(shape.from, shape.to);
    const W scale{static_cast<T>(shape.scale)}, mean{static_cast<T>(shape.mean)};
    const W low{static_cast<T>(shape.low)}, high{static_cast<T>(shape.high)};
    const auto rounded = [](W value) { return W{static_cast<T>(value)}; };
    fill_elements<T>(array, Draw<W>([&](W* values, std::int64_t count) {
                       draw_uniform<T>(values, count, bounds.from, bounds.range, state.stream->engine);
                       for (std::int64_t i = 0; i < count; ++i) {
                         const W normal = rounded(erfinv(rounded(values[i])));
                         values[i] = std::clamp(rounded(rounded(normal * scale) + mean), low, high);
                       }
                     }));
  });
}

void fill_bernoulli(const RandomArray& array, double p, GeneratorState& state) {
  fill_each<std::int64_t>(array, [&] { return draw_unit(state.stream->engine) < p; });
}

bool fill_bernoulli_each(const RandomArray& array, const RandomArray& p, GeneratorState& state) {
  const ArrayStrides strides[] = {{array.strides.data(), element_size(array.dtype)},
                                  {p.strides.data(), element_size(p.dtype)}};
  const Geometry geometry = make_geometry(array.sizes, strides);
  Walker to(geometry, 0, array.data), from(geometry, 1, p.data);
  for (std::int64_t left = geometry.numel; left > 0; left -= kRandomBlock) {
    const std::int64_t count = std::min(left, kRandomBlock);
    double odds[kRandomBlock];
    dispatch(p.dtype, [&](auto tag) {
      using P = typename decltype(tag)::type;
      from.advance(count, [&](std::byte* first, std::int64_t stride, std::int64_t done, std::int64_t run) {
        for (std::int64_t i = 0; i < run; ++i)
          odds[done + i] = static_cast<double>(element<P>(first, stride, i));
      });
    });
    bool values[kRandomBlock];
    for (std::int64_t i = 0; i < count; ++i) {
      if (!(odds[i] >= 0 && odds[i] <= 1)) return false;
      constexpr std::uint32_t kMask = (1U << 24) - 1;
      const double u = p.dtype == float64
                           ? draw_unit(state.stream->engine)
                           : static_cast<double>(state.stream->engine.next32() & kMask) * 0x1p-24;
      values[i] = u < odds[i];
    }
    dispatch(array.dtype, [&](auto tag) {
      using T = typename decltype(tag)::type;
      to.advance(count, [&](std::byte* first, std::int64_t stride, std::int64_t done, std::int64_t run) {
        for (std::int64_t i = 0; i < run; ++i)
          element<T>(first, stride, i) = convert_number<T>(values[done + i]);
      });
    });
  }
  return true;
}

}  // namespace lectern::kernels::cpu
