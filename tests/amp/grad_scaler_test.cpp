#include "amp/grad_scaler.h"

#include <limits>

#include <gtest/gtest.h>

#include "autograd/autocast_mode.h"
#include "autograd/backward.h"
#include "base/tensor_error.h"
#include "nn/linear.h"
#include "ops/compare.h"
#include "ops/elementwise.h"
#include "ops/losses.h"
#include "ops/random.h"
#include "ops/reductions.h"
#include "optim/adam.h"
#include "optim/clip_grad.h"
#include "optim/sgd.h"
#include "tensor/creation.h"

namespace lectern {
namespace {

using amp::GradScaler;

struct Scaling : testing::Test {
  const Tensor w = tensor({1., 2}, {.requires_grad = true});
  optim::SGD sgd{std::vector{w}, {.lr = 0.5}};

  Tensor loss(double factor = 1) const { return (w * factor).sum(); }
  void train(GradScaler& scaler, double factor = 1) {
    sgd.zero_grad();
    scaler.scale(loss(factor)).backward();
    scaler.step(sgd);
    scaler.update();
  }
};

constexpr double kTooLarge = 1e38;

TEST_F(Scaling, StepsWithTheGradientsOfTheLossItself) {
  GradScaler scaler;
  train(scaler);
  EXPECT_TRUE(w.equal(tensor({0.5, 1.5})));
  EXPECT_TRUE(w.grad().equal(full({2}, 65'536.)));
  EXPECT_EQ(scaler.get_scale(), 65'536);
}

TEST_F(Scaling, AStepWithAnInfinityIsSkippedAndTheScaleFalls) {
  GradScaler scaler;
  train(scaler, kTooLarge);
  EXPECT_TRUE(w.equal(tensor({1., 2})));
  EXPECT_EQ(scaler.get_scale(), 32'768);
  train(scaler);
  EXPECT_TRUE(w.equal(tensor({0.5, 1.5})));
  EXPECT_EQ(scaler.get_scale(), 32'768);
}

TEST_F(Scaling, NaNIsNoticedToo) {
  GradScaler scaler;
  train(scaler, std::numeric_limits<double>::quiet_NaN());
  EXPECT_TRUE(w.equal(tensor({1., 2})));
  EXPECT_EQ(scaler.get_scale(), 32'768);
}

TEST_F(Scaling, TheScaleGrowsAfterSoManyGoodSteps) {
  GradScaler scaler({.init_scale = 4, .growth_factor = 3, .growth_interval = 2});
  train(scaler);
  EXPECT_EQ(scaler.get_scale(), 4);
  train(scaler);
  EXPECT_EQ(scaler.get_scale(), 12);
  train(scaler);
  train(scaler, kTooLarge);
  EXPECT_EQ(scaler.get_scale(), 6) << "1e38 * 12 is infinite";
  train(scaler);
  EXPECT_EQ(scaler.get_scale(), 6) << "the count began anew";
  train(scaler);
  EXPECT_EQ(scaler.get_scale(), 18);
}

TEST_F(Scaling, TheScaleStaysFinite) {
  GradScaler scaler({.init_scale = 2e38, .growth_interval = 1});
  train(scaler);
  EXPECT_FLOAT_EQ(static_cast<float>(scaler.get_scale()), 2e38F);
}

TEST_F(Scaling, UnscaledGradientsAreTheTrueOnesAndAreNotDividedAgain) {
  GradScaler scaler;
  scaler.scale(loss(3)).backward();
  scaler.unscale_(sgd);
  EXPECT_TRUE(w.grad().equal(full({2}, 3.)));
  nn::utils::clip_grad_norm_({w}, 1);
  scaler.step(sgd);
  scaler.update();
  EXPECT_TRUE(w.allclose(tensor({1., 2}) - 0.5 / std::sqrt(2.), 1e-4));
}

TEST_F(Scaling, TwoOptimizersSkipEachOnItsOwn) {
  const Tensor v = tensor({1.}, {.requires_grad = true});
  optim::SGD other{std::vector{v}, {.lr = 0.5}};
  GradScaler scaler;
  scaler.scale((w * kTooLarge).sum() + v.sum()).backward();
  scaler.step(sgd);
  scaler.step(other);
  scaler.update();
  EXPECT_TRUE(w.equal(tensor({1., 2})));
  EXPECT_TRUE(v.equal(tensor({0.5})));
  EXPECT_EQ(scaler.get_scale(), 32'768);
}

TEST_F(Scaling, SkippedStepsDoNotCountForAdam) {
  const auto run = [](const std::vector<double>& factors, GradScaler& scaler) {
    const Tensor p = tensor({1., -2}, {.requires_grad = true});
    optim::Adam adam{std::vector{p}, {.lr = 0.1}};
    for (const double factor : factors) {
      adam.zero_grad();
      scaler.scale((p.square() * factor).sum()).backward();
      scaler.step(adam);
      scaler.update();
    }
    return p.detach();
  };
  GradScaler with, without;
  EXPECT_TRUE(run({1, kTooLarge, 2}, with).allclose(run({1, 2}, without), 1e-6));
}

TEST_F(Scaling, SwitchedOffItDoesNothing) {
  GradScaler scaler({.enabled = false});
  train(scaler, 2);
  EXPECT_TRUE(w.equal(tensor({0., 1})));
  EXPECT_TRUE(w.grad().equal(full({2}, 2.)));
  EXPECT_EQ(scaler.get_scale(), 1);
  EXPECT_TRUE(scaler.state_dict().empty());
  scaler.load_state_dict(GradScaler().state_dict());
  EXPECT_EQ(scaler.get_scale(), 1);
}

TEST_F(Scaling, GoesOnFromItsState) {
  GradScaler scaler({.init_scale = 8, .growth_interval = 3});
  train(scaler);
  train(scaler);
  GradScaler resumed({.growth_interval = 3});
  resumed.load_state_dict(scaler.state_dict());
  EXPECT_EQ(resumed.get_scale(), 8);
  train(resumed);
  EXPECT_EQ(resumed.get_scale(), 16);
  EXPECT_THROW(resumed.load_state_dict({}), TensorError);
  EXPECT_THROW(resumed.load_state_dict({{"scale", full({}, std::nan(""))}, {"growth_tracker", tensor(0)}}),
               TensorError);
  EXPECT_EQ(resumed.get_scale(), 16);
}

TEST_F(Scaling, GrowsAtOnceWhereTheSavedRunWaitedLonger) {
  GradScaler scaler({.growth_interval = 2});
  scaler.load_state_dict({{"scale", full({}, 8.)}, {"growth_tracker", tensor(5)}});
  train(scaler);
  EXPECT_EQ(scaler.get_scale(), 16);
}

TEST_F(Scaling, RefusesWhatIsOutOfOrder) {
  GradScaler scaler;
  EXPECT_THROW(scaler.step(sgd), TensorError);
  EXPECT_THROW(scaler.update(), TensorError);
  scaler.scale(loss()).backward();
  scaler.unscale_(sgd);
  EXPECT_THROW(scaler.unscale_(sgd), TensorError);
  scaler.step(sgd);
  EXPECT_THROW(scaler.step(sgd), TensorError);
  scaler.update();
  EXPECT_THROW(GradScaler({.growth_factor = 1}), TensorError);
  EXPECT_THROW(GradScaler({.backoff_factor = 1}), TensorError);
  EXPECT_THROW(GradScaler({.growth_interval = 0}), TensorError);
  EXPECT_THROW(GradScaler({.init_scale = 1e39}), TensorError);
  EXPECT_THROW(scaler.update(std::numeric_limits<double>::infinity()), TensorError);
}

TEST_F(Scaling, TrainsALayerInFloat16) {
  manual_seed(3);
  nn::Linear layer(8, 1);
  optim::Adam adam{layer.parameters(), {.lr = 0.05}};
  GradScaler scaler;
  const Tensor x = randn({64, 8}), y = x.sum({1}, true);
  double first = 0, last = 0;
  for (int i = 0; i < 150; ++i) {
    adam.zero_grad();
    Tensor error;
    {
      const AutocastGuard autocast(default_device(), float16);
      error = mse_loss(layer(x), y);
    }
    scaler.scale(error).backward();
    scaler.step(adam);
    scaler.update();
    (i == 0 ? first : last) = error.item<double>();
  }
  EXPECT_LT(last, first / 1'000);
}

}  // namespace
}  // namespace lectern
