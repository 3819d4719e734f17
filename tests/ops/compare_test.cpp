#include "ops/compare.h"

#include <cmath>

#include <gtest/gtest.h>

#include "ops/expect_error.h"
#include "ops/tensors.h"

namespace lectern {
namespace {

using test::expect_error;
using test::kInfinity;
using test::kNan;
using test::number;

TEST(Equal, EveryElementCounts) {
  for (const Dtype dtype : test::kAllDtypes) {
    for (const Sizes& sizes : std::initializer_list<Sizes>{{}, {5}, {3, 4}, {2, 3, 4}}) {
      for (const test::Laid& laid : test::layouts(sizes, dtype)) {
        const Tensor copy = laid.tensor.contiguous().clone();
        ASSERT_TRUE(equal(laid.tensor, copy)) << name(dtype) << to_string(sizes) << laid.how;
        const Tensor last = copy.view({-1}).slice(0, -1);
        last.fill_(number(last, {0}) == 0 ? 1 : 0);
        ASSERT_FALSE(equal(laid.tensor, copy)) << name(dtype) << to_string(sizes) << laid.how;
      }
    }
  }
}

TEST(Equal, ShapesCountAndDtypesDoNot) {
  EXPECT_TRUE(equal(zeros({0}), zeros({0})));
  EXPECT_FALSE(equal(zeros({0}), zeros({0, 1})));
  EXPECT_FALSE(equal(ones({3}), ones({1})));
  EXPECT_FALSE(equal(ones({1}), ones({})));
  EXPECT_TRUE(equal(tensor({1, 2}), tensor({1., 2.})));
  EXPECT_FALSE(equal(tensor({1, 2}), tensor({1., 2.5})));
}

TEST(Equal, NanEqualsNothing) {
  const Tensor x = tensor({1., kNan});
  EXPECT_FALSE(x.equal(x));
  EXPECT_TRUE(tensor({kInfinity, -0.}).equal(tensor({kInfinity, 0.})));
}

struct Pair {
  double a, b;
  bool close, close_with_nan;
};

TEST(Allclose, FollowsTheFormula) {
  const Pair pairs[] = {
      {1, 1, true, true},
      {1, 1 + 1e-6, true, true},
      {1, 1.001, false, false},
      {0, 1e-8, true, true},
      {0, 1e-7, false, false},
      {kInfinity, kInfinity, true, true},
      {kInfinity, -kInfinity, false, false},
      {1, kInfinity, false, false},
      {kInfinity, 1, false, false},
      {kNan, kNan, false, true},
      {kNan, 1, false, false},
      {1, kNan, false, false},
      {kNan, kInfinity, false, false},
      {-1, -1 - 1e-6, true, true},
      {1, -1, false, false},
  };
  for (const Dtype dtype : {float32, float64}) {
    for (const auto& [a, b, close, close_with_nan] : pairs) {
      const Tensor x = tensor({0., a}, {.dtype = dtype});
      const Tensor y = tensor({0., b}, {.dtype = dtype});
      EXPECT_EQ(allclose(x, y), close) << a << " " << b;
      EXPECT_EQ(allclose(x, y, 1e-5, 1e-8, true), close_with_nan) << a << " " << b;
      EXPECT_EQ(isclose(x, y)[1].item<bool>(), close) << a << " " << b;
      EXPECT_TRUE(isclose(x, y)[0].item<bool>());
    }
  }
}

TEST(Allclose, ToleranceIsRelativeToTheSecond) {
  EXPECT_TRUE(tensor({9.}).allclose(tensor({10.}), 0.1, 0));
  EXPECT_FALSE(tensor({10.}).allclose(tensor({9.}), 0.1, 0));
  EXPECT_TRUE(tensor({10.}).allclose(tensor({9.}), 0, 1));
  EXPECT_FALSE(tensor({10.}).allclose(tensor({9.}), 0, 0));
  EXPECT_TRUE(tensor({10.}).allclose(tensor({10.}), 0, 0));
}

TEST(Allclose, OfOtherDtypes) {
  EXPECT_TRUE(allclose(tensor({100, 7}), tensor({101, 7}), 0.01, 0));
  EXPECT_FALSE(allclose(tensor({100, 7}), tensor({102, 7}), 0.01, 0));
  EXPECT_FALSE(allclose(tensor({16'777'217}), tensor({16'777'216}), 0, 0));
  EXPECT_TRUE(allclose(tensor({true}), tensor({false}), 0, 1));
  EXPECT_TRUE(
      allclose(tensor({1.}, {.dtype = float16}), tensor({1.0009765625}, {.dtype = float16}), 1e-3, 0));
  EXPECT_FALSE(
      allclose(tensor({1.}, {.dtype = bfloat16}), tensor({1.0078125}, {.dtype = bfloat16}), 1e-3, 0));
  EXPECT_TRUE(allclose(tensor({1.}, {.dtype = float8_e5m2}), tensor({1.25}, {.dtype = float8_e5m2}), 0.2, 0));
}

TEST(Allclose, Broadcasts) {
  EXPECT_TRUE(allclose(ones({2, 3}), ones({3})));
  EXPECT_EQ(isclose(ones({2, 1}), ones({3})).sizes(), (Sizes{2, 3}));
  EXPECT_TRUE(allclose(zeros({0, 3}), ones({3})));
  EXPECT_THROW(allclose(ones({2}), ones({3})), TensorError);
}

TEST(Allclose, RefusesWhatMakesNoSense) {
  expect_error([] { allclose(ones({1}), tensor({1})); },
               "isclose: the dtypes must be the same, not float32 and int64");
  expect_error([] { allclose(ones({1}), ones({1}), -1); }, "isclose: rtol must be 0 or more, not -1.000000");
  expect_error([] { allclose(ones({1}), ones({1}), 0, kNan); }, "isclose: atol must be 0 or more, not nan");
}

}  // namespace
}  // namespace lectern
