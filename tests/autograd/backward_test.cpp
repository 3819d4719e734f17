#include "autograd/backward.h"

#include <cmath>
#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include "autograd/leaf.h"
#include "autograd/record.h"
#include "device/counters.h"
#include "device/memory.h"
#include "ops/compare.h"
#include "ops/elementwise.h"
#include "ops/expect_error.h"
#include "ops/matmul.h"
#include "ops/random.h"
#include "ops/reductions.h"
#include "tensor/creation.h"
#include "tensor/print.h"

namespace lectern {
namespace {

using test::expect_error;
using test::leaf;

TEST(Backward, AddsUpWhatEveryUseOfALeafGives) {
  const Tensor x = leaf({1, 2, 3});
  const Tensor y = (x * x + x).sum();
  EXPECT_TRUE(y.requires_grad());
  EXPECT_FALSE(y.is_leaf());
  EXPECT_EQ(y.grad_fn(), "sum");
  y.backward();
  EXPECT_TRUE(x.grad().equal(tensor({3., 5, 7})));
  EXPECT_FALSE(x.grad().requires_grad());
}

TEST(Backward, PrintsWhatATensorCameFrom) {
  const Tensor x = tensor({1., 2.}, {.device = cpu, .requires_grad = true});
  EXPECT_EQ(to_string(x), "tensor([1., 2.], requires_grad=True)");
  EXPECT_EQ(to_string(x * 2), "tensor([2., 4.], grad_fn=<MulBackward0>)");
  EXPECT_EQ(to_string((x * 2).add_(1)), "tensor([3., 5.], grad_fn=<AddBackward0>)");
  EXPECT_EQ(to_string((x * 2).detach()), "tensor([2., 4.])");
}

TEST(Backward, AddsToTheGradientOfTheBackwardBefore) {
  const Tensor x = leaf({1, 2});
  (x * 3).sum().backward();
  const Tensor grad = x.grad();
  (x * 4).sum().backward();
  EXPECT_TRUE(x.grad().equal(tensor({7., 7})));
  EXPECT_TRUE(grad.is_same(x.grad())) << "a handle to the gradient sees what is added";
  x.mutable_grad() = Tensor();
  EXPECT_FALSE(x.grad().defined());
  (x * 5).sum().backward();
  EXPECT_TRUE(x.grad().equal(tensor({5., 5})));
}

TEST(Backward, AGradientThatWasAssignedHasToFit) {
  const Tensor x = leaf({1, 2});
  for (const Tensor& wrong : {ones({3}), ones({1}), ones({2}, {.dtype = int64})}) {
    x.mutable_grad() = wrong;
    EXPECT_THROW((x * 3).sum().backward(), TensorError);
  }
  x.mutable_grad() = tensor({4., 5.});
  (x * 3).sum().backward();
  EXPECT_TRUE(equal(x.grad(), tensor({7., 8.})));
}

TEST(Backward, LeavesDoNotShareTheirGradients) {
  const Tensor a = leaf({1, 2}), b = leaf({3, 4});
  const Tensor given = tensor({1., 1});
  (a + b).backward(given);
  a.grad().fill_(9);
  EXPECT_TRUE(b.grad().equal(tensor({1., 1})));
  EXPECT_TRUE(given.equal(tensor({1., 1})));
}

TEST(Backward, GoesThroughADiamondOnce) {
  const Tensor x = leaf({2});
  Tensor y = x;
  for (int i = 0; i < 40; ++i) y = y + y;  // 2^40 paths
  y.sum().backward();
  EXPECT_EQ(x.grad().item<double>(), std::pow(2.0, 40));
}

TEST(Backward, AddsGradientsOfPartsWhereTheyBelong) {
  const Tensor x = leaf({1, 2, 3, 4});
  const Tensor y = x * 2;
  (y[0] * y[3] + y.slice(0, 1, 3).sum() + (y.slice(0, {}, {}, 2) * 3).sum() + y.sum()).backward();
  EXPECT_TRUE(x.grad().equal(tensor({2. * (8 + 4), 2 * 2, 2 * 5, 2 * (2 + 1)})));
}

TEST(Backward, PartsLeaveGradientsAloneThatOthersLookAt) {
  const Tensor x = leaf({1, 2});
  const Tensor u = x * 2, v = x * 3, first = u[0];
  const Tensor sum = u + v;  // gives both the same gradient, before the part gives its own
  ((sum * sum).sum() + first).backward();
  EXPECT_TRUE(x.grad().equal(tensor({52., 100})));
}

TEST(Backward, ManyPartsCostNoMoreThanTheWhole) {
  constexpr std::int64_t kRows = 64;
  const Tensor x = rand({kRows, 1000}, {.requires_grad = true});
  Tensor sum = x[0].sum();
  for (std::int64_t i = 1; i < kRows; ++i) sum = sum + x[i].sum();
  const CountScope scope;
  sum.backward();
  EXPECT_LT(scope.counted().bytes, 6 * x.nbytes());
}

TEST(Backward, UndoesBroadcasting) {
  const Tensor x = leaf({{1}, {2}}), row = leaf({1, 2, 3}), one = tensor(2., {.requires_grad = true});
  (x * row * one).sum().backward();
  EXPECT_TRUE(x.grad().equal(tensor({{12.}, {12}})));
  EXPECT_TRUE(row.grad().equal(tensor({6., 6, 6})));
  EXPECT_EQ(one.grad().dim(), 0);
  EXPECT_EQ(one.grad().item<double>(), 18);
}

TEST(Backward, GradientsHaveTheDtypeOfWhatTheyBelongTo) {
  const Tensor half = tensor({1., 2}, {.dtype = float16, .requires_grad = true});
  const Tensor full = tensor({3., 4}, {.dtype = float64, .requires_grad = true});
  (half * full).sum().backward();
  EXPECT_EQ(half.grad().dtype(), float16);
  EXPECT_EQ(full.grad().dtype(), float64);
  EXPECT_TRUE(half.grad().to(float32).equal(tensor({3., 4})));
}

TEST(Backward, OfSeveralNumbersNeedsAGradient) {
  const Tensor x = leaf({{1, 2, 3}, {4, 5, 6}});
  const Tensor y = x * 2;
  const std::string device = default_device().name();
  expect_error([&] { y.backward(); },
               "backward: the tensor has shape [2, 3], and the gradient can be omitted only for a tensor "
               "with one element; call sum() or mean() first, or pass a gradient of that shape");
  expect_error(
      [&] {
        y.backward(tensor({1., 2}));
      },
      "backward: the gradient must be floating, of the tensor's shape [2, 3] and on " + device +
          ", not float32 of shape [2] on " + device);
  EXPECT_THROW(y.backward(ones({2, 3}, {.dtype = int64})), TensorError);
  y.backward(ones({2, 3}));
  EXPECT_TRUE(x.grad().equal(full({2, 3}, 2.)));
}

TEST(Backward, WhatTwoGraphsShareAndHoldsNoMemoryServesBoth) {
  const Tensor x = leaf({1, 2});
  const Tensor shared = x.to(float64);
  (shared * 2).sum().backward();
  (shared * 3).sum().backward();
  EXPECT_TRUE(equal(x.grad(), tensor({5., 5.})));
}

TEST(Backward, AGradientOfAnotherFloatingDtypeIsConverted) {
  const Tensor x = leaf({1, 2});
  (x * 3).backward(tensor({0.5, 2}, {.dtype = float64}));
  EXPECT_TRUE(equal(x.grad(), tensor({1.5, 6.})));
}

TEST(Backward, OfWhatRequiresNoGradientIsAnError) {
  expect_error([] { tensor({1.}).sum().backward(); },
               "backward: the tensor requires no gradient: neither was it made from a tensor that does, nor "
               "was requires_grad_() called on it");
}

TEST(Backward, AGraphIsGoneThroughOnceUnlessItIsRetained) {
  const Tensor x = leaf({1, 2});
  const Tensor y = (x * x).sum();
  y.backward({}, true);
  y.backward({}, true);
  EXPECT_TRUE(x.grad().equal(tensor({4., 8})));
  y.backward();
  expect_error([&] { y.backward(); },
               "backward: the graph of mul was freed by an earlier backward(); call that one with "
               "retain_graph = true to traverse it again");
}

TEST(Backward, GivesMemoryBackAsItGoes) {
  const Tensor x = ones({1000}, {.requires_grad = true});
  const std::int64_t before = memory_allocated(default_device());
  {
    Tensor y = x;
    for (int i = 0; i < 10; ++i) y = y.square();
    EXPECT_GE(memory_allocated(default_device()) - before, 10 * 4000) << "all are saved";
    const Tensor loss = y.sum();
    y = Tensor();
    loss.backward();
    EXPECT_LE(memory_allocated(default_device()) - before, 4000 + 64) << "the gradient and the loss are left";
  }
  x.mutable_grad() = Tensor();
  EXPECT_EQ(memory_allocated(default_device()), before);
}

TEST(Backward, KeepsForeignMemoryUntilItIsDone) {
  auto numbers = std::make_unique<std::vector<float>>(3, 2.F);
  const Tensor x = ones({3}, {.device = cpu, .requires_grad = true});
  Tensor loss;
  {
    float* const data = numbers->data();
    const Tensor factors = from_blob(data, {3}, [&numbers] { numbers.reset(); });
    loss = (x * factors).sum();
  }
  ASSERT_NE(numbers, nullptr) << "the gradient of the product needs them";
  loss.backward();
  EXPECT_EQ(numbers, nullptr);
  EXPECT_TRUE(x.grad().equal(full({3}, 2., {.device = cpu})));
}

TEST(Backward, AGraphThatIsDroppedLeavesNothing) {
  const std::int64_t before = memory_allocated(default_device());
  {
    const Tensor x = ones({100}, {.requires_grad = true});
    const Tensor y = x.exp();  // saves its own result
    const Tensor z = ones({100});
    z.mul_(y);
    z.mul_(x);
    z.requires_grad();
  }
  EXPECT_EQ(memory_allocated(default_device()), before);
}

TEST(Backward, AChainMayBeAsLongAsItLikes) {
  const Tensor x = leaf({1});
  {
    Tensor y = x;
    for (int i = 0; i < 200000; ++i) y = y + 1;
    y.backward();
    EXPECT_EQ(x.grad().item<double>(), 1);
    y = x;
    for (int i = 0; i < 200000; ++i) y = y + 1;  // dropped without a backward
  }
}

TEST(Backward, NothingIsRecordedWithoutGradMode) {
  const Tensor x = leaf({1, 2});
  {
    const NoGradGuard no_grad;
    EXPECT_FALSE(is_grad_enabled());
    EXPECT_FALSE((x * 2).requires_grad());
    EXPECT_FALSE(x[0].requires_grad());
    {
      const EnableGradGuard enabled;
      EXPECT_TRUE((x * 2).requires_grad());
    }
    EXPECT_FALSE(is_grad_enabled());
  }
  EXPECT_TRUE(is_grad_enabled());
  EXPECT_FALSE((x.detach() * 2).requires_grad());
  EXPECT_TRUE(x.detach().storage() == x.storage());
}

TEST(Backward, OnlyFloatingLeavesRequireGradients) {
  expect_error([] { tensor({1, 2}).requires_grad_(); }, "requires_grad_: dtype must be floating, not int64");
  const Tensor y = leaf({1}) * 2;
  expect_error([&] { y.requires_grad_(false); },
               "requires_grad_: the tensor is not a leaf, and only a leaf can stop requiring a gradient; use "
               "detach() for a tensor without a graph");
  const Tensor x = leaf({1});
  EXPECT_FALSE((x > 0).requires_grad());
  x.requires_grad_(false);
  EXPECT_FALSE((x * 2).requires_grad());
}

TEST(Backward, InnerTensorsKeepTheirGradientWhenAsked) {
  const Tensor x = leaf({1, 2});
  const Tensor inner = x * 2, other = x * 3;
  inner.retain_grad();
  (inner * inner + other).sum().backward();
  EXPECT_TRUE(inner.grad().equal(tensor({4., 8})));
  EXPECT_FALSE(other.grad().defined());
  expect_error([] { tensor({1.}).retain_grad(); }, "retain_grad: the tensor requires no gradient");
}

TEST(Hooks, SeeAndReplaceGradients) {
  const Tensor x = leaf({1, 2});
  const Tensor y = x * 2;
  std::vector<std::string> order;
  const auto of_y = autograd::register_hook(y, [&](const Tensor& grad) {
    order.emplace_back("y");
    return grad * 10;
  });
  autograd::register_hook(x, [&](const Tensor& grad) -> Tensor {
    order.emplace_back("x");
    EXPECT_TRUE(grad.equal(order.size() == 2 ? tensor({20., 20}) : tensor({2., 2}))) << "the whole gradient";
    return {};
  });
  y.retain_grad();
  y.sum().backward();
  EXPECT_EQ(order, (std::vector<std::string>{"y", "x"}));
  EXPECT_TRUE(y.grad().equal(tensor({10., 10}))) << "kept after the hooks";
  of_y.remove();
  x.mutable_grad() = Tensor();
  (x * 2).sum().backward();
  EXPECT_TRUE(x.grad().equal(tensor({2., 2})));
  const Tensor z = x * 1;
  autograd::register_hook(z, [](const Tensor&) { return ones({3}); });
  expect_error(
      [&] { z.sum().backward(); },
      "register_hook: what a hook returns must be of shape [2], dtype and device of the gradient, not "
      "of shape [3] and float32");
}

TEST(Grad, GivesGradientsWithoutTouchingLeaves) {
  const Tensor x = leaf({1, 2}), w = leaf({3, 4});
  const Tensor inner = x * w;
  const Tensor loss = (inner * inner).sum();
  const auto gradients = autograd::grad({loss}, {inner, x}, {}, {.retain_graph = true});
  EXPECT_TRUE(gradients[0].equal(tensor({6., 16})));
  EXPECT_TRUE(gradients[1].equal(tensor({18., 64})));
  EXPECT_FALSE(x.grad().defined());
  EXPECT_FALSE(w.grad().defined());
  const Tensor unused = leaf({1});
  expect_error(
      [&] { autograd::grad({loss}, {unused}, {}, {.retain_graph = true}); },
      "grad: the outputs do not depend on input 0; with allow_unused = true its gradient is undefined");
  EXPECT_FALSE(autograd::grad({loss}, {unused}, {}, {.allow_unused = true}).front().defined());
}

TEST(Grad, ComputesOnlyWhatLeadsToTheInputs) {
  const Tensor x = leaf({1, 2}), w = leaf({3, 4});
  bool seen = false;
  const Tensor side = w * 2;
  autograd::register_hook(side, [&](const Tensor&) -> Tensor {
    seen = true;
    return {};
  });
  autograd::grad({(x * side).sum()}, {x});
  EXPECT_FALSE(seen);
}

TEST(Backward, OfSeveralResultsAtOnce) {
  const Tensor x = leaf({1, 2});
  const Tensor shared = x * x;
  backward({shared.sum(), shared * 2}, {Tensor(), ones({2})});
  EXPECT_TRUE(x.grad().equal(tensor({6., 12})));
}

TEST(Backward, AnErrorHalfwayLeavesNoGradientBehind) {
  const Tensor x = leaf({1, 2});
  const Tensor bad = x * 1;
  const auto hook =
      autograd::register_hook(bad, [](const Tensor&) -> Tensor { throw TensorError("hook", "no"); });
  const Tensor loss = (bad + x).sum();
  EXPECT_THROW(loss.backward({}, true), TensorError);
  EXPECT_FALSE(x.grad().defined());
  hook.remove();
  loss.backward();
  EXPECT_TRUE(x.grad().equal(tensor({2., 2})));
}

TEST(DetectAnomaly, NamesTheOperationWhoseGradientIsNaN) {
  const Tensor x = leaf({0, 1});
  const Tensor y = (x.sqrt() * 0).sum();
  const autograd::DetectAnomaly detect;
  expect_error([&] { y.backward(); },
               "backward: the gradient of sqrt with respect to input 0, of shape [2], contains NaN 1 time");
}

TEST(Backward, MatricesAndBatches) {
  const Tensor a = tensor({{1., 2}, {3, 4}, {5, 6}}, {.requires_grad = true});
  const Tensor b = tensor({{1., -1, 2, 0}, {3, 1, 0, 2}}, {.requires_grad = true});
  const Tensor weights = arange(12, {.dtype = float32}).view({3, 4});
  (matmul(a, b) * weights).sum().backward();
  EXPECT_TRUE(a.grad().equal(matmul(weights, b.detach().t())));
  EXPECT_TRUE(b.grad().equal(matmul(a.detach().t(), weights)));

  const Tensor batch = ones({5, 3, 2}, {.requires_grad = true});
  b.mutable_grad() = Tensor();
  matmul(batch, b).sum().backward();
  EXPECT_EQ(b.grad().sizes(), b.sizes());
  EXPECT_TRUE(b.grad().equal(full({2, 4}, 15.)));
  const Tensor vector = tensor({1., 2}, {.requires_grad = true});
  matmul(a, vector).sum().backward();
  EXPECT_TRUE(vector.grad().equal(tensor({9., 12})));
}

}  // namespace
}  // namespace lectern
