#include "ops/extremum.h"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "base/tensor_error.h"
#include "device/threads.h"
#include "ops/gradients_of.h"
#include "ops/reduced.h"
#include "ops/reductions.h"
#include "ops/tensors.h"

namespace lectern {
namespace {

using test::kInfinity;
using test::kNan;
using test::number;

void expect_extrema(const test::Laid& laid, const Sizes& dims) {
  const Tensor& x = laid.tensor;
  SCOPED_TRACE(std::string(name(x.dtype())) + " " + to_string(x.sizes()) + " " + laid.how + " over " +
               to_string(dims));
  const auto groups = test::groups(x, dims);
  const auto is_empty = [](const auto& group) { return group.values.empty(); };
  const std::int64_t elements = x.numel();
  if (elements == 0 && (groups.empty() ? false : std::any_of(groups.begin(), groups.end(), is_empty))) {
    EXPECT_THROW(amax(x, dims), TensorError);
    EXPECT_THROW(amin(x, dims), TensorError);
    return;
  }
  if (elements == 0) return;
  const Tensor largest = amax(x, dims, true);
  const Tensor smallest = amin(x, dims, true);
  ASSERT_EQ(largest.dtype(), x.dtype());
  ASSERT_EQ(largest.sizes(), test::reduced_sizes(x.sizes(), dims, true));
  EXPECT_EQ(amax(x, dims).sizes(), test::reduced_sizes(x.sizes(), dims, false));
  const Tensor largest_here = largest.cpu(), smallest_here = smallest.cpu();
  for (const auto& [at, values] : groups) {
    ASSERT_EQ(number(largest_here, at), *std::max_element(values.begin(), values.end())) << to_string(at);
    ASSERT_EQ(number(smallest_here, at), *std::min_element(values.begin(), values.end())) << to_string(at);
  }
  if (dims.size() != 1) return;
  const auto [high, high_at] = max(x, dims[0], true);
  const auto [low, low_at] = min(x, dims[0], true);
  EXPECT_TRUE(test::same_bits(high, largest));
  EXPECT_TRUE(test::same_bits(low, smallest));
  ASSERT_EQ(high_at.dtype(), int64);
  ASSERT_EQ(high_at.sizes(), largest.sizes());
  const Tensor high_here = high_at.cpu(), low_here = low_at.cpu();
  for (const auto& [at, values] : groups) {
    ASSERT_EQ(number(high_here, at), std::max_element(values.begin(), values.end()) - values.begin());
    ASSERT_EQ(number(low_here, at), std::min_element(values.begin(), values.end()) - values.begin());
  }
}

TEST(Extremum, EqualsSearchingIndexByIndex) {
  for (const Dtype dtype : test::kAllDtypes) {
    for (const Sizes& sizes : test::kReducedShapes) {
      for (const test::Laid& laid : test::layouts(sizes, dtype)) {
        for (const Sizes& dims : test::dim_sets(sizes.size())) expect_extrema(laid, dims);
      }
    }
  }
}

TEST(Extremum, LargeShapesGoThroughAllChunks) {
  for (const Dtype dtype : {float32, int64}) {
    for (const Sizes& sizes : std::initializer_list<Sizes>{{70'000}, {700, 40}, {9'000, 3}, {70, 1'100}}) {
      const auto make = [](const Sizes& s, Dtype d) { return test::uniform(s, float64).mul(1e4).to(d); };
      for (const test::Laid& laid : test::layouts(sizes, dtype, make)) {
        for (const Sizes& dims : test::dim_sets(sizes.size())) expect_extrema(laid, dims);
      }
    }
  }
}

TEST(Extremum, OfLargeIntegersIsExact) {
  const Tensor x = tensor({9'007'199'254'740'993, 9'007'199'254'740'992, -9'007'199'254'740'993});
  EXPECT_EQ(x.max().item<std::int64_t>(), 9'007'199'254'740'993);
  EXPECT_EQ(x.min().item<std::int64_t>(), -9'007'199'254'740'993);
  EXPECT_EQ(max(x, 0).indices.item<int>(), 0);
}

TEST(Extremum, NanWins) {
  for (const std::int64_t length : {4, 70, 3'000}) {
    Tensor x = ones({length});
    x[length / 2] = kNan;
    x[length - 1] = kNan;
    for (const Tensor& one : {x, x.to(bfloat16), x.to(float64)}) {
      EXPECT_TRUE(std::isnan(one.max().item<double>()));
      EXPECT_TRUE(std::isnan(one.min().item<double>()));
      EXPECT_EQ(max(one, 0).indices.item<std::int64_t>(), length / 2);
      EXPECT_EQ(min(one, 0).indices.item<std::int64_t>(), length / 2);
      EXPECT_TRUE(std::isnan(max(one, 0).values.item<double>()));
      const Tensor columns = one.unsqueeze(1).expand({length, 20});
      EXPECT_TRUE(std::isnan(amax(columns, {0})[7].item<double>()));
      EXPECT_EQ(max(columns, 0).indices[7].item<std::int64_t>(), length / 2);
    }
  }
}

TEST(Extremum, InfinitiesAreNumbers) {
  EXPECT_EQ(tensor({-kInfinity, -kInfinity}).max().item<double>(), -kInfinity);
  EXPECT_EQ(max(tensor({-kInfinity, -kInfinity}), 0).indices.item<int>(), 0);
  EXPECT_EQ(min(tensor({1., -kInfinity, 2., kInfinity}), 0).indices.item<int>(), 1);
}

TEST(Extremum, OfOneElement) {
  const Tensor x = tensor(3.5);
  EXPECT_EQ(x.max().item<double>(), 3.5);
  const auto [value, index] = max(x, -1);
  EXPECT_EQ(value.dim(), 0);
  EXPECT_EQ(index.item<int>(), 0);
}

TEST(Extremum, OfNothingIsAnError) {
  EXPECT_THROW(zeros({0}).max(), TensorError);
  EXPECT_THROW(zeros({2, 0}).min(), TensorError);
  EXPECT_THROW(max(zeros({0, 3}), 0), TensorError);
  EXPECT_EQ(max(zeros({0, 3}), 1).values.sizes(), Sizes{0});
  EXPECT_EQ(max(zeros({0, 3}), 1).indices.sizes(), Sizes{0});
  EXPECT_EQ(amax(zeros({0, 3}), {1}, true).sizes(), (Sizes{0, 1}));
  try {
    zeros({2, 0}).max();
    FAIL();
  } catch (const TensorError& error) {
    EXPECT_STREQ(error.what(),
                 "max: a dimension of size 0 has no largest or smallest element; the shape is [2, 0]");
  }
}

TEST(Extremum, RefusesWrongDimensions) {
  EXPECT_THROW(max(ones({2, 3}), 2), TensorError);
  EXPECT_THROW(amax(ones({2, 3}), {0, -2}), TensorError);
}

TEST(Extremum, Float8HasGradients) {
  for (const Dtype dtype : {float8_e4m3fn, float8_e5m2}) {
    const Tensor x = tensor({{1., 3., 3.}, {2., 0., 1.}}).to(dtype);
    const Tensor grad = tensor({4., 8.}).to(dtype);
    const Tensor gradient = test::gradient_of([](const Tensor& in) { return amax(in, {1}); }, x, grad);
    EXPECT_EQ(gradient.dtype(), dtype);
    EXPECT_TRUE(gradient.to(float32).equal(tensor({{0., 2., 2.}, {8., 0., 0.}})));
  }
}

}  // namespace
}  // namespace lectern
