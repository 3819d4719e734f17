#include <gtest/gtest.h>

#include "autograd/grad_mode.h"
#include "ops/compare.h"
#include "ops/expect_error.h"
#include "optim/adafactor.h"
#include "optim/adagrad.h"
#include "optim/adam.h"
#include "optim/lion.h"
#include "optim/muon.h"
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

/// A copy that shares nothing, as one read from a file.
StateDict kept(const StateDict& dict) {
  StateDict copy;
  for (const auto& [name, tensor] : dict) copy.insert(name, tensor.clone());
  return copy;
}

std::vector<std::string> names(const StateDict& dict) {
  std::vector<std::string> found;
  for (const auto& [name, tensor] : dict) found.push_back(name);
  return found;
}

/// 10 steps, then 10 more by another optimizer that has taken over the state: the same bits as 20.
template <typename Optimizer, typename Options>
void expect_resumes(const Options& options) {
  const Tensor gradients = uniform({7, 5, 4}, float32, 3);
  const Tensor p = parameter({5, 4}), q = parameter({5, 4});
  Optimizer whole({p}, options), first({q}, options);
  train(whole, p, gradients, 20);
  train(first, q, gradients, 10);
  const StateDict saved = kept(first.state_dict());
  const Tensor r = q.detach().clone().requires_grad_();
  Optimizer second({r}, {.lr = 7});
  second.load_state_dict(saved);
  train(second, r, gradients, 10, 10);
  EXPECT_TRUE(test::same_bits(r.detach(), p.detach()));
  train(first, q, gradients, 10, 10);
  EXPECT_TRUE(test::same_bits(q.detach(), p.detach()));
}

TEST(OptimizerStateDict, ResumesWithTheSameBits) {
  expect_resumes<optim::SGD>(optim::SGDOptions{.lr = 0.1, .momentum = 0.9, .dampening = 0.1});
  expect_resumes<optim::Adagrad>(optim::AdagradOptions{.lr = 0.1, .lr_decay = 0.1});
  expect_resumes<optim::RMSprop>(optim::RMSpropOptions{.lr = 0.1, .momentum = 0.9, .centered = true});
  expect_resumes<optim::Adam>(optim::AdamOptions{.lr = 0.1, .weight_decay = 0.1});
  expect_resumes<optim::Adafactor>(optim::AdafactorOptions{.lr = 0.1, .beta1 = 0.9});
  expect_resumes<optim::AdamW>(optim::AdamWOptions{.lr = 0.1, .amsgrad = true});
  expect_resumes<optim::NAdam>(optim::NAdamOptions{.lr = 0.1, .momentum_decay = 0.1});
  expect_resumes<optim::RAdam>(optim::RAdamOptions{.lr = 0.1, .betas = {0.9, 0.8}});
  expect_resumes<optim::Lion>(optim::LionOptions{.lr = 0.1, .weight_decay = 0.1});
  expect_resumes<optim::Muon>(optim::MuonOptions{.lr = 0.1});
}

TEST(OptimizerStateDict, IsFlat) {
  const Tensor a = parameter({2}), b = parameter({3}), c = parameter({4});
  optim::AdamW optimizer({{.params = {a, b}}, {.params = {c}, .options = {{"weight_decay", 0.}}}});
  for (const Tensor& p : {b, c}) p.mutable_grad() = ones_like(p);
  optimizer.step();
  const StateDict dict = optimizer.state_dict();
  EXPECT_EQ(names(dict), (std::vector<std::string>{"state.1.exp_avg",
                                                   "state.1.exp_avg_sq",
                                                   "state.1.step",
                                                   "state.2.exp_avg",
                                                   "state.2.exp_avg_sq",
                                                   "state.2.step",
                                                   "param_groups.0.amsgrad",
                                                   "param_groups.0.betas",
                                                   "param_groups.0.eps",
                                                   "param_groups.0.lr",
                                                   "param_groups.0.maximize",
                                                   "param_groups.0.weight_decay",
                                                   "param_groups.0.params",
                                                   "param_groups.1.amsgrad",
                                                   "param_groups.1.betas",
                                                   "param_groups.1.eps",
                                                   "param_groups.1.lr",
                                                   "param_groups.1.maximize",
                                                   "param_groups.1.weight_decay",
                                                   "param_groups.1.params"}));
  EXPECT_EQ(dict.at("param_groups.0.lr").item<double>(), 1e-3);
  EXPECT_EQ(dict.at("param_groups.0.lr").dtype(), float64);
  EXPECT_EQ(dict.at("param_groups.0.amsgrad").dtype(), bool_);
  EXPECT_TRUE(dict.at("param_groups.0.betas").equal(tensor({0.9, 0.999}, {.dtype = float64, .device = cpu})));
  EXPECT_TRUE(dict.at("param_groups.1.params").equal(tensor({2}, {.device = cpu})));
  EXPECT_EQ(dict.at("state.1.step").item<double>(), 1);
  EXPECT_EQ(dict.at("state.1.exp_avg").sizes(), Sizes{3});
}

TEST(OptimizerStateDict, TakesCopiesOfTheParametersDtype) {
  const Tensor p = parameter({3}), q = parameter({3}, 1, bfloat16);
  optim::Adam from({p}), to({q});
  p.mutable_grad() = ones({3});
  from.step();
  to.load_state_dict(from.state_dict());
  EXPECT_EQ(to.state(q)["exp_avg"].dtype(), bfloat16);
  EXPECT_EQ(to.state(q)["step"].dtype(), float32);
  from.step();
  EXPECT_EQ(to.state(q)["step"].item<double>(), 1);
}

TEST(OptimizerStateDict, AProductOfMomentaStaysANumberOnTheCpu) {
  const Tensor p = parameter({3}), q = parameter({3}, 1, bfloat16);
  optim::NAdam from({p}), to({q});
  p.mutable_grad() = ones({3});
  from.step();
  from.step();
  to.load_state_dict(from.state_dict());
  const Tensor product = to.state(q)["mu_product"];
  EXPECT_EQ(product.dtype(), float32);
  EXPECT_TRUE(product.device().is_cpu());
  EXPECT_EQ(product.item<float>(), from.state(p)["mu_product"].item<float>());
}

TEST(OptimizerStateDict, ARateThatWasAWholeNumberBecomesAFraction) {
  const Tensor p = parameter({3}), q = parameter({3});
  optim::SGD from({p}, {.lr = 0.25}), to({{.params = {q}, .options = {{"lr", 1}, {"nesterov", false}}}}, {});
  to.load_state_dict(from.state_dict());
  EXPECT_EQ(double(to.param_groups()[0]["lr"]), 0.25);
  to.param_groups()[0]["lr"] = 2;
  from.load_state_dict(to.state_dict());
  EXPECT_EQ(double(from.param_groups()[0]["lr"]), 2);
}

TEST(OptimizerStateDict, NumbersOfOtherDtypesAreConverted) {
  const Tensor p = parameter({3}), q = parameter({3});
  optim::Adam from({p}), to({q});
  p.mutable_grad() = q.mutable_grad() = ones({3});
  from.step();
  StateDict integers;  // as a PyTorch before 1.12 counted steps
  for (const auto& [name, tensor] : from.state_dict())
    integers.insert(name, name.starts_with("state.") ? tensor.to(int64) : tensor);
  to.load_state_dict(integers);
  EXPECT_EQ(to.state(q)["exp_avg"].dtype(), float32);
  EXPECT_EQ(to.state(q)["step"].dtype(), float32);
  to.step();
  EXPECT_EQ(to.state(q)["step"].item<double>(), 2);
}

TEST(OptimizerStateDict, ListsWhatDoesNotFit) {
  const Tensor p = parameter({3}), q = parameter({3});
  optim::Adam optimizer({p, q}, {.lr = 0.5});
  p.mutable_grad() = q.mutable_grad() = ones({3});
  optimizer.step();
  const StateDict good = kept(optimizer.state_dict());
  const auto changed = [&](const std::string& without, const StateDict& more) {
    StateDict made;
    for (const auto& [name, tensor] : good) {
      if (name != without && !more.contains(name)) made.insert(name, tensor);
    }
    for (const auto& [name, tensor] : more) made.insert(name, tensor);
    return made;
  };
  const auto refuses = [&](const StateDict& dict, const std::string& message) {
    EXPECT_PROBLEM(optimizer.load_state_dict(dict), message);
    EXPECT_EQ(double(optimizer.param_groups()[0]["lr"]), 0.5);
    EXPECT_TRUE(optimizer.state(p)["exp_avg"].equal(good.at("state.0.exp_avg")));
  };
  const Tensor new_lr = full({}, 7., {.dtype = float64});
  refuses(changed("param_groups.0.eps", {{"param_groups.0.lr", new_lr}}),
          "Adam.load_state_dict: param_groups.0.eps is missing");
  refuses(changed("state.1.step", {{"param_groups.0.lr", new_lr}}), "state.1.step is missing");
  refuses(changed("", {{"state.0.exp_avg", zeros({4})}, {"state.1.exp_avg", zeros({2})}}),
          "state.0.exp_avg has shape [4], not [3]; state.1.exp_avg has shape [2], not [3]");
  refuses(changed("", {{"state.2.exp_avg", zeros({3})}}), "state.2.exp_avg is unknown to this");
  refuses(changed("", {{"state.0.sum", zeros({3})}}), "state.0.sum is unknown to this");
  refuses(changed("", {{"state.x.sum", zeros({3})}}), "state.x.sum is unknown to this");
  refuses(changed("", {{"lr", new_lr}}), "lr is unknown to this");
  refuses(changed("", {{"param_groups.1.lr", new_lr}}), "param_groups.1.lr is unknown to this");
  refuses(changed("", {{"param_groups.0.momentum", new_lr}}), "momentum is unknown to this");
  refuses(changed("", {{"param_groups.0.lr", zeros({2})}}), "param_groups.0.lr has shape [2]");
  refuses(changed("", {{"param_groups.0.params", zeros({3})}}), "group 0 has 2 parameters, 3 were saved");
  refuses(changed("", {{"param_groups.0.lr", full({}, -1.)}}), "lr must be at least 0");
  for (const auto& [count, said] :
       {std::pair(-1., "-1.0"), std::pair(double(NAN), "nan"), std::pair(1.5, "1.5")}) {
    refuses(changed("", {{"state.1.step", full({}, count)}}), std::string("state.1.step is ") + said);
  }
  optimizer.load_state_dict(changed("", {{"param_groups.0.lr", new_lr}}));
  EXPECT_EQ(double(optimizer.param_groups()[0]["lr"]), 7);
}

TEST(OptimizerStateDict, ACountWithoutWhatItCountsIsRefused) {
  const Tensor p = parameter({3});
  optim::SGD optimizer({p}, {.lr = 0.5});
  StateDict stray = kept(optimizer.state_dict());
  stray.insert("state.0.step", full({}, 3.));
  EXPECT_PROBLEM(optimizer.load_state_dict(stray), "state.0.step is present without the other states");
}

TEST(OptimizerState, BeginsWithItsCount) {
  const Tensor p = parameter({1}, 0), q = parameter({1}, 0);
  optim::SGD used({p}, {.lr = 1, .momentum = 0.5, .dampening = 0.5}),
      fresh({q}, {.lr = 1, .momentum = 0.5, .dampening = 0.5});
  p.mutable_grad() = q.mutable_grad() = ones({1});
  used.step();
  used.state(p).erase("momentum_buffer");
  {
    const NoGradGuard no_grad;
    p.copy_(q);
  }
  used.step();
  fresh.step();
  EXPECT_TRUE(p.equal(q));  // without dampening, as a first step
}

TEST(OptimizerState, IsTakenBackAfterOptionsWereSwitched) {
  const auto expect_taken_back = [](const auto& make, const char* option, double before, double after) {
    const Tensor p = parameter({3});
    const auto optimizer = make(p);
    optimizer->param_groups()[0][option] = before;
    p.mutable_grad() = ones({3});
    optimizer->step();
    optimizer->param_groups()[0][option] = after;
    const StateDict saved = optimizer->state_dict();
    const auto other = make(p);
    other->load_state_dict(saved);
    EXPECT_EQ(other->state_dict().size(), saved.size()) << option;
    optimizer->step();
    other->step();
  };
  const auto sgd = [](const Tensor& p) {
    return std::make_unique<optim::SGD>(optim::Params{p}, optim::SGDOptions{.lr = 0.1});
  };
  const auto adam = [](const Tensor& p) { return std::make_unique<optim::Adam>(optim::Params{p}); };
  const auto rmsprop = [](const Tensor& p) { return std::make_unique<optim::RMSprop>(optim::Params{p}); };
  const auto adafactor = [](const Tensor& p) { return std::make_unique<optim::Adafactor>(optim::Params{p}); };
  for (const auto& [before, after] : {std::pair(0., 0.9), std::pair(0.9, 0.)}) {
    expect_taken_back(sgd, "momentum", before, after);
    expect_taken_back(rmsprop, "momentum", before, after);
    expect_taken_back(adafactor, "beta1", before, after);
  }
  for (const auto& [before, after] : {std::pair(0., 1.), std::pair(1., 0.)}) {
    expect_taken_back(adam, "amsgrad", before, after);
    expect_taken_back(rmsprop, "centered", before, after);
  }
}

}  // namespace
}  // namespace lectern
