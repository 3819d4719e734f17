#include "optim/optimizer.h"

#include <gtest/gtest.h>

#include "autograd/grad_mode.h"
#include "device/cuda.h"
#include "ops/compare.h"
#include "ops/expect_error.h"
#include "ops/reductions.h"
#include "optim/adafactor.h"
#include "optim/adagrad.h"
#include "optim/adam.h"
#include "optim/lion.h"
#include "optim/nadam.h"
#include "optim/radam.h"
#include "optim/rmsprop.h"
#include "optim/sgd.h"
#include "optim/training.h"

namespace lectern {
namespace {

using test::parameter;
using test::train;
using test::uniform;

TEST(Optimizer, LearnsWhatItIsTold) {
  const Tensor w = zeros({3}, {.requires_grad = true});
  const Tensor x = uniform({20, 3}, float32), y = sum(x * tensor({1., -2., 0.5}), {1});
  optim::AdamW optimizer({w}, {.lr = 0.1, .weight_decay = 0});
  for (int step = 0; step < 300; ++step) {
    optimizer.zero_grad();
    const Tensor error = sum(x * w, {1}) - y;
    (error * error).mean().backward();
    optimizer.step();
  }
  EXPECT_TRUE(w.detach().allclose(tensor({1., -2., 0.5}), 0, 1e-3));
}

TEST(Optimizer, GroupsHaveTheirOwnOptions) {
  const Tensor a = ones({2}, {.requires_grad = true}), b = ones({2}, {.requires_grad = true});
  optim::SGD optimizer({{.params = {a}}, {.params = {b}, .options = {{"lr", 0.5}}}}, {.lr = 0.1});
  a.mutable_grad() = ones({2});
  b.mutable_grad() = ones({2});
  optimizer.step();
  EXPECT_TRUE(a.detach().allclose(full({2}, 0.9)));
  EXPECT_TRUE(b.detach().allclose(full({2}, 0.5)));
  optimizer.param_groups()[0]["lr"] = 0.2;
  optimizer.step();
  EXPECT_TRUE(a.detach().allclose(full({2}, 0.7)));

  const Tensor c = ones({2}, {.requires_grad = true});
  optimizer.add_param_group({{c}, {{"momentum", 0.9}}});
  c.mutable_grad() = ones({2});
  optimizer.step();
  EXPECT_TRUE(c.detach().allclose(full({2}, 0.9)));
  EXPECT_TRUE(optimizer.state(c).contains("momentum_buffer"));
  EXPECT_TRUE(optimizer.state(a).empty());
  EXPECT_EQ(optimizer.param_groups().size(), 3U);
}

TEST(Optimizer, TheNewerOnesLearnInGroupsToo) {
  using Make = std::function<std::unique_ptr<optim::Optimizer>(const optim::Params&)>;
  const auto expect_learns = [](const Make& make, double faster) {
    const Tensor x = uniform({20, 3}, float32), y = sum(x * tensor({1., -2., 0.5}), {1});
    const Tensor w = zeros({3}, {.requires_grad = true}), b = zeros({1}, {.requires_grad = true});
    const std::unique_ptr<optim::Optimizer> optimizer =
        make(optim::Params{{.params = {w}}, {.params = {b}, .options = {{"lr", faster}}}});
    const auto loss = [&] { return (sum(x * w, {1}) + b - y).square().mean(); };
    const double before = loss().item<double>();
    for (int step = 0; step < 300; ++step) {
      optimizer->zero_grad();
      loss().backward();
      optimizer->step();
    }
    EXPECT_LT(loss().item<double>(), before / 10);
  };
  expect_learns(
      [](const optim::Params& p) {
        return std::make_unique<optim::NAdam>(p, optim::NAdamOptions{.lr = 0.05});
      },
      0.1);
  expect_learns(
      [](const optim::Params& p) {
        return std::make_unique<optim::RAdam>(p, optim::RAdamOptions{.lr = 0.3});
      },
      0.5);
  expect_learns(
      [](const optim::Params& p) { return std::make_unique<optim::Lion>(p, optim::LionOptions{.lr = 0.01}); },
      0.02);
}

TEST(Optimizer, ChangesNothingWithoutAGradient) {
  const Tensor p = parameter({4}), before = p.detach().clone();
  optim::Adam optimizer({p});
  optimizer.step();
  EXPECT_TRUE(p.equal(before));
  EXPECT_TRUE(optimizer.state(p).empty());
}

TEST(Optimizer, ZeroGrad) {
  const Tensor p = parameter({4});
  optim::SGD optimizer({p}, {.lr = 0.1});
  optimizer.zero_grad();
  p.mutable_grad() = ones({4});
  const Tensor grad = p.grad();
  optimizer.zero_grad(false);
  EXPECT_TRUE(grad.equal(zeros({4})));
  EXPECT_TRUE(p.grad().is_same(grad));
  optimizer.zero_grad();
  EXPECT_FALSE(p.grad().defined());
}

/// As a lecture writes one.
class OwnAdagrad : public optim::Optimizer {
 public:
  explicit OwnAdagrad(const optim::Params& params, double lr = 0.01) : Optimizer(params, {{"lr", lr}}) {}

  void step() override {
    const NoGradGuard no_grad;
    for (const auto& group : param_groups()) {
      const double lr = group["lr"];
      for (const Tensor& p : group.params) {
        const Tensor grad = p.grad();
        if (!grad.defined()) continue;
        Tensor& sum = state(p)["sum"];
        if (!sum.defined()) sum = zeros_like(p);
        sum += grad.square();
        p -= lr * grad / (sum.sqrt() + 1e-10);
      }
    }
  }
};

TEST(Optimizer, AnOwnOneIsWrittenAsInPyTorch) {
  const Tensor gradients = uniform({5, 3, 4}, float32, 7);
  const Tensor p = parameter({3, 4}), q = parameter({3, 4});
  OwnAdagrad own({p});
  optim::Adagrad ours({q});
  train(own, p, gradients, 50);
  train(ours, q, gradients, 50);
  EXPECT_TRUE(p.allclose(q, 1e-5, 1e-6));

  const Tensor again = parameter({3, 4}, 9);
  OwnAdagrad other({again}, 0.5);
  other.load_state_dict(own.state_dict());
  EXPECT_EQ(double(other.param_groups()[0]["lr"]), 0.01);
  EXPECT_TRUE(other.state(again)["sum"].equal(own.state(p)["sum"]));

  const Tensor before = again.detach().clone();
  again.mutable_grad() = ones({3, 4});
  static_cast<optim::Optimizer&>(other).step({tensor(0.5), tensor(1.)});
  EXPECT_TRUE(again.equal(before));
  static_cast<optim::Optimizer&>(other).step({tensor(0.5), tensor(0.)});
  EXPECT_FALSE(again.equal(before));
  EXPECT_TRUE(again.grad().equal(full({3, 4}, 0.5)));
}

/// The example of optimizer.h.
class Sgd : public optim::Optimizer {
 public:
  Sgd(const optim::Params& params, double lr) : Optimizer(params, {{"lr", lr}}) {}
  void step() override {
    const NoGradGuard no_grad;
    for (const auto& group : param_groups()) {
      for (const Tensor& p : group.params) {
        if (p.grad().defined()) p.sub_(group["lr"] * p.grad());
      }
    }
  }
};

TEST(Optimizer, TheExampleWorks) {
  const Tensor p = ones({2}, {.requires_grad = true});
  Sgd optimizer({p}, 0.25);
  (p * p).sum().backward();
  optimizer.step();
  EXPECT_TRUE(p.equal(full({2}, 0.5)));
}

/// The memory layout of a parameter and its gradient changes nothing.
TEST(Optimizer, AnyLayout) {
  const Sizes sizes{6, 8};
  const Tensor gradients = uniform({5, 6, 8}, float32, 3);
  const Tensor expected = parameter(sizes);
  optim::AdamW plain({expected}, {.amsgrad = true});
  train(plain, expected, gradients, 20);
  const auto expect_same = [&](const std::string& how, const Tensor& place, const auto& grad) {
    SCOPED_TRACE(how);
    place.copy_(uniform(sizes, float32, 1));
    const Tensor p = place.detach().requires_grad_();
    optim::AdamW optimizer({p}, {.amsgrad = true});
    for (std::int64_t t = 0; t < 20; ++t) {
      p.mutable_grad() = grad(gradients[t % 5]);
      optimizer.step();
    }
    EXPECT_TRUE(p.equal(expected));
    EXPECT_TRUE(optimizer.state(p)["exp_avg"].equal(plain.state(expected)["exp_avg"]));
  };
  const auto same = [](const Tensor& grad) { return grad.clone(); };
  const auto turned = [](const Tensor& grad) { return grad.t().contiguous().t(); };
  const Tensor wide = zeros({12, 8});
  expect_same("turned", zeros({8, 6}).t(), same);
  expect_same("both turned", zeros({8, 6}).t(), turned);
  expect_same("gradient turned", zeros(sizes), turned);
  expect_same("every other row", wide.slice(0, {}, {}, 2), same);
  expect_same("not aligned", zeros({49}).slice(0, 1).view(sizes), same);
  EXPECT_TRUE(wide.slice(0, 1, {}, 2).equal(zeros(sizes)));
}

TEST(Optimizer, ManyParametersOfAllSizes) {
  std::vector<Tensor> together, alone;
  std::vector<Sizes> shapes = {{0}, {}, {1}, {8191}, {3, 0}, {8192}, {8193}, {20'000}, {7}, {0, 2}};
  for (unsigned i = 0; i < shapes.size(); ++i) {
    together.push_back(parameter(shapes[i], i + 1));
    alone.push_back(parameter(shapes[i], i + 1));
  }
  optim::AdamW one(together);
  for (const Tensor& p : together) p.mutable_grad() = uniform(p.sizes(), float32, 50);
  one.step();
  one.step();
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    optim::AdamW each({alone[i]});
    alone[i].mutable_grad() = uniform(shapes[i], float32, 50);
    each.step();
    each.step();
    EXPECT_TRUE(together[i].equal(alone[i])) << to_string(shapes[i]);
    EXPECT_EQ(one.state(together[i])["step"].item<double>(), 2);
  }
}

TEST(Optimizer, StatesHaveTheDtypeOfTheParameter) {
  for (const Dtype dtype : {float64, float32, float16, bfloat16}) {
    const Tensor p = parameter({2000}, 1, dtype);
    optim::AdamW optimizer({p}, {.lr = 0.25});
    p.mutable_grad() = ones({2000}, {.dtype = dtype});
    const Tensor before = p.detach().to(float64).clone();
    optimizer.step();
    EXPECT_EQ(optimizer.state(p)["exp_avg"].dtype(), dtype);
    const Tensor expected = (before * (1 - 0.25 * 0.01) - 0.25).to(dtype);
    EXPECT_TRUE(p.detach().to(float64).allclose(expected.to(float64), dtype == bfloat16 ? 1e-2 : 1e-3, 1e-3));
  }
}

TEST(Optimizer, TellsTheGraphOfItsChanges) {
  const Tensor p = parameter({3});
  const Tensor loss = (p * p).sum();
  optim::SGD optimizer({p}, {.lr = 0.1});
  p.mutable_grad() = ones({3});
  optimizer.step();
  EXPECT_PROBLEM(loss.backward(), "in place");
}

TEST(Optimizer, Refuses) {
  const Tensor p = parameter({3});
  EXPECT_PROBLEM(optim::SGD(std::vector<Tensor>{}, {.lr = 0.1}), "SGD: there are no parameters to optimize");
  EXPECT_PROBLEM(optim::SGD({p}, {}), "required option lr");
  EXPECT_PROBLEM(optim::SGD({p}, {.lr = -1}), "SGD: lr must be at least 0, not -1");
  EXPECT_PROBLEM(optim::SGD({p}, {.lr = 1, .momentum = -1}), "momentum must be at least 0");
  EXPECT_PROBLEM(optim::SGD({p}, {.lr = 1, .nesterov = true}), "nesterov");
  EXPECT_PROBLEM(optim::SGD({p, p}, {.lr = 1}), "appears twice");
  EXPECT_PROBLEM(optim::SGD({{.params = {p}}, {.params = {p}}}, {.lr = 1}), "appears twice");
  EXPECT_PROBLEM(optim::SGD({p * 2}, {.lr = 1}), "non-leaf tensor, the result of mul");
  EXPECT_PROBLEM(optim::SGD({tensor({1, 2})}, {.lr = 1}), "the dtype of a parameter");
  EXPECT_PROBLEM(optim::SGD({Tensor()}, {.lr = 1}), "undefined");
  EXPECT_PROBLEM(optim::SGD({zeros({1}).expand({3})}, {.lr = 1}), "SGD: ");
  EXPECT_PROBLEM(optim::SGD({{.params = {p}, .options = {{"beta", 1}}}}, {.lr = 1}), "unknown option, beta");
  EXPECT_PROBLEM(optim::Adam({p}, {.betas = {0.9, 1}}), "Adam: betas[1] must be in [0, 1), not 1");
  EXPECT_PROBLEM(optim::AdamW({p}, {.eps = -1}), "AdamW: eps must be at least 0");
  EXPECT_PROBLEM(optim::Adagrad({p}, {.lr_decay = -1}), "lr_decay");
  EXPECT_PROBLEM(optim::RMSprop({p}, {.alpha = -1}), "alpha");
  EXPECT_PROBLEM(optim::NAdam({p}, {.momentum_decay = -1}), "NAdam: momentum_decay must be at least 0");
  EXPECT_PROBLEM(optim::NAdam({p}, {.betas = {1, 0.9}}), "NAdam: betas[0] must be in [0, 1)");
  EXPECT_PROBLEM(optim::RAdam({p}, {.betas = {0.9, 1}}), "RAdam: betas[1] must be in [0, 1)");
  EXPECT_PROBLEM(optim::RAdam({p}, {.eps = -1}), "RAdam: eps must be at least 0");
  EXPECT_PROBLEM(optim::Lion({p}, {.weight_decay = -1}), "Lion: weight_decay must be at least 0");
  EXPECT_PROBLEM(optim::Lion({p}, {.betas = {0.9, 1}}), "Lion: betas[1] must be in [0, 1)");
  EXPECT_PROBLEM(optim::Adafactor({p}, {.decay_rate = 0.8}), "decay_rate must be at most 0, not 0.8");
  EXPECT_PROBLEM(optim::Adafactor({p}, {.lr = 1, .warmup_init = true}), "warmup_init");
  EXPECT_PROBLEM(optim::Adafactor({{.params = {p}, .options = {{"lr", 1}}}}), "relative_step");

  optim::Adam optimizer({p});
  EXPECT_PROBLEM(optimizer.param_groups()[0]["momentum"], "one of amsgrad, betas, eps, lr");
  EXPECT_PROBLEM(optimizer.add_param_group({{parameter({2})}, {{"lr", -1.}}}), "lr must be at least 0");
  EXPECT_PROBLEM(optimizer.state(parameter({2})), "not one of the parameters");
  EXPECT_PROBLEM(optimizer.add_param_group({{p}}), "appears twice");
  EXPECT_EQ(optimizer.param_groups().size(), 1U);
  const Tensor before = p.detach().clone();
  for (const Tensor& grad : {ones({4}), ones({3}, {.dtype = float64})}) {
    p.mutable_grad() = grad;
    EXPECT_PROBLEM(optimizer.step(), "Adam: the gradient of a parameter must be float32 of shape [3] on ");
    EXPECT_TRUE(p.equal(before));
  }
  if (p.is_cuda()) {
    p.mutable_grad() = ones({3}, {.device = cpu});
    EXPECT_PROBLEM(optimizer.step(), "on cuda:0, not float32 of shape [3] on cpu");
  }
}

TEST(Optimizer, RefusesStatesThatDoNotFit) {
  const Tensor p = parameter({3}), before = p.detach().clone();
  optim::Adam optimizer({p});
  p.mutable_grad() = ones({3});
  optimizer.state(p)["exp_avg"] = zeros({2});
  EXPECT_PROBLEM(optimizer.step(), "exp_avg must be like its parameter");
  optimizer.state(p)["exp_avg"] = zeros({3});
  optimizer.state(p)["step"] = zeros({0});
  EXPECT_PROBLEM(optimizer.step(), "one float32 element");
  for (const double count : {-1., double(NAN)}) {
    optimizer.state(p)["step"] = full({}, count, {.dtype = float32, .device = cpu});
    EXPECT_PROBLEM(optimizer.step(), "the step count must be 0 or more");
  }
  EXPECT_TRUE(p.equal(before));
}

TEST(Optimizer, OptionsAreNumbersOrPairs) {
  const Tensor p = parameter({3});
  optim::AdamW optimizer({p}, {.betas = {0.8, 0.9}});
  optim::ParamGroup& group = optimizer.param_groups()[0];
  EXPECT_EQ(group["betas"][0], 0.8);
  EXPECT_EQ(group["betas"][1], 0.9);
  group["betas"] = {0.5, 0.6};
  EXPECT_EQ(group["betas"][1], 0.6);
  EXPECT_PROBLEM(double(group["betas"]), "one number");
  EXPECT_PROBLEM(group["lr"][0], "only if it is a pair");
  EXPECT_PROBLEM(group["betas"][2], "only if it is a pair");
  EXPECT_EQ(group["lr"] * 2, 2e-3);
}

TEST(Optimizer, KeepsNothingForAParameterFromOneBefore) {
  const Tensor kept = parameter({1});
  optim::SGD optimizer({kept}, {.lr = 1, .momentum = 0.9});
  const auto stepped = [&](double gradient) {
    Tensor p = zeros({2}).requires_grad_();
    optimizer.add_param_group({.params = {p}});
    p.mutable_grad() = full({2}, gradient);
    optimizer.step();
    optimizer.param_groups().pop_back();
    return p.detach();
  };
  for (int i = 0; i < 50; ++i) {
    stepped(100);
    EXPECT_TRUE(stepped(1).equal(full({2}, -1.)));
  }
}

TEST(Optimizer, WithoutDecayAnInfiniteParameterStays) {
  const auto expect_infinite = [](auto&& make) {
    const Tensor p = full({20}, -std::numeric_limits<double>::infinity()).requires_grad_();
    p.mutable_grad() = zeros({20});
    make(p)->step();
    EXPECT_TRUE(p.equal(full({20}, -std::numeric_limits<double>::infinity())));
  };
  expect_infinite([](const Tensor& p) {
    return std::make_unique<optim::SGD>(optim::Params{p}, optim::SGDOptions{.lr = 1});
  });
  expect_infinite([](const Tensor& p) { return std::make_unique<optim::Adagrad>(optim::Params{p}); });
  expect_infinite([](const Tensor& p) { return std::make_unique<optim::RMSprop>(optim::Params{p}); });
  expect_infinite([](const Tensor& p) { return std::make_unique<optim::Adam>(optim::Params{p}); });
}

}  // namespace
}  // namespace lectern
