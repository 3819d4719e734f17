#include "amp/float8_linear.h"

#include <limits>

#include <gtest/gtest.h>

#include "autograd/autocast_mode.h"
#include "autograd/backward.h"
#include "base/tensor_error.h"
#include "device/memory.h"
#include "nn/init.h"
#include "ops/compare.h"
#include "ops/elementwise.h"
#include "ops/expect_error.h"
#include "ops/extremum.h"
#include "ops/linear.h"
#include "ops/losses.h"
#include "ops/matmul.h"
#include "ops/random.h"
#include "ops/reductions.h"
#include "optim/adam.h"
#include "tensor/creation.h"

namespace lectern {
namespace {

using amp::float8_linear;
using amp::quantize_float8;

/// How far `a` is from `b`, relative.
double distance(const Tensor& a, const Tensor& b) {
  return ((a.to(float64) - b.to(float64)).norm() / b.to(float64).norm()).item<double>();
}

TEST(QuantizeFloat8, UsesTheWholeRange) {
  manual_seed(1);
  for (const double size : {1e-6, 1., 1e6}) {
    const Tensor x = randn({50, 50}) * size;
    const amp::ScaledTensor e4m3 = quantize_float8(x, float8_e4m3fn), e5m2 = quantize_float8(x, float8_e5m2);
    EXPECT_EQ(e4m3.elements.dtype(), float8_e4m3fn);
    EXPECT_EQ(e4m3.elements.to(float32).abs().max().item<double>(), 448);
    EXPECT_EQ(e5m2.elements.to(float32).abs().max().item<double>(), 57'344);
    EXPECT_LT(distance(e4m3.elements.to(float32) * e4m3.scale, x), 0.03);
    EXPECT_LT(distance(e5m2.elements.to(float32) * e5m2.scale, x), 0.06);
  }
}

TEST(QuantizeFloat8, OfZerosNothingAndWhatIsNotFinite) {
  EXPECT_TRUE(quantize_float8(zeros({3}), float8_e4m3fn).elements.to(float32).equal(zeros({3})));
  EXPECT_EQ(quantize_float8(zeros({0}), float8_e4m3fn).scale.item<double>(), 1);
  for (const double bad : {std::numeric_limits<double>::infinity(), std::nan("")}) {
    const Tensor numbers = quantize_float8(tensor({1., bad}), float8_e4m3fn).elements.to(float32);
    EXPECT_TRUE(numbers.isnan().any().item<bool>());
  }
  EXPECT_THROW(quantize_float8(zeros({3}), bfloat16), TensorError);
}

TEST(QuantizeFloat8, OfNumbersBelowTheSmallestScale) {
  for (const double size : {1e-36, 1e-41, 1e-44}) {
    const Tensor x = tensor({1., -0.7, 0}).to(float64) * size;
    for (const Dtype dtype : {float8_e4m3fn, float8_e5m2}) {
      const amp::ScaledTensor near = quantize_float8(x, dtype);
      const Tensor back = near.elements.to(float64) * near.scale.to(float64);
      EXPECT_TRUE(back.isfinite().all().item<bool>()) << size;
      EXPECT_LT((back - x).abs().max().item<double>(), 0.07 * size + 1e-38) << size;
    }
  }
}

TEST(Float8Linear, IsExactWhereFloat8Is) {
  // Whole numbers up to 7 times 64: every scale is a power of 2.
  const Tensor x = tensor({{7., -3, 0}, {1, 2, -6}}), w = tensor({{7., 1, 2}, {0, -5, 3}}),
               b = tensor({0.5, -1});
  EXPECT_TRUE(float8_linear(x, w, b).equal(linear(x, w, b)));
  EXPECT_TRUE(float8_linear(x * 1'024, w).equal(linear(x * 1'024, w)));
}

TEST(Float8Linear, IsNearLinearInBothDirections) {
  manual_seed(2);
  const auto leaf = [](const Tensor& t) { return t.clone().requires_grad_(); };
  const Tensor x = leaf(randn({4, 8, 64})), w = leaf(randn({32, 64}) * 0.01), b = leaf(randn({32}));
  const Tensor grad = randn({4, 8, 32}) * 1e-5;
  const Tensor near = float8_linear(x, w, b), exact = linear(x, w, b);
  EXPECT_LT(distance(near, exact), 0.04);
  const auto near_gradients = autograd::grad({near}, {x, w, b}, {grad});
  const auto gradients = autograd::grad({exact}, {x, w, b}, {grad});
  EXPECT_LT(distance(near_gradients[0], gradients[0]), 0.07);
  EXPECT_LT(distance(near_gradients[1], gradients[1]), 0.07);
  EXPECT_LT(distance(near_gradients[2], gradients[2]), 1e-6);
}

TEST(Float8Linear, RoundsAsItsStepsByHand) {
  manual_seed(3);
  const Tensor x = randn({5, 16}).to(bfloat16), w = randn({7, 16});
  const auto a = quantize_float8(x, float8_e4m3fn), b = quantize_float8(w, float8_e4m3fn);
  const Tensor by_hand = matmul(a.elements.to(float32), b.elements.to(float32).t()) * (a.scale * b.scale);
  EXPECT_TRUE(float8_linear(x, w).equal(by_hand.to(bfloat16)));
  const AutocastGuard autocast(default_device(), float16);
  EXPECT_EQ(float8_linear(x, w).dtype(), bfloat16) << "its own dtypes, not autocast's";
}

TEST(Float8Linear, KeepsAByteForEachNumber) {
  const Tensor x = rand({1'000, 256}), w = rand({8, 256}, {.requires_grad = true});
  const std::int64_t before = memory_allocated(default_device());
  const Tensor out = float8_linear(x, w);
  const std::int64_t kept = memory_allocated(default_device()) - before - out.nbytes();
  EXPECT_GE(kept, x.numel() + w.numel());
  EXPECT_LT(kept, x.numel() + w.numel() + 8'192);
}

TEST(Float8Linear, RefusesWhatDoesNotFit) {
  EXPECT_THROW(float8_linear(rand({2, 3}), rand({4, 5})), TensorError);
  EXPECT_THROW(float8_linear(rand({2, 3}), rand({3})), TensorError);
  EXPECT_THROW(float8_linear(rand({2, 3}), rand({4, 3}), rand({3})), TensorError);
  test::expect_error(
      [] {
        float8_linear(arange(3), rand({4, 3}));
      },
      "float8_linear: the dtype of x must be floating, not int64");
  test::expect_error(
      [] {
        float8_linear(rand({3}), rand({4, 3}), arange(4));
      },
      "float8_linear: the dtype of bias must be floating, not int64");
  EXPECT_EQ(float8_linear(rand({0, 3}), rand({4, 3})).sizes(), (Sizes{0, 4}));
  EXPECT_EQ(float8_linear(rand({3}), rand({4, 3})).sizes(), Sizes{4});
}

TEST(Float8Linear, Learns) {
  manual_seed(4);
  const Tensor x = randn({128, 16}), y = matmul(x, randn({16, 1}));
  const Tensor w = zeros({1, 16}, {.requires_grad = true});
  optim::Adam adam{std::vector{w}, {.lr = 0.05}};
  double loss = 0;
  for (int i = 0; i < 200; ++i) {
    adam.zero_grad();
    const Tensor error = mse_loss(float8_linear(x, w), y);
    error.backward();
    adam.step();
    loss = error.item<double>();
  }
  EXPECT_LT(loss, 0.02 * y.square().mean().item<double>());
}

}  // namespace
}  // namespace lectern
