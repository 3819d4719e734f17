#include <cmath>
#include <string>

#include <gtest/gtest.h>

#include "device/counters.h"
#include "ops/elementwise.h"
#include "ops/expect_error.h"
#include "ops/tensors.h"
#include "tensor/creation.h"

// What the elementwise operations have in common; see elementwise_test.cpp for each of them.

namespace lectern {
namespace {

using test::expect_error;
using test::number;

/// Sums of matrices in every layout, computed where tensors are, beside those of floats.
void expect_sums_in_every_layout(const Sizes& sizes) {
  const Tensor flat = arange(checked_numel("", sizes), {.dtype = float32});
  const Tensor x = flat.view(sizes);
  const Tensor transposed = flat.view({sizes[1], sizes[0]}).t();
  const Tensor halves = x.to(bfloat16);
  const Tensor wide = arange(2 * checked_numel("", sizes), {.dtype = float32}).view({sizes[0], 2 * sizes[1]});
  const Tensor others[] = {x,      transposed,    x[1], x.slice(1, 2, 3), wide.slice(1, 0, {}, 2),
                           halves, halves.t().t()};
  const auto on_cpu = [](const Tensor& t) { return t.to(cpu); };  // element by element takes a GPU long
  const Tensor larger = on_cpu(x > transposed), narrow = on_cpu(halves + halves), left = on_cpu(x);
  for (std::size_t k = 0; k < std::size(others); ++k) {
    const Tensor sums = on_cpu(x + others[k]), right = on_cpu(others[k]).expand_as(left);
    for (std::int64_t i = 0; i < sizes[0]; i += 13) {
      for (std::int64_t j = 0; j < sizes[1]; ++j) {
        const auto a = static_cast<float>(number(left, {i, j})),
                   b = static_cast<float>(number(right, {i, j}));
        ASSERT_EQ(number(sums, {i, j}), a + b) << "sum " << k << " at " << i << ", " << j;
        ASSERT_TRUE(k != 1 || number(larger, {i, j}) == (a > b));
        ASSERT_TRUE(k != 5 || number(narrow, {i, j}) == test::rounded(2 * b, bfloat16));
      }
    }
  }
  ASSERT_TRUE((x + 1.0).equal(x + ones_like(x)));
}

TEST(Elementwise, LargeTensorsInEveryLayout) {
  expect_sums_in_every_layout({300, 257});
  expect_sums_in_every_layout({2064, 2112});
}

TEST(Elementwise, Operators) {
  const Tensor x = tensor({1., 2, 4});
  const auto at = [](const Tensor& t, std::int64_t i) { return number(t, {i}); };
  EXPECT_EQ(at(x + x, 2), 8);
  EXPECT_EQ(at(x - 1, 0), 0);
  EXPECT_EQ(at(1 - x, 2), -3);
  EXPECT_EQ(at(2 / x, 2), 0.5);
  EXPECT_EQ(at(x / 2, 0), 0.5);
  EXPECT_EQ(at(3 * x, 1), 6);
  EXPECT_EQ(at(-x, 1), -2);
  EXPECT_EQ(at(x == 2, 1), 1);
  EXPECT_EQ(at(2 != x, 1), 0);
  EXPECT_EQ(at(x < x, 0) + at(x <= x, 0), 1);
  EXPECT_EQ(at(2 > x, 0) + at(x >= 2.5, 0), 1);
  EXPECT_EQ(at(pow(2, x), 2), 16);
  const Tensor y = x.clone();
  y += x;
  y -= 1;
  y *= 2;
  y /= Tensor(y);
  EXPECT_EQ(at(y, 2), 1);
  y.view({3, 1})[1] += 5;
  EXPECT_EQ(at(y, 1), 6);
  const Tensor n = tensor({6, 3, -1});
  EXPECT_EQ(at(n & 3, 0) + at(1 | n, 0) + at(n ^ n, 1), 2 + 7);
  EXPECT_EQ(at(n << 2, 2) + at(n >> 1, 0) + at(n % 4, 2), -4 + 3 + 3);
  n %= 4;
  n <<= 3;
  n |= 1;
  n ^= 2;
  n &= 30;
  n >>= 1;
  EXPECT_EQ(at(n, 0), (((2 << 3 | 1) ^ 2) & 30) >> 1);
}

TEST(Elementwise, LayoutsAreThoseOfPyTorch) {
  const Tensor a = zeros({4, 5});
  EXPECT_EQ((a.t() + zeros({5, 4})).strides(), (Sizes{1, 5}));
  EXPECT_EQ((zeros({5, 4}) + a.t()).strides(), (Sizes{4, 1}));
  EXPECT_EQ((a.t() + 1).strides(), (Sizes{1, 5}));
  EXPECT_EQ((a.t() + zeros({4})).strides(), (Sizes{1, 5}));
  EXPECT_EQ(a.t().exp().strides(), (Sizes{1, 5}));
  EXPECT_EQ(a.slice(1, 0, {}, 2).t().exp().strides(), (Sizes{1, 3}));
  EXPECT_EQ((zeros({2, 3, 4, 5}).permute({0, 2, 3, 1}) + zeros({2, 4, 5, 3})).strides(),
            (Sizes{60, 5, 1, 20}));
  EXPECT_EQ((zeros({2, 0, 3}) + 1).strides(), (Sizes{3, 3, 1}));
}

TEST(Elementwise, PowersWithANumber) {
  const Tensor x = tensor({4., 9, -1});
  EXPECT_EQ(number(x.pow(2), {1}), 81);
  EXPECT_EQ(number(x.pow(0.5), {1}), 3);
  EXPECT_EQ(number(x.pow(-0.5), {0}), 0.5);
  EXPECT_TRUE(std::isnan(number(x.pow(0.5), {2})));
  EXPECT_EQ(number(x.pow(3), {1}), 729);
  EXPECT_EQ(number(x.pow(-1), {0}), 0.25);
  EXPECT_EQ(number(x.clone().pow_(3), {0}), 64);
  EXPECT_EQ(number(x.clone().pow_(2), {0}), 16);
  const Tensor n = tensor({2, -3});
  EXPECT_EQ(n.pow(2).dtype(), int64);
  EXPECT_EQ(n.pow(0.5).dtype(), float32);
  EXPECT_EQ(number(n.pow(tensor({-1, -1})), {0}), 0);
  EXPECT_EQ(number(pow(2, n), {1}), 0);
  EXPECT_EQ(tensor({true, false}).pow(2).dtype(), int64);
  expect_error([&] { n.pow(-1); }, "pow: exponent must be 0 or more for integers, not -1");
  expect_error(
      [&] {
        tensor({1, 2}, {.dtype = int8}).pow(200);
      },
      "pow: value must be in the range of int8, not 200");
}

TEST(Elementwise, NumbersAreOfTheCommonDtypeFirst) {
  const Tensor bytes = tensor({44, 200}, {.dtype = uint8});
  EXPECT_EQ(number(bytes == 300, {0}), 1);
  EXPECT_EQ(number(bytes + 300, {0}), 88);
  EXPECT_EQ(number(maximum(bytes, tensor(300)), {0}), 44);
  EXPECT_EQ(number(tensor({3.}, {.dtype = bfloat16}) < 3.001, {0}), 0);
}

TEST(Elementwise, Errors) {
  const Tensor x = zeros({2, 3});
  const Tensor n = zeros({2}, {.dtype = int64});
  expect_error([&] { add(x, zeros({4})); },
               "add: shapes [2, 3] and [4] cannot be broadcast: sizes 3 and 4 differ, and neither is 1");
  expect_error(
      [&] {
        zeros({2}).add_(zeros({3, 2}));
      },
      "add_: the shape of the result, [3, 2], is not that of the tensor, [2]; in place only the other one is "
      "broadcast");
  expect_error([&] { n.add_(1.5); },
               "add_: the result type float32 can't be cast to the type of the tensor, int64");
  expect_error([&] { n.div_(2); },
               "div_: the result type float32 can't be cast to the type of the tensor, int64");
  expect_error(
      [&] {
        zeros({2}).expand({3, 2}).add_(1);
      },
      "add_: several elements of the written tensor share a memory location: shape [3, 2] with "
      "strides [0, 1]; clone() it first");
  const Tensor square = zeros({3, 3});
  const std::string overlap =
      ": the written tensor partially overlaps the one that is read; clone() one of "
      "them first";
  expect_error([&] { square.slice(0, 1).mul_(square.slice(0, 0, 2)); }, "mul_" + overlap);
  expect_error([&] { square.t().add_(square); }, "add_" + overlap);
  square.add_(square.view({3, 3}));
  expect_error([&] { neg(tensor({true})); },
               "neg: dtype must be a number's, not bool; convert with to() first");
  EXPECT_THROW(Tensor() + x, TensorError);
}

TEST(Elementwise, DtypesThatRowsRefuse) {
  const Tensor x = ones({2}), n = ones({2}, {.dtype = int64}), truths = x > 0;
  expect_error([&] { gelu(n); }, "gelu: dtype must be floating point, not int64; convert with to() first");
  expect_error([&] { bitwise_and(x, n); },
               "bitwise_and: dtype must be an integer's or bool, not float32; convert with to() first");
  expect_error([&] { truths << truths; },
               "bitwise_left_shift: dtype must be an integer's, not bool; convert with to() first");
  expect_error([&] { floor(truths); }, "floor: dtype must be a number's, not bool; convert with to() first");
  expect_error([&] { n.sigmoid_(); },
               "sigmoid_: the result type float32 can't be cast to the type of the tensor, int64");
  EXPECT_EQ((~truths).dtype(), bool_);
  EXPECT_EQ(number(~truths, {0}), 0);
  EXPECT_EQ(number(~n, {0}), -2);
}

TEST(Elementwise, Divisions) {
  const Tensor n = tensor({7, -7}), x = tensor({7., -7});
  EXPECT_EQ(number(n.div(2, "floor"), {1}), -4);
  EXPECT_EQ(number(n.div(2, "trunc"), {1}), -3);
  EXPECT_EQ(n.div(2, "trunc").dtype(), int64);
  EXPECT_EQ(number(div(-20, x, "floor"), {0}), -3);
  EXPECT_EQ(number(x.clone().div_(2, "floor"), {1}), -4);
  EXPECT_EQ(number(n.clone().div_(tensor(2), "trunc"), {1}), -3);
  EXPECT_EQ(number(n % 4, {1}), 1);
  EXPECT_EQ(number(fmod(n, 4), {1}), -3);
  expect_error([&] { n.div(2, "up"); }, "div: rounding_mode must be \"floor\" or \"trunc\", not \"up\"");
  expect_error([&] { floor_divide(n, 0); }, "floor_divide: a divisor of integers is 0");
  expect_error([&] { n.remainder_(0); }, "remainder_: a divisor of integers is 0");
  EXPECT_EQ(floor_divide(n.narrow(0, 0, 0), 0).numel(), 0);
  EXPECT_TRUE(std::isnan(number(x % 0, {0})));
  const Tensor zero = tensor({0, 2});
  if (zero.is_cuda()) {
    EXPECT_EQ(number(fmod(n, zero), {0}), 0);
  } else {
    expect_error([&] { fmod(n, zero); }, "fmod: a divisor of integers is 0");
    expect_error([&] { n.floor_divide_(zero); }, "floor_divide_: a divisor of integers is 0");
  }
  EXPECT_EQ(number(n, {0}), 7);
}

TEST(Elementwise, AFailedOperationChangesNothing) {
  const Tensor x = ones({2});
  const std::uint64_t version = x.storage().version();
  EXPECT_THROW(x.add_(zeros({3})), TensorError);
  EXPECT_EQ(x.storage().version(), version);
  EXPECT_EQ(number(x, {0}), 1);
  x.add_(1);
  EXPECT_EQ(x.storage().version(), version + 1);
}

TEST(Elementwise, CountsOperationsAndBytes) {
  const Tensor x = ones({10}), y = ones({4, 10});
  const CountScope scope;
  (void)(x + y);
  EXPECT_EQ(scope.counted(), (Counters{40, 4 * (10 + 40 + 40)}));
  (void)(y == 1);
  EXPECT_EQ(scope.counted(), (Counters{80, 4 * (10 + 40 + 40) + 160 + 40}));
}

}  // namespace
}  // namespace lectern
