#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include "device/cuda.h"
#include "kernels/philox.h"
#include "kernels/random_math.h"
#include "ops/expect_error.h"
#include "ops/random.h"
#include "ops/tensors.h"

#ifdef LECTERN_HAS_CUDA
#include "kernels/sort.h"
#endif

namespace lectern {
namespace {

using kernels::PhiloxState;
using kernels::PhiloxWords;
using test::expect_error;
using test::kCuda;

constexpr std::uint64_t kSeed = 1234567890123;
class RandomOnCuda : public testing::Test {
 protected:
  void SetUp() override {
    if (!cuda::is_available()) GTEST_SKIP() << cuda::unavailable_reason();
    generator = Generator(kCuda);
    generator.manual_seed(kSeed);
  }

  /// How many words each thread has drawn.
  std::uint64_t offset() const {
    std::uint64_t words[2];
    std::memcpy(words, generator.get_state().data(), sizeof(words));
    return words[1];
  }

  Generator generator;
};

std::vector<double> values(const Tensor& tensor) {
  const Tensor here = tensor.to(cpu).to(float64).contiguous();
  return {here.data<double>(), here.data<double>() + here.numel()};
}

std::int64_t blocks_for(std::int64_t count) {
  // Asked once: CUDA takes its time to answer.
  static const cuda::DeviceProperties device = cuda::get_device_properties();
  return kernels::philox_blocks(count, device.multi_processor_count, device.max_threads_per_multi_processor);
}

/// What the published formula gives for element `at` of a fill.
template <typename Distribution>
double expected(const Distribution& distribution, PhiloxState state, std::int64_t count, std::int64_t at) {
  const std::int64_t threads = blocks_for(count) * 256;
  const std::int64_t turn = at / threads;
  const auto words = kernels::philox_draw(state, static_cast<std::uint64_t>(at % threads),
                                          static_cast<std::uint64_t>(turn / Distribution::kValues));
  return static_cast<double>(distribution(words).value[turn % Distribution::kValues]);
}

/// Whether a fill of a vector gave what the distribution does, rounded to the dtype, and the generator stands
/// behind it. A GPU's logarithms may differ from the host's in the last places.
template <typename Distribution>
void expect_fill(const Tensor& filled, const Distribution& distribution, PhiloxState state,
                 std::uint64_t offset_then, double tolerance) {
  const std::vector<double> got = values(filled);
  const std::int64_t count = filled.numel();
  for (std::int64_t i = 0; i < count; ++i) {
    const double exact = test::rounded(expected(distribution, state, count, i), filled.dtype());
    const double actual = got[static_cast<std::size_t>(i)];
    ASSERT_NEAR(actual, exact, tolerance * std::max(1.0, std::abs(exact))) << i << " of " << count;
  }
  const std::int64_t words = (count - 1) / (256 * blocks_for(count) * Distribution::kValues) + 1;
  EXPECT_EQ(offset_then, state.offset + static_cast<std::uint64_t>(words) * 4);
}

std::vector<std::int64_t> counts() {
  const std::int64_t wave = blocks_for(std::numeric_limits<std::int64_t>::max() / 2) * 256;
  return {1, 3, 256, 1000, 5 * wave + 17};
}

TEST_F(RandomOnCuda, RealFillsAreThoseOfPhilox) {
  for (const std::int64_t count : counts()) {
    for (const Dtype dtype : {float32, float64, float16, bfloat16}) {
      SCOPED_TRACE(std::string(name(dtype)) + " " + std::to_string(count));
      const Tensor x = empty({count}, {.dtype = dtype, .device = kCuda});
      const double close = dtype == float64   ? 1e-12
                           : dtype == float32 ? 1e-5
                           : dtype == float16 ? 2e-3
                                              : 1e-2;
      PhiloxState state{kSeed, offset()};
      x.uniform_(-1, 3, &generator);
      dispatch(dtype, [&](auto tag) {
        using T = typename decltype(tag)::type;
        if constexpr (!std::is_integral_v<T>) {
          expect_fill(x, kernels::PhiloxUniform<T>{T(-1.0F), T(3.0F), T(4.0F)}, state, offset(), 0);
        }
      });
      const auto expect = [&](const auto& in_float, const auto& in_double, double tolerance) {
        if (dtype == float64) {
          expect_fill(x, in_double, state, offset(), tolerance);
        } else {
          expect_fill(x, in_float, state, offset(), tolerance);
        }
        state.offset = offset();
      };
      state.offset = offset();
      x.normal_(2, 0.5, &generator);
      expect(kernels::PhiloxNormal<float>{2, 0.5}, kernels::PhiloxNormal<double>{2, 0.5}, close);
      x.exponential_(3, &generator);
      expect(kernels::PhiloxExponential<float>{3}, kernels::PhiloxExponential<double>{3}, close);
      x.bernoulli_(0.3, &generator);
      expect(kernels::PhiloxBernoulli<float>{0.3F}, kernels::PhiloxBernoulli<double>{0.3}, 0);
    }
  }
}

TEST_F(RandomOnCuda, IntegersAreThoseOfPhilox) {
  for (const std::int64_t count : counts()) {
    for (const Dtype dtype : {int64, int32, uint8, bool_, float32, float64, bfloat16}) {
      SCOPED_TRACE(std::string(name(dtype)) + " " + std::to_string(count));
      const Tensor x = empty({count}, {.dtype = dtype, .device = kCuda});
      PhiloxState state{kSeed, offset()};
      x.random_(0, dtype == bool_ ? 2 : 100, &generator);
      expect_fill(x, kernels::PhiloxIntegers<std::uint32_t>{dtype == bool_ ? 2U : 100U, 0}, state, offset(),
                  0);
      state.offset = offset();
      x.random_(&generator);
      if (dtype == int64) {
        expect_fill(x, kernels::PhiloxIntegers<std::uint64_t>{std::uint64_t{1} << 63, 0}, state, offset(), 0);
      } else if (dtype == float64) {
        expect_fill(x, kernels::PhiloxIntegers<std::uint64_t>{(std::uint64_t{1} << 53) + 1, 0}, state,
                    offset(), 0);
      } else {
        const std::uint32_t range = dtype == int32     ? 1U << 31
                                    : dtype == uint8   ? 256
                                    : dtype == bool_   ? 2
                                    : dtype == float32 ? (1U << 24) + 1
                                                       : 257;
        expect_fill(x, kernels::PhiloxIntegers<std::uint32_t>{range, 0}, state, offset(), 0);
      }
    }
  }
  const Tensor x = empty({1000}, {.dtype = int64, .device = kCuda});
  PhiloxState state{kSeed, offset()};
  x.random_(-5, std::int64_t{1} << 40, &generator);
  expect_fill(x, kernels::PhiloxIntegers<std::uint64_t>{(std::uint64_t{1} << 40) + 5, -5}, state, offset(),
              0);
  state.offset = offset();
  random_(x, std::numeric_limits<std::int64_t>::min(), {}, &generator);
  expect_fill(x, kernels::PhiloxIntegers<std::uint64_t>{0, 0}, state, offset(), 0);
}

TEST_F(RandomOnCuda, ElementsAreNumberedAsTheyLieInMemory) {
  const Tensor vector = empty({60}, {.device = kCuda}).uniform_(0, 1, &generator);
  const auto drawn = [&](const Tensor& view) {
    generator.manual_seed(kSeed);
    return values(view.uniform_(0, 1, &generator));
  };
  const std::vector<double> in_order = values(vector);
  EXPECT_EQ(drawn(empty({3, 20}, {.device = kCuda})), in_order);
  EXPECT_EQ(drawn(zeros({6, 40}, {.device = kCuda}).as_strided({3, 20}, {80, 2}, 1)), in_order);
  const Tensor transposed = empty({20, 3}, {.device = kCuda}).t();
  EXPECT_EQ(drawn(transposed), values(vector.as_strided({3, 20}, {1, 3})));
  const Tensor beside = zeros({6, 40}, {.device = kCuda});
  drawn(beside.as_strided({3, 20}, {80, 2}, 1));
  EXPECT_EQ(values(beside.as_strided({6, 20}, {40, 2})), std::vector<double>(120)) << "the gaps stay";
}

TEST_F(RandomOnCuda, BernoulliOfATensorDrawsFourAtATime) {
  for (const std::int64_t rows : {1, 7, 2000}) {
    for (const Dtype dtype : {float32, float64, float16, uint8, bool_}) {
      for (const bool transposed : {false, true}) {
        const Tensor p =
            rand({rows, 5}, {.device = kCuda}, &generator).to(dtype == float64 ? float64 : float32);
        Tensor x = zeros({rows, 5}, {.dtype = dtype, .device = kCuda});
        if (transposed) x = zeros({5, rows}, {.dtype = dtype, .device = kCuda}).t();
        const PhiloxState state{kSeed, offset()};
        x.bernoulli_(p, &generator);
        EXPECT_EQ(offset(), state.offset + 12);
        const std::vector<double> got = values(x), odds = values(p);
        for (std::size_t i = 0; i < got.size(); ++i) {
          const PhiloxWords words = kernels::philox_draw(state, i / 4, 0);
          ASSERT_EQ(got[i], kernels::philox_unit(words.word[i % 4]) <= odds[i] ? 1 : 0) << i;
        }
      }
    }
  }
  const Tensor x = zeros({2, 3}, {.device = kCuda});
  EXPECT_EQ(values(x.bernoulli_(tensor({1, 0, 1.}, {.device = kCuda}), &generator)),
            (std::vector<double>{1, 0, 1, 1, 0, 1}));
  for (const double wrong : {-0.5, 1.5, std::nan("")}) {
    expect_error(
        [&] {
          x.bernoulli_(tensor({0.5, wrong, 0.5}, {.device = kCuda}), &generator);
        },
        "bernoulli_: every element of p must be in [0, 1]");
  }
}

TEST_F(RandomOnCuda, TruncatedNormalIsComposedOfRoundedSteps) {
  for (const Dtype dtype : {float32, float64, float16, bfloat16}) {
    const Tensor x = empty({3000}, {.dtype = dtype, .device = kCuda});
    const PhiloxState state{kSeed, offset()};
    trunc_normal_(x, 0.5, 2, -1, 3, &generator);
    const std::vector<double> got = values(x);
    const double low = std::erf(-0.75 / std::sqrt(2.0)), high = std::erf(1.25 / std::sqrt(2.0));
    dispatch(dtype, [&](auto tag) {
      using T = typename decltype(tag)::type;
      if constexpr (!std::is_integral_v<T>) {
        const T from(static_cast<T>(low)), to(static_cast<T>(high));
        const kernels::PhiloxUniform<T> uniform{from, to, static_cast<T>(to - from)};
        for (std::size_t i = 0; i < got.size(); ++i) {
          const double u = expected(uniform, state, 3000, static_cast<std::int64_t>(i));
          const double normal = 0.5 + 2 * std::sqrt(2.0) * kernels::erfinv(u);
          const double near = dtype == float64   ? 1e-9
                              : dtype == float32 ? 1e-5
                              : dtype == float16 ? 5e-3
                                                 : 4e-2;
          ASSERT_NEAR(got[i], std::clamp(normal, -1.0, 3.0), near) << name(dtype) << " " << i;
        }
      }
    });
    EXPECT_LE(*std::max_element(got.begin(), got.end()), 3);
    EXPECT_GE(*std::min_element(got.begin(), got.end()), -1);
  }
}

/// PyTorch's algorithm on the host; counts islands of equal keys.
std::vector<double> permutation(std::int64_t n, PhiloxState state, int* islands) {
  const auto count = static_cast<double>(n);
  const int bits =
      static_cast<int>(std::ceil(std::log2(count - (6 * count * count + 1) / (12 * std::log(0.9)))));
  std::vector<std::uint64_t> keys(static_cast<std::size_t>(n));
  const std::uint64_t mask = ~std::uint64_t{0} >> (64 - bits);
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const auto at = static_cast<std::int64_t>(i);
    const std::int64_t threads = blocks_for(n) * 256, turn = at / threads;
    const int each = bits <= 32 ? 4 : 2;
    const PhiloxWords drawn = kernels::philox_draw(state, static_cast<std::uint64_t>(at % threads),
                                                   static_cast<std::uint64_t>(turn / each));
    if (bits <= 32) {
      const std::uint32_t word = drawn.word[turn % 4] % 0xFFFFFFFFU + 0x80000000U;
      keys[i] = word & mask;
      if (bits == 32) keys[i] ^= 0x80000000U;
    } else {
      const std::uint32_t* const words = drawn.word + turn % 2 * 2;
      const std::uint64_t word = (std::uint64_t{words[0]} << 32 | words[1]) % ~std::uint64_t{0};
      keys[i] = (word + (std::uint64_t{1} << 63)) & mask;
    }
  }
  const std::int64_t draws = (n - 1) / (256 * blocks_for(n) * (bits <= 32 ? 4 : 2)) + 1;
  state.offset += static_cast<std::uint64_t>(draws) * 4;
  std::vector<double> order(keys.size());
  std::iota(order.begin(), order.end(), 0);
  const auto key = [&](std::size_t i) { return keys[static_cast<std::size_t>(order[i])]; };
  std::stable_sort(order.begin(), order.end(), [&](double a, double b) {
    return keys[static_cast<std::size_t>(a)] < keys[static_cast<std::size_t>(b)];
  });
  for (std::size_t begin = 0, end; begin < order.size(); begin = end) {
    for (end = begin + 1; end < order.size() && key(end) == key(begin);) ++end;
    *islands += end - begin > 1;
    for (std::size_t i = end - begin; i-- > 1;) {
      const std::size_t draw = end - begin - 1 - i;
      const PhiloxWords drawn = kernels::philox_draw(state, begin, draw / 4);
      std::swap(order[begin + i], order[begin + drawn.word[draw % 4] % (i + 1)]);
    }
  }
  return order;
}

TEST_F(RandomOnCuda, PermutationsAreThoseOfPyTorchsAlgorithm) {
  int islands = 0;
  for (const std::int64_t n : {1, 2, 3, 31, 32, 33, 64, 100, 257, 1000, 29000, 31000, 40000}) {
    for (int i = 0; i < (n <= 1000 ? 20 : 1); ++i) {
      const PhiloxState state{kSeed, offset()};
      const Tensor drawn = randperm(n, {.device = kCuda}, &generator);
      EXPECT_EQ(drawn.dtype(), int64);
      std::vector<double> got = values(drawn);
      ASSERT_EQ(got, permutation(n, state, &islands)) << n << ", " << i;
      std::sort(got.begin(), got.end());
      for (std::size_t k = 0; k < got.size(); ++k) ASSERT_EQ(got[k], static_cast<double>(k));
    }
  }
  EXPECT_GT(islands, 0) << "some keys must have been equal";
  const PhiloxState state{kSeed, offset()};
  EXPECT_EQ(values(randperm(200, {.dtype = uint8, .device = kCuda}, &generator)),
            permutation(200, state, &islands));
}

#ifdef LECTERN_HAS_CUDA
TEST_F(RandomOnCuda, SortsRows) {
  constexpr int kBits = 6;  // of 49
  for (const std::int64_t columns : {1, 2, 31, 32, 33, 64, 65, 100, 1000, 140'000}) {
    const Tensor keys = randint(0, 50, {3, columns}, {.device = kCuda}, &generator);
    const Tensor places = zeros({3, columns}, {.dtype = int64, .device = kCuda});
    const std::vector<double> before = values(keys);
    kernels::sort_rows("sort", kCuda, 3, columns, kBits, static_cast<std::uint64_t*>(keys.data_ptr()),
                       places.data<std::int64_t>());
    const std::vector<double> from = values(places);
    for (std::int64_t row = 0; row < 3; ++row) {
      const auto begin = static_cast<std::size_t>(row * columns),
                 end = begin + static_cast<std::size_t>(columns);
      const auto key = [&](std::size_t i) { return before[begin + static_cast<std::size_t>(from[i])]; };
      for (std::size_t i = begin + 1; i < end; ++i) {
        ASSERT_TRUE(key(i - 1) < key(i) || (key(i - 1) == key(i) && from[i - 1] < from[i]))
            << row << ", " << i - begin << " of " << columns;
      }
    }
  }
}
#endif

Tensor weights_with_zeros(std::int64_t rows, std::int64_t categories, Dtype dtype, Generator* generator) {
  const Tensor weights = rand({rows, categories}, {.dtype = dtype, .device = kCuda}, generator).add_(0.125);
  weights.as_strided({rows, (categories + 2) / 3}, {categories, 3}).zero_();  // each third
  return weights;
}

TEST_F(RandomOnCuda, SamplesWithReplacementFollowTheCumulativeSum) {
  for (const Dtype dtype : {float32, float64, float16}) {
    for (const std::int64_t samples : {1, 2, 300}) {
      for (const std::int64_t categories : {2, 50, 1500}) {
        const Tensor weights = weights_with_zeros(3, categories, dtype, &generator);
        const PhiloxState state{kSeed, offset()};
        const Tensor drawn = multinomial(weights, samples, true, &generator);
        EXPECT_EQ(offset(), state.offset + 4);
        ASSERT_EQ(drawn.sizes(), (Sizes{3, samples}));
        const std::vector<double> got = values(drawn), weight = values(weights);
        for (std::int64_t i = 0; i < 3 * samples; ++i) {
          const std::int64_t row = i / samples;
          double unit;
          if (samples == 1) {
            const auto thread = static_cast<std::uint64_t>(row);
            const PhiloxWords words = kernels::philox_draw(state, thread, 0);
            unit =
                dtype == float64 ? kernels::PhiloxUniform<double>{0, 1, 1}(words).value[0]
                : dtype == float32
                    ? double{kernels::PhiloxUniform<float>{0, 1, 1}(words).value[0]}
                    : double{float{
                          kernels::PhiloxUniform<Half>{Half(0.0F), Half(1.0F), Half(1.0F)}(words).value[0]}};
          } else {
            const std::int64_t width = (samples + 127) / 128 * 128;
            const auto thread = static_cast<std::uint64_t>(row * width + i % samples);
            unit = double{kernels::philox_unit(kernels::philox_draw(state, thread, 0).word[0])};
          }
          const double* const of_row = weight.data() + row * categories;
          const double total = std::accumulate(of_row, of_row + categories, 0.0);
          const auto chosen = static_cast<std::int64_t>(got[static_cast<std::size_t>(i)]);
          const double until = std::accumulate(of_row, of_row + chosen + 1, 0.0) / total;
          const double width = of_row[chosen] / total;
          EXPECT_GT(width, 0);
          EXPECT_LE(unit, until + 1e-6);
          EXPECT_GE(unit, until - width - 1e-6);
        }
      }
    }
  }
}

TEST_F(RandomOnCuda, SamplesWithoutReplacementAreTheLargestQuotients) {
  for (const Dtype dtype : {float32, float64, float16}) {
    for (const std::int64_t samples : {1, 2, 20}) {
      const std::int64_t categories = 50;
      const Tensor weights = weights_with_zeros(3, categories, dtype, &generator);
      const auto before = generator.get_state();
      const std::vector<double> got = values(multinomial(weights, samples, false, &generator));
      generator.set_state(before);
      const Tensor times = empty_like(weights).exponential_(1, &generator);
      const std::vector<double> quotients = values(weights.div(times));
      for (std::int64_t row = 0; row < 3; ++row) {
        const double* const of_row = quotients.data() + row * categories;
        std::vector<double> order(static_cast<std::size_t>(categories));
        std::iota(order.begin(), order.end(), 0);
        std::stable_sort(order.begin(), order.end(), [&](double a, double b) {
          return of_row[static_cast<std::int64_t>(a)] > of_row[static_cast<std::int64_t>(b)];
        });
        for (std::int64_t i = 0; i < samples; ++i) {
          const double category = got[static_cast<std::size_t>(row * samples + i)];
          EXPECT_EQ(category, order[static_cast<std::size_t>(i)]) << name(dtype) << ", " << samples;
          EXPECT_NE(static_cast<std::int64_t>(category) % 3, 0) << "its weight is 0";
        }
      }
    }
  }
  const Tensor few = tensor({0., 1, 0, 1}, {.device = kCuda});
  const std::vector<double> all = values(multinomial(few, 4, false, &generator));
  EXPECT_EQ(std::set<double>(all.begin(), all.end()).size(), 4U);
  EXPECT_EQ(std::set<double>(all.begin(), all.begin() + 2), (std::set<double>{1, 3}));
}

TEST_F(RandomOnCuda, SamplesFollowTheWeights) {
  const Tensor weights = tensor({1., 0, 3, 6}, {.device = kCuda}).expand({1500, 4});
  for (const auto& [samples, replacement] : {std::pair(1, true), std::pair(3, true), std::pair(1, false)}) {
    std::vector<double> counts(4);
    const std::vector<double> drawn = values(multinomial(weights, samples, replacement, &generator));
    for (const double category : drawn) ++counts[static_cast<std::size_t>(category)];
    const auto total = static_cast<double>(drawn.size());
    EXPECT_EQ(counts[1], 0);
    EXPECT_NEAR(counts[0] / total, 0.1, 0.035);
    EXPECT_NEAR(counts[2] / total, 0.3, 0.05);
  }
}

TEST_F(RandomOnCuda, WrongWeightsAreNamed) {
  for (const bool replacement : {true, false}) {
    const auto draw = [&](const NestedList& weights) {
      multinomial(tensor(weights, {.device = kCuda}), 1, replacement, &generator);
    };
    expect_error([&] { draw({1., -1}); }, "multinomial: a weight is below 0");
    expect_error([&] { draw({1., INFINITY, -1}); }, "multinomial: a weight is infinite or not a number");
    expect_error([&] { draw({1., std::nan("")}); }, "multinomial: a weight is infinite or not a number");
    expect_error([&] { draw({NestedList{1., 1}, NestedList{0., 0}}); }, "multinomial: the weights sum to 0");
  }
}

TEST_F(RandomOnCuda, StatesAndDefaultGenerators) {
  const auto before = generator.get_state();
  const std::vector<double> first = values(rand({100}, {.device = kCuda}, &generator));
  const std::vector<double> next = values(rand({100}, {.device = kCuda}, &generator));
  EXPECT_NE(first, next);
  generator.set_state(before);
  EXPECT_EQ(values(rand({100}, {.device = kCuda}, &generator)), first);

  manual_seed(kSeed);
  EXPECT_EQ(values(rand({100}, {.device = kCuda})), first);
  EXPECT_EQ(values(rand({100}, {.device = kCuda})), next);

  EXPECT_EQ(rand({0, 3}, {.device = kCuda}, &generator).numel(), 0);
  EXPECT_EQ(randperm(0, {.device = kCuda}, &generator).numel(), 0);
  EXPECT_EQ(multinomial(empty({0, 3}, {.device = kCuda}), 2, true, &generator).sizes(), (Sizes{0, 2}));
  EXPECT_EQ(multinomial(empty({0, 3}, {.device = kCuda}), 2, false, &generator).sizes(), (Sizes{0, 2}));
  EXPECT_EQ(offset(), 4U) << "nothing was drawn";

  Generator on_cpu;
  expect_error([&] { rand({2}, {.device = kCuda}, &on_cpu); },
               "uniform_: generator must be one of the tensor's device, cuda:0, not cpu");
}

}  // namespace
}  // namespace lectern
