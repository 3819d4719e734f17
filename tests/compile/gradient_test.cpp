#include <cmath>
#include <functional>
#include <string>

#include <gtest/gtest.h>

#include "autograd/backward.h"
#include "autograd/checkpoint.h"
#include "autograd/gradcheck.h"
#include "compile/close.h"
#include "compile/compile.h"
#include "ops/elementwise.h"
#include "ops/gradients_of.h"
#include "ops/matmul.h"
#include "ops/reductions.h"
#include "ops/selection.h"
#include "ops/tensors.h"

namespace lectern::test {
namespace {

using FunctionOfTensors = std::function<Tensor(const std::vector<Tensor>&)>;

/// Result and gradients of a function, compiled and not.
void expect_same(const std::string& what, const FunctionOfTensors& function,
                 const std::vector<Tensor>& inputs) {
  const auto fast = compile(function);
  const Tensor expected = function(inputs);
  ASSERT_TRUE(close(fast(inputs), expected)) << what << " of " << name(inputs[0].dtype());
  if (!expected.is_floating_point()) return;
  const Tensor grad = uniform(expected.sizes(), expected.dtype(), 9);
  const auto wanted = gradients_of(function, inputs, grad);
  for (int i = 0; i < 2; ++i) {
    const auto got = gradients_of([&](const std::vector<Tensor>& in) { return fast(in); }, inputs, grad);
    for (std::size_t k = 0; k < wanted.size(); ++k)
      EXPECT_TRUE(close(got[k], wanted[k])) << what << ", gradient " << k;
  }
}

TEST(CompileGradient, OfEveryUnaryRow) {
  for (const Dtype dtype : {float32, float64, bfloat16}) {
    const Tensor x = uniform({40, 33}, dtype) * 0.9;
#define LECTERN_ROW(name, Functor, rule, autocast)                                                   \
  if constexpr (std::string_view(#rule) != "bits") {                                                 \
    expect_same(#name, [](const std::vector<Tensor>& in) { return (in[0] * 0.8).name() * 2; }, {x}); \
  }
    LECTERN_UNARY_OPERATIONS(LECTERN_ROW)
#undef LECTERN_ROW
  }
}

TEST(CompileGradient, OfEveryBinaryRow) {
  for (const Dtype dtype : {float32, float64, bfloat16}) {
    const Tensor a = uniform({40, 33}, dtype).abs() + 0.25, b = uniform({33}, dtype, 2).abs() + 0.25;
#define LECTERN_ROW(name, Functor, rule, autocast)                                                           \
  if constexpr (std::string_view(#rule) != "bits" && std::string_view(#rule) != "integer" &&                 \
                std::string_view(#name) != "floor_divide") {                                                 \
    expect_same(#name, [](const std::vector<Tensor>& in) { return (in[0] * 0.8).name(in[1]) * 2; }, {a, b}); \
    expect_same(#name " with a number",                                                                      \
                [](const std::vector<Tensor>& in) { return (in[0] * 0.8).name(0.7) * 2; }, {a});             \
  }
    LECTERN_BINARY_OPERATIONS(LECTERN_ROW)
#undef LECTERN_ROW
  }
}

TEST(CompileGradient, OfLayerNormSoftmaxAndSelections) {
  const Tensor x = uniform({6, 5, 80}, float32), weight = uniform({80}, float32, 2),
               bias = uniform({80}, float32, 3);
  expect_same("layer_norm",
              [](const std::vector<Tensor>& in) {
                const Tensor centered = in[0] - in[0].mean({-1}, true);
                return centered * rsqrt(centered.square().mean({-1}, true) + 1e-5) * in[1] + in[2];
              },
              {x, weight, bias});
  expect_same("layer_norm by var",
              [](const std::vector<Tensor>& in) {
                return (in[0] - in[0].mean({-1}, true)) / (in[0].var({-1}, 0, true) + 1e-5).sqrt() * in[1];
              },
              {x, weight});
  expect_same("softmax",
              [](const std::vector<Tensor>& in) {
                const Tensor powers = exp(in[0] - in[0].amax({-1}, true));
                return powers / powers.sum({-1}, true);
              },
              {x});
  expect_same("selections",
              [](const std::vector<Tensor>& in) {
                const Tensor clamped = in[0].clamp(Scalar(-0.5), Scalar(0.6));
                return where(in[0] > in[1], clamped * in[1], in[1].square()).masked_fill(in[0] > 0.9, 3);
              },
              {x, weight});
  expect_same("sums",
              [](const std::vector<Tensor>& in) {
                return ((in[0] * in[1]).sum({0, 1}) * in[1]).sum() + in[0].mean();
              },
              {x, weight});
}

TEST(CompileGradient, IsTheDerivative) {
  const auto fast = compile([](const Tensor& x, const Tensor& w) {
    const Tensor y = tanh(x * w) + x.square();
    return y / y.square().sum({-1}, true).sqrt();
  });
  EXPECT_TRUE(autograd::gradcheck(
      [&](const std::vector<Tensor>& in) { return fast(in[0], in[1]); },
      {uniform({3, 5}, float64).requires_grad_(), uniform({5}, float64, 2).requires_grad_()}));
}

TEST(CompileGradient, PassesThroughWhatIsNotFused) {
  expect_same("matmul between",
              [](const std::vector<Tensor>& in) {
                const Tensor hidden = tanh(in[0].matmul(in[1]) + 1);
                return (hidden * hidden).matmul(in[1]).exp() * in[0].sum();
              },
              {uniform({4, 16}, float32), uniform({16, 16}, float32, 2) * 0.1});
}

TEST(CompileGradient, OfChangesInPlaceAndViews) {
  expect_same("in place",
              [](const std::vector<Tensor>& in) {
                Tensor y = in[0] * 2;
                y.mul_(in[0]);
                y.exp_();
                const Tensor turned = y.t() * in[0].t();
                return turned.reshape({-1}).view({4, -1}) * 3;
              },
              {uniform({8, 6}, float32)});
}

TEST(CompileGradient, RepeatedBackwardHooksAndRetainedGradients) {
  const auto fast = compile([](const Tensor& x) {
    Tensor y = tanh(x) * 2;
    y.retain_grad();
    return std::pair(y, exp(y) * x);
  });
  const Tensor x = uniform({50}, float32).requires_grad_();
  const auto [y, z] = fast(x);
  const Tensor grad = ones_like(z);
  z.backward(grad, true);
  const Tensor first = x.grad().clone();
  EXPECT_TRUE(close(y.grad(), (exp(y) * x).detach()));
  z.backward(grad);
  EXPECT_TRUE(close(x.grad(), first * 2));
}

TEST(CompileGradient, InsideCheckpoint) {
  const auto fast = compile([](const Tensor& x) { return tanh(x * 2) * x; });
  const Tensor x = uniform({200}, float32).requires_grad_();
  autograd::checkpoint([&](const Tensor& in) { return exp(fast(in)); }, x).sum().backward();
  const Tensor leaf = x.detach().requires_grad_();
  exp(tanh(leaf * 2) * leaf).sum().backward();
  EXPECT_TRUE(close(x.grad(), leaf.grad()));
}

TEST(CompileGradient, AnInputChangedBeforeBackwardIsAnError) {
  const auto fast = compile([](const Tensor& x) { return exp(x * 2) + 1; });
  const Tensor x = uniform({200}, float32), w = uniform({200}, float32, 2).requires_grad_();
  const Tensor y = fast(x * w);
  const Tensor input = x * w;
  const Tensor z = fast(input);
  {
    const NoGradGuard no_grad;
    input.add_(1);
  }
  EXPECT_THROW(z.sum().backward(), TensorError);
  y.sum().backward();
}

TEST(CompileGradient, NothingIsRecordedWithoutGradients) {
  const auto fast = compile([](const Tensor& x) { return tanh(x * 2); });
  const Tensor x = uniform({200}, float32).requires_grad_();
  const NoGradGuard no_grad;
  EXPECT_FALSE(fast(x).requires_grad());
}

}  // namespace
}  // namespace lectern::test
