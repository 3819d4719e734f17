#include "ops/linear_cross_entropy.h"

#include <vector>

#include <gtest/gtest.h>

#include "autograd/autocast_mode.h"
#include "autograd/backward.h"
#include "device/memory.h"
#include "ops/compare.h"
#include "ops/elementwise.h"
#include "ops/expect_error.h"
#include "ops/linear.h"
#include "ops/reductions.h"
#include "ops/tensors.h"
#include "tensor/creation.h"

namespace lectern {
namespace {

using test::expect_error;
using test::uniform;

/// A loss with the gradients of both operands.
struct LossAndGradients {
  Tensor loss, x, weight;
};

template <typename Loss>
LossAndGradients with_gradients(const Loss& loss, const Tensor& x, const Tensor& weight, double scale = 1) {
  const Tensor in = x.detach().requires_grad_(), w = weight.detach().requires_grad_();
  const Tensor made = loss(in, w);
  const std::vector<Tensor> gradients = autograd::grad({made}, {in, w}, {full({}, scale).to(made.dtype())});
  return {made.detach(), gradients[0], gradients[1]};
}

void expect_near(const Tensor& a, const Tensor& b, double tolerance) {
  ASSERT_EQ(a.sizes(), b.sizes());
  ASSERT_EQ(a.dtype(), b.dtype());
  EXPECT_LE((a - b).abs().to(float64).amax().item<double>(), tolerance);
}

/// Both ways to the same.
void expect_as_in_two_steps(const Tensor& x, const Tensor& weight, const Tensor& target,
                            const ClassLossOptions& options, std::int64_t rows, double tolerance) {
  const LossAndGradients fused = with_gradients(
      [&](const Tensor& in, const Tensor& w) { return linear_cross_entropy(in, w, target, options, rows); },
      x, weight, 3);
  const LossAndGradients steps = with_gradients(
      [&](const Tensor& in, const Tensor& w) { return cross_entropy(linear(in, w), target, options); }, x,
      weight, 3);
  expect_near(fused.loss, steps.loss, tolerance);
  expect_near(fused.x, steps.x, tolerance);
  expect_near(fused.weight, steps.weight, tolerance);
  // Without gradients there is another way to the loss.
  expect_near(linear_cross_entropy(x, weight, target, options, rows), fused.loss, tolerance);
}

Tensor class_indices(const Sizes& sizes, std::int64_t count) {
  return test::counting(sizes).remainder(count).to(int64);
}

TEST(LinearCrossEntropy, EqualsItsTwoSteps) {
  const Tensor x = uniform({11, 8}, float64), weight = uniform({13, 8}, float64, 2);
  const Tensor of_classes = uniform({13}, float64, 3).abs();
  const Tensor target = class_indices({11}, 13);
  for (const LossReduction reduction : {LossReduction::mean, LossReduction::sum}) {
    for (const double smoothing : {0., 0.1}) {
      for (const Tensor& given : {Tensor(), of_classes}) {
        for (const std::int64_t rows : {0, 1, 4, 11, 50}) {
          const ClassLossOptions options{
              .weight = given, .ignore_index = 5, .reduction = reduction, .label_smoothing = smoothing};
          expect_as_in_two_steps(x, weight, target, options, rows, 1e-12);
        }
      }
    }
  }
}

TEST(LinearCrossEntropy, OfNarrowFloats) {
  // Sizes that packs and blocks take whole, and others.
  for (const Sizes& sizes : {Sizes{24, 64, 128}, Sizes{7, 5, 9}, Sizes{5, 16, 1100}}) {
    const Tensor target = class_indices({sizes[0]}, sizes[2]);
    for (const auto& [dtype, tolerance] :
         {std::pair(float32, 1e-5), std::pair(bfloat16, 0.1), std::pair(float16, 0.02)}) {
      const Tensor x = uniform({sizes[0], sizes[1]}, dtype), weight = uniform({sizes[2], sizes[1]}, dtype, 2);
      for (const std::int64_t rows : {0, 4}) expect_as_in_two_steps(x, weight, target, {}, rows, tolerance);
    }
  }
}

TEST(LinearCrossEntropy, TakesAnyLeadingDimensions) {
  const Tensor x = uniform({2, 3, 4}, float64), weight = uniform({5, 4}, float64, 2);
  const Tensor target = class_indices({2, 3}, 5);
  const Tensor flat = cross_entropy(linear(x, weight).flatten(0, 1), target.flatten());
  expect_near(linear_cross_entropy(x, weight, target), flat, 1e-12);
  expect_near(linear_cross_entropy(x.transpose(0, 1), weight, target.t()), flat, 1e-12);
  expect_near(linear_cross_entropy(x[1][2], weight, target[1][2]),
              cross_entropy(linear(x, weight)[1][2], target[1][2]), 1e-12);
  const LossAndGradients made = with_gradients(
      [&](const Tensor& in, const Tensor& w) { return linear_cross_entropy(in, w, target); }, x, weight);
  EXPECT_EQ(made.x.sizes(), x.sizes());
}

TEST(LinearCrossEntropy, OfNothingAndOfIgnoredTargets) {
  const Tensor weight = uniform({5, 4}, float32, 2);
  const auto loss_of = [&](const Tensor& x, const Tensor& target, LossReduction reduction) {
    return with_gradients(
        [&](const Tensor& in, const Tensor& w) {
          return linear_cross_entropy(in, w, target, {.reduction = reduction});
        },
        x, weight);
  };
  const Tensor none = empty({0, 4}), no_target = zeros({0}, {.dtype = int64});
  EXPECT_EQ(loss_of(none, no_target, LossReduction::sum).loss.item<float>(), 0);
  EXPECT_TRUE(std::isnan(loss_of(none, no_target, LossReduction::mean).loss.item<float>()));
  EXPECT_TRUE(loss_of(none, no_target, LossReduction::sum).weight.equal(zeros({5, 4})));
  const LossAndGradients ignored =
      loss_of(uniform({3, 4}, float32), full({3}, -100, {.dtype = int64}), LossReduction::mean);
  EXPECT_TRUE(std::isnan(ignored.loss.item<float>()));
  EXPECT_TRUE(ignored.x.equal(zeros({3, 4})));
  EXPECT_TRUE(ignored.weight.equal(zeros({5, 4})));
}

TEST(LinearCrossEntropy, ComputesOnlyTheGradientsThatAreNeeded) {
  const Tensor x = uniform({6, 4}, float64), weight = uniform({5, 4}, float64, 2),
               target = class_indices({6}, 5);
  const auto both = with_gradients(
      [&](const Tensor& in, const Tensor& w) { return linear_cross_entropy(in, w, target); }, x, weight);
  const Tensor in = x.detach().requires_grad_(), w = weight.detach().requires_grad_();
  linear_cross_entropy(in, weight, target).backward();
  linear_cross_entropy(x, w, target).backward();
  EXPECT_TRUE(in.grad().equal(both.x));
  EXPECT_TRUE(w.grad().equal(both.weight));
  EXPECT_FALSE(linear_cross_entropy(x, weight, target).requires_grad());
}

TEST(LinearCrossEntropy, UnderAutocast) {
  const Tensor x = uniform({16, 32}, float32), weight = uniform({48, 32}, float32, 2),
               target = class_indices({16}, 48);
  const AutocastGuard mixed(default_device(), bfloat16);
  const LossAndGradients fused = with_gradients(
      [&](const Tensor& in, const Tensor& w) { return linear_cross_entropy(in, w, target, {}, 4); }, x,
      weight);
  EXPECT_EQ(fused.loss.dtype(), float32);
  EXPECT_EQ(fused.x.dtype(), float32);
  EXPECT_EQ(fused.weight.dtype(), float32);
  const LossAndGradients steps = with_gradients(
      [&](const Tensor& in, const Tensor& w) { return cross_entropy(linear(in, w), target); }, x, weight);
  expect_near(fused.loss, steps.loss, 1e-5);
  expect_near(fused.x, steps.x, 2e-3);
  expect_near(fused.weight, steps.weight, 2e-3);
}

TEST(LinearCrossEntropy, ItsMemoryIsAChunkOfLogits) {
  constexpr std::int64_t kTokens = 512, kWidth = 8, kClasses = 1024, kChunk = 32;
  const Tensor x = uniform({kTokens, kWidth}, float32).requires_grad_();
  const Tensor weight = uniform({kClasses, kWidth}, float32, 2).requires_grad_();
  const Tensor target = class_indices({kTokens}, kClasses);
  constexpr std::int64_t kLogits = kTokens * kClasses * 4;
  const auto peak = [&](const auto& step) {
    step();  // a GPU's libraries take memory at first
    reset_peak_memory_stats(default_device());
    const std::int64_t before = memory_allocated(default_device());
    step();
    return max_memory_allocated(default_device()) - before;
  };
  const std::int64_t chunked = peak([&] { linear_cross_entropy(x, weight, target, {}, kChunk).backward(); });
  const std::int64_t whole = peak([&] { cross_entropy(linear(x, weight), target).backward(); });
  if (default_device().is_cpu()) {
    EXPECT_LT(chunked, kLogits / 2);
  }
  EXPECT_LT(chunked + kLogits, whole);  // both with a GPU's workspace
}

TEST(LinearCrossEntropy, ClassWeightsOfAnyMagnitudeIn16Bits) {
  const Tensor x = uniform({8, 16}, float16).requires_grad_(), weight = uniform({50, 16}, float16, 2);
  const Tensor target = arange(8);
  const auto gradient = [&](const Tensor& classes) {
    return autograd::grad({linear_cross_entropy(x, weight, target, {.weight = classes})}, {x})[0].to(float32);
  };
  const Tensor expected = gradient({});
  for (const double each : {2e4, 1e-6})
    EXPECT_TRUE(gradient(full({50}, each)).allclose(expected, 2e-3, 1e-5)) << each;
}

TEST(LinearCrossEntropy, TargetsWithoutWeight) {
  const Tensor x = uniform({2, 2}, float32).requires_grad_(), weight = eye(2);
  const ClassLossOptions options{.weight = tensor({1., 0.})};
  const Tensor targets = tensor({1, 1}), ignored = tensor({-100, -100});
  const auto gradient = [&](const Tensor& loss) { return autograd::grad({loss}, {x})[0]; };
  EXPECT_TRUE(isnan(gradient(linear_cross_entropy(x, weight, targets, options))).all().item<bool>());
  EXPECT_TRUE(isnan(gradient(cross_entropy(x, targets, options))).all().item<bool>());
  EXPECT_EQ(gradient(linear_cross_entropy(x, weight, ignored, options)).abs().sum().item<double>(), 0);
}

TEST(LinearCrossEntropy, IgnoredRowsHaveNoGradientWhateverComesIn) {
  const Tensor x = uniform({3, 4}, float32), weight = uniform({5, 4}, float32, 2);
  const Tensor target = tensor({1, -100, 3});
  for (const LossReduction reduction : {LossReduction::sum, LossReduction::mean}) {
    for (const double incoming : {test::kInfinity, std::nan("")}) {
      const Tensor gradient = with_gradients(
                                  [&](const Tensor& in, const Tensor& w) {
                                    return linear_cross_entropy(in, w, target, {.reduction = reduction});
                                  },
                                  x, weight, incoming)
                                  .x;
      EXPECT_TRUE(gradient.select(0, 1).equal(zeros({4})));
      EXPECT_FALSE(isfinite(gradient.select(0, 2)).any().item<bool>());
    }
  }
}

TEST(LinearCrossEntropy, RefusesWhatDoesNotFit) {
  const Tensor x = ones({3, 4}), weight = ones({5, 4}), target = zeros({3}, {.dtype = int64});
  expect_error(
      [&] {
        linear_cross_entropy(ones({3, 3}), weight, target);
      },
      "linear_cross_entropy: x must be of last size 4, as weight's, not of shape [3, 3]");
  expect_error([&] { linear_cross_entropy(x, ones({5}), target); },
               "linear_cross_entropy: weight must be a matrix [out, in], not of shape [5]");
  expect_error(
      [&] { linear_cross_entropy(x, weight.to(float64), target); },
      "linear_cross_entropy: the dtypes of x and weight must be the same; convert one with to(), not "
      "float32 and float64");
  expect_error([&] { linear_cross_entropy(x, weight, zeros({4}, {.dtype = int64})); },
               "linear_cross_entropy: the target's shape must be [3] for x [3, 4], not [4]");
  expect_error([&] { linear_cross_entropy(x, weight, ones({3})); },
               "linear_cross_entropy: the target's dtype must be int64: class indices, not float32");
  expect_error([&] { linear_cross_entropy(x, weight, target, {.reduction = LossReduction::unreduced}); },
               "linear_cross_entropy: the reduction must be mean or sum, not unreduced");
  expect_error([&] { linear_cross_entropy(x, weight, target, {}, -1); },
               "linear_cross_entropy: rows must be 0 or more, not -1");
  const Tensor wrong = full({3}, 5, {.dtype = int64});
  if (default_device().is_cuda()) {
    EXPECT_TRUE(std::isnan(linear_cross_entropy(x, weight, wrong).item<float>()));
  } else {
    expect_error([&] { linear_cross_entropy(x, weight, wrong); },
                 "linear_cross_entropy: a target must be a class from 0 to 4, not 5");
  }
}

}  // namespace
}  // namespace lectern
