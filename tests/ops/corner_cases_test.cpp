// Numbers and gradients in corners, as PyTorch has them; and what is an error instead of another number.
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "autograd/backward.h"
#include "ops/compare.h"
#include "ops/elementwise.h"
#include "ops/expect_error.h"
#include "ops/index.h"
#include "ops/reductions.h"
#include "ops/tensors.h"
#include "tensor/creation.h"

namespace lectern {
namespace {

using test::kInfinity;

TEST(CornerCases, NumbersThatATypeDoesNotHold) {
  EXPECT_PROBLEM(tensor({300}, {.dtype = uint8}), "every number must be in the range of uint8, not 300");
  EXPECT_PROBLEM(tensor({1, -1}, {.dtype = uint8}), "not -1");
  EXPECT_PROBLEM(tensor({9.3e18}, {.dtype = int64}), "in the range of int64");
  EXPECT_PROBLEM(tensor({std::nan("")}, {.dtype = int32}), "in the range of int32");
  EXPECT_EQ(tensor({1.9, -1.9}, {.dtype = int8}).sum().item<int>(), 0);
  EXPECT_EQ(tensor({0.5, 2}, {.dtype = bool_}).sum().item<int>(), 2);
  EXPECT_PROBLEM(tensor({3e9}).item<int>(), "item: the element must be in the range of the requested type");
  EXPECT_PROBLEM(tensor({std::nan("")}).item<int>(), "not nan");
  EXPECT_PROBLEM(tensor({300}).item<std::uint8_t>(), "not 300");
  EXPECT_PROBLEM(tensor({-1}).item<std::size_t>(), "not -1");
  EXPECT_PROBLEM(tensor({9.3e18}, {.dtype = float64}).item<std::int64_t>(), "in the range");
  EXPECT_EQ(tensor({-0.5}).item<std::uint8_t>(), 0);
  EXPECT_EQ(tensor({-128}).item<std::int8_t>(), -128);
  EXPECT_TRUE(tensor({3e9}).item<bool>());
  EXPECT_TRUE(std::isnan(tensor({std::nan("")}).item<float>()));
  EXPECT_PROBLEM(Scalar(std::numeric_limits<std::uint64_t>::max()), "Scalar: a number must be below 2^63");
  EXPECT_EQ(Scalar(std::uint64_t{1} << 62).to_int64(), std::int64_t{1} << 62);
  EXPECT_PROBLEM(pow(300, tensor({1}, {.dtype = int8})), "in the range of int8, not 300");
}

TEST(CornerCases, WholeNumbersInARow) {
  EXPECT_PROBLEM(arange(0, 1, 0.1, {.dtype = int64}), "step must be other than 0");
  EXPECT_TRUE(arange(0, 3, 1.5, {.dtype = int64}).equal(tensor({0, 1, 2})));
  EXPECT_TRUE(arange(0.5, 3, 1, {.dtype = int64}).equal(tensor({0, 1, 2})));
  EXPECT_PROBLEM(arange(0, 1e19, 1e18, {.dtype = int64}), "end must be in the range of int64");
}

TEST(CornerCases, IntegersTakeAnIntegerAlpha) {
  const Tensor x = ones({3}, {.dtype = int64}), index = tensor({0}), source = tensor({3});
  EXPECT_TRUE(x.index_add(0, index, source, 1.5).equal(tensor({4, 1, 1})));
  EXPECT_TRUE(x.index_add(0, index, source, 2.0).equal(tensor({7, 1, 1})));
  const Tensor flags = tensor({true, false});
  EXPECT_TRUE(flags.index_add(0, tensor({1}), tensor({true}), 2).equal(tensor({true, true})));
}

TEST(CornerCases, ErfcBelowTheNormalNumbers) {
  for (double x = 8; x < 10.05; x += 0.01) {
    const auto single = static_cast<float>(x);
    const double exact = std::erfc(static_cast<double>(single));
    EXPECT_NEAR(tensor({single}).erfc().item<float>(), exact, 8 * 6e-8 * exact + 1.5e-45) << x;
  }
  EXPECT_EQ(tensor({10.2}).erfc().item<float>(), 0);
  EXPECT_EQ(tensor({kInfinity}).erfc().item<float>(), 0);
  EXPECT_EQ(tensor({-kInfinity}).erfc().item<float>(), 2);
  EXPECT_TRUE(std::isnan(tensor({std::nan("")}).erfc().item<float>()));
}

TEST(CornerCases, GradientOfAnInverseRoot) {
  for (const bool in_place : {false, true}) {
    const Tensor x = tensor({-kInfinity, kInfinity, 4., 0.}, {.requires_grad = true});
    (in_place ? (x * 1).pow_(-0.5) : pow(x, -0.5)).sum().backward();
    EXPECT_TRUE(x.grad().equal(tensor({0., 0, -0.0625, -kInfinity})));
  }
}

TEST(CornerCases, FloorDivideHasNoDerivative) {
  const Tensor x = tensor({5., -7.}, {.requires_grad = true});
  EXPECT_PROBLEM(floor_divide(x, 2).sum().backward(), "floor_divide: it has no derivative");
  EXPECT_PROBLEM((x * 1).floor_divide_(2).sum().backward(), "floor_divide_: it has no derivative");
  div(x, 2, "floor").sum().backward();
  EXPECT_TRUE(x.grad().equal(zeros({2})));
}

TEST(CornerCases, GradientOfAProductWithTwoZeros) {
  const Tensor x = tensor({0., 0, kInfinity}, {.requires_grad = true});
  prod(x).backward();
  EXPECT_TRUE(x.grad().equal(zeros({3})));
  const Tensor y = tensor({0., 2, kInfinity}, {.requires_grad = true});
  prod(y).backward();
  EXPECT_EQ(y.grad().select(0, 0).item<float>(), kInfinity);
  EXPECT_EQ(y.grad().select(0, 2).item<float>(), 0);
}

TEST(CornerCases, DeviationsWhoseSquaresOverflow) {
  const Tensor x = tensor({1e20, -1e20, 5e19, 0.}, {.device = cpu, .requires_grad = true});
  const Tensor deviation = x.std();
  EXPECT_NEAR(deviation.item<double>() / 8.5391e19, 1, 1e-4);
  EXPECT_EQ(x.var().item<float>(), kInfinity);
  deviation.backward();
  EXPECT_NEAR(x.grad().select(0, 0).item<float>(), 0.34157, 1e-4);
}

TEST(CornerCases, PlacesBehindNothing) {
  EXPECT_EQ(zeros({0}).narrow(0, -1, 0).numel(), 0);
  EXPECT_EQ(zeros({3}).narrow(0, 3, 0).numel(), 0);
  EXPECT_PROBLEM(zeros({3}).narrow(0, -4, 0), "narrow");
  EXPECT_PROBLEM(zeros({0}).narrow(0, -1, 1), "narrow");
}

TEST(CornerCases, ACopyOntoItselfIsAChange) {
  const Tensor x = tensor({5.}, {.requires_grad = true});
  EXPECT_PROBLEM(x.copy_(x), "must not be changed in place");
  const Tensor y = x * 1;
  y.copy_(y).backward();
  EXPECT_EQ(x.grad().item<float>(), 1);
}

}  // namespace
}  // namespace lectern
