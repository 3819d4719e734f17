#include <cmath>
#include <cstring>
#include <numeric>

#include <gtest/gtest.h>

#include "device/counters.h"
#include "device/threads.h"
#include "kernels/cpu/reduction_blocks.h"
#include "kernels/other_isas.h"
#include "ops/expect_error.h"
#include "ops/reduced.h"
#include "ops/reductions.h"

namespace lectern {
namespace {

using test::expect_error;
using test::number;
using test::rounded;
using test::uniform;

double total(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

/// The float8 type without infinities overflows to NaN.
bool same_number(double a, double b) {
  return a == b || (std::isnan(a) && std::isnan(b));
}

/// Sums of these numbers are exact in what they are computed in, so that one rounding is left.
void expect_sums(const test::Laid& laid, const Sizes& dims) {
  const Tensor& x = laid.tensor;
  SCOPED_TRACE(std::string(name(x.dtype())) + " " + to_string(x.sizes()) + " " + laid.how + " over " +
               to_string(dims));
  const Tensor kept = sum(x, dims, true);
  ASSERT_EQ(kept.dtype(), x.is_floating_point() ? x.dtype() : int64);
  ASSERT_EQ(kept.sizes(), test::reduced_sizes(x.sizes(), dims, true));
  const Tensor sums = kept.cpu();
  const Tensor means = x.is_floating_point() ? mean(x, dims, true).cpu() : Tensor();
  for (const auto& [at, values] : test::groups(x, dims)) {
    const double expected = rounded(total(values), kept.dtype());
    ASSERT_TRUE(same_number(number(sums, at), expected)) << number(sums, at) << " is not " << expected;
    if (!means.defined()) continue;
    const double exact = total(values) / static_cast<double>(values.size());
    const double got = number(means, at);
    if (values.empty()) {
      ASSERT_TRUE(std::isnan(got));
    } else if (x.dtype() == float64) {
      ASSERT_EQ(got, exact);
    } else {
      const float computed = static_cast<float>(total(values)) / static_cast<float>(values.size());
      ASSERT_TRUE(same_number(got, rounded(double{computed}, x.dtype()))) << to_string(at);
    }
  }
  const Tensor without = sum(x, dims);
  EXPECT_EQ(without.sizes(), test::reduced_sizes(x.sizes(), dims, false));
  EXPECT_TRUE(test::same_bits(without.view(kept.sizes()), kept));
}

TEST(Sum, EqualsAddingUpIndexByIndex) {
  for (const Dtype dtype : test::kAllDtypes) {
    for (const Sizes& sizes : test::kReducedShapes) {
      for (const test::Laid& laid : test::layouts(sizes, dtype)) {
        for (const Sizes& dims : test::dim_sets(sizes.size())) expect_sums(laid, dims);
      }
    }
  }
}

TEST(Sum, LargeShapesGoThroughAllChunks) {
  for (const Dtype dtype : {float32, bfloat16}) {
    for (const Sizes& sizes :
         std::initializer_list<Sizes>{{70'000}, {700, 40}, {9'000, 3}, {70, 1'100}, {40, 20, 30}}) {
      for (const test::Laid& laid : test::layouts(sizes, dtype)) {
        for (const Sizes& dims : test::dim_sets(sizes.size())) expect_sums(laid, dims);
      }
    }
  }
}

TEST(Sum, ThreadsChangeNoBit) {
  const int before = get_num_threads();
  for (const Dtype dtype : {float32, bfloat16}) {
    for (const Sizes& sizes :
         std::initializer_list<Sizes>{{200'003}, {1'500, 301}, {301, 700}, {70'000, 3}, {2, 100'000}}) {
      for (const test::Laid& laid :
           test::layouts(sizes, dtype, [](const Sizes&s, Dtype d) { return uniform(s, d); })) {
        for (const Sizes& dims : test::dim_sets(sizes.size())) {
          set_num_threads(1);
          const Tensor alone = sum(laid.tensor, dims);
          for (const int threads : {2, 3}) {
            set_num_threads(threads);
            EXPECT_TRUE(test::same_bits(sum(laid.tensor, dims), alone))
                << to_string(sizes) << " " << laid.how << " over " << to_string(dims);
          }
        }
      }
    }
  }
  set_num_threads(before);
}

/// All reductions in a compute type, on whatever instruction sets the processor has.
template <typename T>
void expect_same_on_all_processors() {
  constexpr std::int64_t kCount = 5'000;  // more than a part of a run
  const Tensor values = uniform({kCount}, dtype_of<T>).mul(1'000).cpu();
  for (const kernels::cpu::Isa isa : kernels::cpu::other_isas()) {
    for (std::size_t r = 0; r < kernels::cpu::kReductions; ++r) {
      const kernels::cpu::ReductionBlocks& plain =
          kernels::cpu::reduction_kernels(kernels::cpu::Isa::portable)
              .table[r][kernels::cpu::compute_index(dtype_of<T>)];
      const kernels::cpu::ReductionBlocks& wide =
          kernels::cpu::reduction_kernels(isa).table[r][kernels::cpu::compute_index(dtype_of<T>)];
      ASSERT_EQ(plain.state_size, wide.state_size);
      if (plain.state_size == 0) continue;
      const auto reduced = [&](const kernels::cpu::ReductionBlocks& blocks) {
        std::vector<std::byte> states(static_cast<std::size_t>(kCount) * blocks.state_size);
        blocks.runs(states.data(), values.data_ptr(), 1, 0, kCount, 0);
        blocks.runs(states.data() + blocks.state_size, values.data_ptr(), 5, 100, 100, 0);
        std::byte* const rows = states.data() + 6 * blocks.state_size;
        blocks.start(rows, 90);
        blocks.rows(rows, values.data_ptr(), 11, 90, 90, 0);
        blocks.merge(rows, states.data(), 6);
        std::vector<T> results(96);
        blocks.finish(results.data(), states.data(), 96, 7);
        return results;
      };
      const std::vector<T> a = reduced(plain), b = reduced(wide);
      EXPECT_EQ(std::memcmp(a.data(), b.data(), a.size() * sizeof(T)), 0) << "reduction " << r;
    }
  }
}

TEST(Sum, ProcessorsChangeNoBit) {
  LECTERN_SKIP_WITHOUT_OTHER_ISAS();
  expect_same_on_all_processors<float>();
  expect_same_on_all_processors<double>();
  expect_same_on_all_processors<std::int64_t>();
}

TEST(Sum, IsExactToAFewRoundings) {
  constexpr double kTwoRoundings = 0x1p-22;
  // Added one by one, a million times 0.1F is 105,891.8.
  const Tensor x = full({1 << 20}, 0.1, {.dtype = float32});
  const double exact = double{0.1F} * (1 << 20);
  EXPECT_NEAR(x.sum().item<double>(), exact, exact * kTwoRoundings);
  EXPECT_NEAR(x.view({1 << 10, 1 << 10}).t().sum().item<double>(), exact, exact * kTwoRoundings);
  const Tensor columns = x.view({1 << 18, 4}).sum({0});
  for (std::int64_t i = 0; i < 4; ++i)
    EXPECT_NEAR(columns[i].item<double>(), exact / 4, exact / 4 * kTwoRoundings);
  const Tensor random = uniform({3, 500'000}, float32, 7);
  for (const Tensor& one : {random, random.t().contiguous().t()}) {
    const Tensor rows = one.sum({1}), here = test::on_host(one);
    for (std::int64_t i = 0; i < 3; ++i) {
      double sum = 0, size = 0;
      for (std::int64_t j = 0; j < 500'000; ++j) {
        const double value = number(here, {i, j});
        sum += value;
        size += std::abs(value);
      }
      EXPECT_NEAR(rows[i].item<double>(), sum, size * kTwoRoundings);
    }
  }
}

TEST(Sum, AccumulatesNarrowFloatsInFloat) {
  EXPECT_EQ(ones({4'096}, {.dtype = float16}).sum().item<float>(), 4'096);
  EXPECT_EQ(ones({70'000}, {.dtype = bfloat16}).sum().item<float>(), 70'144);  // 70,000 to 8 bits
  EXPECT_EQ(full({1'000}, 300, {.dtype = float16}).mean().item<float>(),
            300);  // the sum is none of float16's numbers
  EXPECT_EQ(ones({20'000}, {.dtype = float8_e4m3fn}).mean().item<float>(), 1);
}

TEST(Sum, TakesADtype) {
  const Tensor bytes = full({300}, 200, {.dtype = uint8});
  EXPECT_EQ(bytes.sum().item<std::int64_t>(), 60'000);
  EXPECT_EQ(bytes.sum(int16).dtype(), int16);
  EXPECT_EQ(bytes.sum(int16).item<int>(), 60'000 - 65'536);
  EXPECT_EQ(bytes.sum(float32).item<float>(), 60'000);
  EXPECT_EQ(bytes.mean(float64).item<double>(), 200);
  EXPECT_EQ(tensor({0.5, 0.5, 1.75}).sum(int64).item<int>(), 1);
  EXPECT_EQ(tensor({0.5, -0.5}).sum(bool_).item<bool>(), true);
  EXPECT_EQ(tensor({0, 256}).sum(bool_).item<bool>(), true);
  EXPECT_EQ(tensor({true, true, false}).sum().item<int>(), 2);
  EXPECT_EQ(full({3}, 1 << 24, {.dtype = float32}).add(1).sum({0}, true, float64).dtype(), float64);
}

TEST(Sum, KeepsNanAndInfinity) {
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_TRUE(std::isnan(tensor({1., std::nan(""), 2.}).sum().item<double>()));
  EXPECT_EQ(tensor({1., infinity}).sum().item<double>(), infinity);
  EXPECT_TRUE(std::isnan(tensor({-infinity, infinity}).sum().item<double>()));
}

TEST(Sum, OfNothing) {
  EXPECT_EQ(zeros({0}).sum().item<double>(), 0);
  EXPECT_EQ(zeros({0}, {.dtype = int32}).sum().dtype(), int64);
  EXPECT_TRUE(std::isnan(zeros({0}).mean().item<double>()));
  const Tensor rows = zeros({0, 3}).sum({0});
  EXPECT_EQ(rows.sizes(), Sizes{3});
  EXPECT_EQ(rows[2].item<double>(), 0);
  EXPECT_EQ(zeros({3, 0}).sum({0}).sizes(), Sizes{0});
}

TEST(Sum, OfNothingManyTimesReadsNothing) {
  const Tensor x = zeros({3, 0});
  EXPECT_EQ(x.sum({1}).sizes(), (Sizes{3}));
  EXPECT_EQ(x.slice(0, 1).sum({1}).sum().item<double>(), 0);
}

TEST(Sum, ReadsRepeatedElementsWithoutCopies) {
  const Tensor huge = ones({1}).expand({1'000, 1'000, 1'000, 1'000, 1'000, 1'000});
  EXPECT_EQ(huge.select(0, 0).select(0, 0).select(0, 0).select(0, 0).sum().item<double>(), 1e6);
}

TEST(Sum, Counts) {
  const CountScope scope;
  ones({10, 20}, {.dtype = float16}).t().sum({1});
  EXPECT_EQ(scope.counted().flops, 200);
}

TEST(Sum, RefusesWrongDimensions) {
  const Tensor x = ones({2, 3});
  expect_error([&] { x.sum({2}); }, "sum: dim must be from -2 to 1, not 2");
  expect_error([&] { x.mean({0, -3}); }, "mean: dim must be from -2 to 1, not -3");
  expect_error(
      [&] {
        x.sum({1, -1});
      },
      "sum: dims must be different dimensions, not [1, -1] of shape [2, 3]");
  expect_error(
      [&] {
        x[0][0].sum({0, 0});
      },
      "sum: dims must be different dimensions, not [0, 0] of shape []");
  EXPECT_EQ(x[0][0].sum({0}).item<double>(), 1);
}

TEST(Sum, HasNoMeanOfIntegers) {
  const Tensor x = ones({2}, {.dtype = int32});
  expect_error([&] { x.mean(); },
               "mean: dtype must be floating, not int32; convert with to(), or name a dtype");
  expect_error([&] { ones({2}).mean(int64); },
               "mean: dtype must be floating, not int64; convert with to(), or name a dtype");
  EXPECT_EQ(x.mean(float32).item<double>(), 1);
}

}  // namespace
}  // namespace lectern
