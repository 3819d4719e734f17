#include "tensor/elements.h"

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "device/counters.h"
#include "device/memory.h"
#include "device/threads.h"
#include "tensor/creation.h"

namespace lectern {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

template <typename T>
Tensor view_of(std::vector<T>& numbers, const Sizes& sizes) {
  return from_blob(numbers.data(), sizes, {}, {.dtype = dtype_of<T>});
}

using List = std::vector<std::vector<std::int64_t>>;

TEST(Elements, Selections) {
  EXPECT_EQ(select_all({2, 3}), (List{{0, 1}, {0, 1, 2}}));
  EXPECT_EQ(select_all({}), List{});
  EXPECT_EQ(select_edges({6, 7}, 3), (List{{0, 1, 2, 3, 4, 5}, {0, 1, 2, 4, 5, 6}}));
  EXPECT_EQ(select_edges({2, 3}, 1), (List{{0, 1}, {0, 2}}));
  EXPECT_EQ(numel(select_edges({std::int64_t{1} << 60, 0}, 3)), 0);
  EXPECT_EQ(numel(Selection{}), 1);
}

TEST(Elements, AreReadThroughStrides) {
  std::vector<float> numbers = {0, 1, 2, 3, 4, 5};
  const Tensor x = view_of(numbers, {2, 3}).t();
  EXPECT_EQ(read_elements(x, select_all(x.sizes())).reals, (std::vector<double>{0, 3, 1, 4, 2, 5}));
  EXPECT_EQ(read_elements(x, {{2}, {0, 1}}).reals, (std::vector<double>{2, 5}));
  EXPECT_EQ(read_elements(x.select(0, 1).select(0, 1), {}).reals, std::vector<double>{4});
}

TEST(Elements, OfEveryDtype) {
  for (int i = 0; i < kDtypes; ++i) {
    const auto dtype = static_cast<Dtype>(i);
    dispatch(dtype, [&](auto tag) {
      using T = typename decltype(tag)::type;
      T numbers[2] = {T(1), T(0)};
      const Tensor x = from_blob(numbers, {2}, {}, {.dtype = dtype});
      const Elements elements = read_elements(x, select_all(x.sizes()));
      if (is_floating_point(dtype)) {
        EXPECT_EQ(elements.reals, (std::vector<double>{1, 0})) << name(dtype);
      } else {
        EXPECT_EQ(elements.integers, (std::vector<std::int64_t>{1, 0})) << name(dtype);
      }
      const kernels::Moments moments = statistics(x);
      EXPECT_EQ(moments.finite, 2) << name(dtype);
      EXPECT_EQ(moments.mean, 0.5) << name(dtype);
      EXPECT_EQ(moments.squares, 0.5) << name(dtype);
      EXPECT_EQ(moments.min, 0) << name(dtype);
      EXPECT_EQ(moments.max, 1) << name(dtype);
      if (!is_floating_point(dtype)) {
        EXPECT_EQ(moments.integer_min, 0) << name(dtype);
        EXPECT_EQ(moments.integer_max, 1) << name(dtype);
      }
    });
  }
}

TEST(Elements, StatisticsAreOfTheFiniteNumbers) {
  std::vector<float> numbers(100, 0);
  for (std::size_t i = 0; i < 100; ++i) numbers[i] = static_cast<float>(i) - 20;
  numbers[3] = kNan;
  numbers[50] = kInfinity;
  numbers[51] = -kInfinity;
  numbers[99] = kNan;
  const kernels::Moments moments = statistics(view_of(numbers, {100}));
  EXPECT_EQ(moments.nan, 2);
  EXPECT_EQ(moments.infinite, 2);
  EXPECT_EQ(moments.finite, 96);
  EXPECT_EQ(moments.min, -20);
  EXPECT_EQ(moments.max, 78);
  double sum = 0, squares = 0;
  for (const float x : numbers) sum += std::isfinite(x) ? x : 0;
  for (const float x : numbers) squares += std::isfinite(x) ? std::pow(x - sum / 96, 2) : 0;
  EXPECT_NEAR(moments.mean, sum / 96, 1e-12);
  EXPECT_NEAR(moments.squares, squares, 1e-8);
}

TEST(Elements, DistributionCountsFiniteElements) {
  std::vector<float> numbers;
  for (int i = 0; i < 24; ++i)
    for (int j = 0; j <= i; ++j) numbers.push_back(static_cast<float>(i) / 23);
  numbers.push_back(kNan);
  numbers.push_back(-kInfinity);
  const Distribution found = distribution(view_of(numbers, {2, 151}));
  EXPECT_EQ(found.moments.finite, 300);
  ASSERT_EQ(found.histogram.size(), 24U);
  for (std::size_t i = 0; i < 24; ++i) EXPECT_EQ(found.histogram[i], static_cast<std::int64_t>(i + 1));
  EXPECT_EQ(distribution(view_of(numbers, {2, 151}).t()).histogram, found.histogram);

  std::vector<std::int64_t> integers = {-5, -5, 7, 7, 7};
  const Distribution ends = distribution(view_of(integers, {5}));
  EXPECT_EQ(ends.histogram.front(), 2);
  EXPECT_EQ(ends.histogram.back(), 3);
}

TEST(Elements, WhatHasNoWidthHasNoHistogram) {
  std::vector<double> equal(9, 2.5), far = {-1.7e308, 1.7e308}, near = {0, 5e-324}, nothing(3, kNan);
  EXPECT_TRUE(distribution(view_of(equal, {9})).histogram.empty());
  EXPECT_TRUE(distribution(view_of(far, {2})).histogram.empty());
  EXPECT_TRUE(distribution(view_of(nothing, {3})).histogram.empty());
  EXPECT_TRUE(distribution(tensor({})).histogram.empty());
  EXPECT_EQ(distribution(view_of(near, {2})).histogram.back(), 1);
}

TEST(Elements, StatisticsOfNothing) {
  const kernels::Moments empty = statistics(tensor({}));
  EXPECT_EQ(empty.finite + empty.nan + empty.infinite, 0);
  std::vector<float> numbers(3, kNan);
  const kernels::Moments nan = statistics(view_of(numbers, {3}));
  EXPECT_EQ(nan.finite, 0);
  EXPECT_EQ(nan.nan, 3);
}

TEST(Elements, StatisticsKeepSmallDifferencesOfLargeNumbers) {
  std::vector<double> numbers(50'000);
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = 1e9 + static_cast<double>(i % 2);
  const kernels::Moments moments = statistics(view_of(numbers, {50'000}));
  EXPECT_EQ(moments.mean, 1e9 + 0.5);
  EXPECT_NEAR(moments.squares / 50'000, 0.25, 1e-9);
}

TEST(Elements, IntegersKeepAllTheirDigits) {
  std::vector<std::int64_t> numbers = {std::numeric_limits<std::int64_t>::max(), -1,
                                       std::numeric_limits<std::int64_t>::min()};
  const kernels::Moments moments = statistics(view_of(numbers, {3}));
  EXPECT_EQ(moments.integer_min, numbers[2]);
  EXPECT_EQ(moments.integer_max, numbers[0]);
}

TEST(Elements, StatisticsDependNeitherOnThreadsNorOnTheWalk) {
  std::vector<float> numbers(700 * 1000);
  std::mt19937 random(1);
  std::normal_distribution<float> normal(3, 2);
  for (float& number : numbers) number = normal(random);
  const Tensor x = view_of(numbers, {700, 1000});
  const int threads = get_num_threads();
  std::vector<kernels::Moments> results;
  for (const int count : {1, 2, 3, 7}) {
    set_num_threads(count);
    results.push_back(statistics(x));
  }
  set_num_threads(threads);
  for (const kernels::Moments& result : results) {
    EXPECT_EQ(result.mean, results[0].mean);
    EXPECT_EQ(result.squares, results[0].squares);
    EXPECT_EQ(result.finite, 700'000);
  }
  const kernels::Moments transposed = statistics(x.t());
  EXPECT_NEAR(transposed.mean, results[0].mean, 1e-12);
  EXPECT_NEAR(transposed.squares, results[0].squares, 1e-5);
  const kernels::Moments half = statistics(x.slice(1, 0, {}, 2).select(0, 5));
  double sum = 0;
  for (std::size_t i = 5000; i < 6000; i += 2) sum += numbers[i];
  EXPECT_NEAR(half.mean, sum / 500, 1e-12);
  EXPECT_EQ(half.finite, 500);
}

TEST(Elements, RepeatedElementsCountEachTime) {
  const kernels::Moments moments = statistics(tensor({1, 2}).unsqueeze(1).expand({2, 5000}));
  EXPECT_EQ(moments.finite, 10'000);
  EXPECT_NEAR(moments.mean, 1.5, 1e-12);
}

TEST(Elements, LookingCostsNothing) {
  const Tensor x = tensor({{1., 2}, {3, 4}});
  const std::int64_t memory = memory_allocated();
  const CountScope scope;
  read_elements(x.t(), select_all(x.sizes()));
  statistics(x.t());
  EXPECT_EQ(memory_allocated(), memory);
  EXPECT_EQ(scope.counted(), Counters{});
}

}  // namespace
}  // namespace lectern
