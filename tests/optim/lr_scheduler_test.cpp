#include "optim/lr_scheduler.h"

#include <cmath>
#include <memory>

#include <gtest/gtest.h>

#include "ops/expect_error.h"
#include "optim/adagrad.h"
#include "optim/adam.h"
#include "optim/one_cycle_lr.h"
#include "optim/reduce_lr_on_plateau.h"
#include "optim/sgd.h"
#include "optim/training.h"

namespace lectern {
namespace {

TEST(LRScheduler, WarmsUpAndComesDownToTheFloor) {
  const auto rate = optim::linear_warmup_cosine({.warmup_steps = 4, .total_steps = 14, .min_lr = 0.1});
  EXPECT_EQ(rate(0, 1), 0);
  EXPECT_EQ(rate(1, 1), 0.25);
  EXPECT_EQ(rate(4, 1), 1);
  EXPECT_NEAR(rate(9, 1), 0.55, 1e-15);
  EXPECT_NEAR(rate(14, 1), 0.1, 1e-15);
  EXPECT_EQ(rate(15, 1), rate(14, 1));
  EXPECT_EQ(rate(1'000'000, 1), rate(14, 1));
  EXPECT_EQ(optim::linear_warmup_cosine({.warmup_steps = 0, .total_steps = 5})(0, 2), 2);
}

/// Past its end a cosine begins anew from its own base, whatever another scheduler made of the rate before:
/// the rates of PyTorch 1.13.
TEST(LRScheduler, ACosineRisesAgainBesideOthers) {
  const auto expect_rates = [](const auto& first, const auto& second, const std::vector<double>& expected) {
    optim::SGD optimizer({test::parameter({2})}, {.lr = 1});
    const auto one = first(optimizer);
    const auto other = second(optimizer);
    for (const double rate : expected) {
      EXPECT_NEAR(double(optimizer.param_groups()[0]["lr"]), rate, 1e-6);
      one->step();
      other->step();
    }
  };
  using optim::Optimizer, optim::CosineAnnealingLR;
  expect_rates([](Optimizer& o) { return std::make_unique<CosineAnnealingLR>(o, 5, 0.5); },
               [](Optimizer& o) { return std::make_unique<optim::ConstantLR>(o, 0.1, 4); },
               {0.1, 0.138197, 0.238197, 0.361803, 4.618034, 0.5, 0.547746, 0.672746, 0.827254, 0.952254, 1,
                0.952254, 0.827254});
  expect_rates([](Optimizer& o) { return std::make_unique<optim::LinearLR>(o, 0.25, 1, 4); },
               [](Optimizer& o) { return std::make_unique<CosineAnnealingLR>(o, 5, 0.2); },
               {0.25, 0.414821, 0.484089, 0.42662, 0.289847, 0.2, 0.276393, 0.476393, 0.723607, 0.923607, 1,
                0.923607, 0.723607});
  expect_rates([](Optimizer& o) { return std::make_unique<CosineAnnealingLR>(o, 5); },
               [](Optimizer& o) { return std::make_unique<optim::ExponentialLR>(o, 0.9); },
               {1, 0.814058, 0.530152, 0.251863, 0.062652, 0, 0.085942, 0.279848, 0.477137, 0.593448, 0.59049,
                0.480693, 0.313049});
}

TEST(LRScheduler, GroupsKeepTheirProportions) {
  const Tensor p = test::parameter({2}), q = test::parameter({2});
  optim::SGD optimizer({{.params = {p}}, {.params = {q}, .options = {{"lr", 2.}}}}, {.lr = 1});
  optim::StepLR scheduler(optimizer, 1, 0.5);
  scheduler.step();
  EXPECT_EQ(scheduler.get_last_lr(), (std::vector<double>{0.5, 1}));
  optim::LRScheduler own(optimizer, {optim::constant_lr(0.5, 1), optim::constant_lr(1, 1)});
  EXPECT_EQ(own.get_last_lr(), (std::vector<double>{0.25, 1}));
}

TEST(LRScheduler, ResumesFromItsState) {
  const Tensor p = test::parameter({2});
  optim::SGD optimizer({p}, {.lr = 1}), other({p}, {.lr = 3});
  optim::LinearWarmupCosine scheduler(optimizer, {.warmup_steps = 5, .total_steps = 20});
  for (int step = 0; step < 7; ++step) scheduler.step();
  optim::LinearWarmupCosine again(other, {.warmup_steps = 5, .total_steps = 20});
  again.load_state_dict(scheduler.state_dict());
  EXPECT_EQ(again.last_epoch(), 7);
  for (int step = 0; step < 20; ++step) {
    EXPECT_EQ(again.get_last_lr(), scheduler.get_last_lr());
    EXPECT_EQ(double(other.param_groups()[0]["lr"]), again.get_last_lr()[0]);
    again.step();
    scheduler.step();
  }
  EXPECT_PROBLEM(again.load_state_dict({{"last_epoch", tensor(1)}, {"base_lrs", zeros({2})}}),
                 "1 rate, not 2");
  EXPECT_PROBLEM(again.load_state_dict({{"last_epoch", tensor(1)}}), "base_lrs");
  EXPECT_PROBLEM(again.load_state_dict({{"last_epoch", tensor(-1)}, {"base_lrs", zeros({1})}}),
                 "last_epoch must be at least 0, not -1");
}

/// Both set the same rates, and go on doing so, after the second has taken the first's state.
template <typename Scheduler, typename Make>
void expect_same_rates(const Make& make) {
  optim::Adam optimizer({test::parameter({2})}, {.lr = 1}), other({test::parameter({2})}, {.lr = 3});
  const std::unique_ptr<Scheduler> scheduler = make(optimizer);
  for (int step = 0; step < 7; ++step) scheduler->step();
  const std::unique_ptr<Scheduler> again = make(other);
  again->load_state_dict(scheduler->state_dict());
  for (int step = 0; step < 10; ++step) {
    EXPECT_EQ(double(other.param_groups()[0]["lr"]), double(optimizer.param_groups()[0]["lr"]));
    EXPECT_EQ(other.param_groups()[0]["betas"][0], optimizer.param_groups()[0]["betas"][0]);
    EXPECT_EQ(again->get_last_lr(), scheduler->get_last_lr());
    scheduler->step();
    again->step();
  }
}

TEST(LRScheduler, EachResumes) {
  const auto with = [](const optim::Schedule& of) {
    return [of](optim::Optimizer& optimizer) { return std::make_unique<optim::LRScheduler>(optimizer, of); };
  };
  for (const optim::Schedule& schedule :
       {optim::exponential_lr(0.9), optim::multi_step_lr({3, 9}), optim::polynomial_lr(12, 2),
        optim::cosine_annealing_warm_restarts(3, 2),
        optim::sequential_lr({optim::linear_lr(0.1, 1, 5), optim::exponential_lr(0.9)}, {5})})
    expect_same_rates<optim::LRScheduler>(with(schedule));
  expect_same_rates<optim::OneCycleLR>([](optim::Optimizer& optimizer) {
    return std::make_unique<optim::OneCycleLR>(optimizer,
                                               optim::OneCycleOptions{.max_lr = {0.5}, .total_steps = 20});
  });
}

TEST(LRScheduler, ChainsResume) {
  optim::SGD optimizer({test::parameter({2})}, {.lr = 1}), other({test::parameter({2})}, {.lr = 3});
  optim::LinearLR warm_up(optimizer, 0.1, 1, 5), warm_up_again(other, 0.1, 1, 5);
  optim::ExponentialLR falls(optimizer, 0.9), falls_again(other, 0.9);
  optim::ChainedScheduler chained({&warm_up, &falls}), again({&warm_up_again, &falls_again});
  for (int step = 0; step < 4; ++step) chained.step();
  again.load_state_dict(chained.state_dict());
  for (int step = 0; step < 4; ++step) {
    EXPECT_EQ(again.get_last_lr(), chained.get_last_lr());
    chained.step(), again.step();
  }
  EXPECT_PROBLEM(optim::ChainedScheduler({}), "there are no schedulers");
  EXPECT_PROBLEM(optim::ChainedScheduler({nullptr}), "is null");
  EXPECT_PROBLEM(optim::ChainedScheduler({&warm_up, &falls_again}), "of one optimizer");
}

TEST(LRScheduler, APlateauResumes) {
  optim::SGD optimizer({test::parameter({2})}, {.lr = 1}), other({test::parameter({2})}, {.lr = 3});
  const optim::ReduceLROnPlateauOptions options{.patience = 2, .cooldown = 2};
  optim::ReduceLROnPlateau scheduler(optimizer, options), again(other, options);
  for (int step = 0; step < 5; ++step) scheduler.step(1);
  again.load_state_dict(scheduler.state_dict());
  EXPECT_EQ(again.best(), 1);
  EXPECT_EQ(again.last_epoch(), 5);
  for (int step = 0; step < 10; ++step) {
    EXPECT_EQ(again.get_last_lr(), scheduler.get_last_lr());
    scheduler.step(2), again.step(2);
  }
  EXPECT_LT(again.get_last_lr()[0], 0.05);
  StateDict wrong = scheduler.state_dict();
  optim::SGD two({{.params = {test::parameter({2})}}, {.params = {test::parameter({2})}}}, {.lr = 1});
  optim::ReduceLROnPlateau of_two(two);
  EXPECT_PROBLEM(of_two.load_state_dict(wrong), "2 rates, not 1");
}

TEST(LRScheduler, NanIsNotBetter) {
  optim::SGD optimizer({test::parameter({2})}, {.lr = 1});
  optim::ReduceLROnPlateau scheduler(optimizer, {.patience = 0});
  scheduler.step(std::nan(""));
  EXPECT_DOUBLE_EQ(scheduler.get_last_lr()[0], 0.1);
}

double rate_of(optim::Optimizer& optimizer) {
  return optimizer.param_groups()[0]["lr"];
}

TEST(LRScheduler, TwoOfOneOptimizerMultiply) {
  optim::SGD optimizer({test::parameter({2})}, {.lr = 1});
  optim::LinearLR warm_up(optimizer, 0.1, 1, 5);
  optim::StepLR halves(optimizer, 3, 0.5);
  EXPECT_EQ(halves.base_lrs(), (std::vector<double>{1}));
  for (const double rate : {0.1, 0.28, 0.46, 0.32, 0.41, 0.5, 0.25}) {
    EXPECT_NEAR(rate_of(optimizer), rate, 1e-15);
    warm_up.step();
    halves.step();
  }
}

TEST(LRScheduler, TwoOfOneOptimizerResume) {
  optim::SGD optimizer({test::parameter({2})}, {.lr = 1}), other({test::parameter({2})}, {.lr = 3});
  optim::LinearLR warm_up(optimizer, 0.1, 1, 5);
  optim::CosineAnnealingLR falls(optimizer, 8, 0.01);
  for (int step = 0; step < 4; ++step) warm_up.step(), falls.step();
  optim::LinearLR warm_up_again(other, 0.1, 1, 5);
  optim::CosineAnnealingLR falls_again(other, 8, 0.01);
  warm_up_again.load_state_dict(warm_up.state_dict());
  falls_again.load_state_dict(falls.state_dict());
  for (int step = 0; step < 4; ++step) {
    EXPECT_EQ(rate_of(other), rate_of(optimizer));
    warm_up.step(), falls.step(), warm_up_again.step(), falls_again.step();
  }
}

TEST(LRScheduler, GoesOnFromARateThatWasSetByHand) {
  optim::SGD optimizer({test::parameter({2})}, {.lr = 1});
  optim::StepLR scheduler(optimizer, 2, 0.5);
  optimizer.param_groups()[0]["lr"] = 0.3;
  for (const double rate : {0.3, 0.3, 0.15, 0.15, 0.075}) {
    EXPECT_NEAR(rate_of(optimizer), rate, 1e-15);
    scheduler.step();
  }
  optim::LambdaLR own(optimizer, [](std::int64_t step) { return 1.0 / static_cast<double>(1 + step); });
  optimizer.param_groups()[0]["lr"] = 0.3;
  own.step();
  EXPECT_EQ(rate_of(optimizer), 0.5);  // as PyTorch's, of the rate before the first scheduler
}

TEST(LRScheduler, ARateThatWasSetByHandIsSaved) {
  optim::SGD optimizer({test::parameter({2})}, {.lr = 1}), other({test::parameter({2})}, {.lr = 3});
  optim::LinearLR warm_up(optimizer, 0.1, 1, 5), warm_up_again(other, 0.1, 1, 5);
  optim::ExponentialLR falls(optimizer, 0.9), falls_again(other, 0.9);
  for (int step = 0; step < 3; ++step) warm_up.step(), falls.step();
  optimizer.param_groups()[0]["lr"] = 0.3;
  other.load_state_dict(optimizer.state_dict());
  falls_again.load_state_dict(falls.state_dict());
  warm_up_again.load_state_dict(warm_up.state_dict());
  for (int step = 0; step < 4; ++step) {
    EXPECT_EQ(rate_of(other), rate_of(optimizer));
    warm_up.step(), falls.step(), warm_up_again.step(), falls_again.step();
  }
}

TEST(LRScheduler, Refuses) {
  const Tensor p = test::parameter({2});
  optim::SGD optimizer({p}, {.lr = 1});
  EXPECT_PROBLEM(optim::constant_lr(2), "factor");
  EXPECT_PROBLEM(optim::constant_lr(std::nan("")), "factor");
  EXPECT_PROBLEM(optim::linear_lr(-0.5), "start_factor must be in [0, 1], not -0.5");
  EXPECT_PROBLEM(optim::linear_lr(0, std::nan("")), "end_factor");
  EXPECT_PROBLEM(optim::linear_warmup_cosine({.warmup_steps = 1, .total_steps = 5, .start_factor = 2}),
                 "start_factor");
  EXPECT_PROBLEM(optim::step_lr(0), "step_size must be at least 1, not 0");
  EXPECT_PROBLEM(optim::linear_lr(1, 1, 0), "total_iters");
  EXPECT_PROBLEM(optim::cosine_annealing_lr(0), "t_max");
  EXPECT_PROBLEM(optim::linear_warmup_cosine({.warmup_steps = 5, .total_steps = 5}), "total_steps");
  EXPECT_PROBLEM(optim::LRScheduler(optimizer, std::vector<optim::Schedule>{}), "one for each group");
  EXPECT_PROBLEM(optim::polynomial_lr(0), "total_iters must be at least 1, not 0");
  EXPECT_PROBLEM(optim::cosine_annealing_warm_restarts(0), "t_0");
  EXPECT_PROBLEM(optim::cosine_annealing_warm_restarts(3, 0), "t_mult");
  EXPECT_PROBLEM(optim::sequential_lr({optim::exponential_lr(1)}, {3}),
                 "one more than the 1 milestone, not 1");
  EXPECT_PROBLEM(optim::sequential_lr(
                     {optim::exponential_lr(1), optim::exponential_lr(1), optim::exponential_lr(1)}, {3, 3}),
                 "must rise");
  EXPECT_PROBLEM(optim::OneCycleLR(optimizer, {.max_lr = {1}, .total_steps = 0}), "total_steps");
  EXPECT_PROBLEM(optim::OneCycleLR(optimizer, {.max_lr = {1, 2}, .total_steps = 5}),
                 "max_lr must be one rate");
  EXPECT_PROBLEM(optim::OneCycleLR(optimizer, {.max_lr = {1}, .total_steps = 5, .pct_start = 2}),
                 "pct_start");
  optim::Adagrad without({p});
  EXPECT_PROBLEM(optim::OneCycleLR(without, {.max_lr = {1}, .total_steps = 5}), "no momentum to cycle");
  optim::OneCycleLR one_cycle(optimizer, {.max_lr = {1}, .total_steps = 2});
  one_cycle.step(), one_cycle.step();
  EXPECT_PROBLEM(one_cycle.step(), "the step must be at most 2, not 3");
  EXPECT_PROBLEM(optim::ReduceLROnPlateau(optimizer, {.factor = 1}), "the factor must be below 1, not 1");
  EXPECT_PROBLEM(optim::ReduceLROnPlateau(optimizer, {.min_lr = {1, 2}}), "min_lr must be one rate");
}

TEST(LRScheduler, SaysWhenAGroupWasTakenAway) {
  const Tensor p = test::parameter({2}), q = test::parameter({2});
  optim::SGD optimizer({p}, {.lr = 1});
  optimizer.add_param_group({.params = {q}});
  optim::StepLR scheduler(optimizer, 1);
  optimizer.param_groups().pop_back();
  EXPECT_PROBLEM(scheduler.step(), "the number of parameter groups must be at least 2, not 1");
}

// A rise or a fall of no steps, where PyTorch divides by 0.
TEST(OneCycle, PhasesMayBeOfNoSteps) {
  optim::SGD optimizer({test::parameter({2})}, {.lr = 1, .momentum = 0.9});
  optim::OneCycleLR risen(optimizer, {.max_lr = {1}, .total_steps = 10, .pct_start = 0.1});
  EXPECT_EQ(risen.get_last_lr()[0], 1);
  risen.step();
  EXPECT_LT(risen.get_last_lr()[0], 1);
  optim::OneCycleLR rising(optimizer, {.max_lr = {1}, .total_steps = 3, .pct_start = 1});
  rising.step(), rising.step();
  EXPECT_EQ(rising.get_last_lr()[0], 1);
  rising.step();
  EXPECT_NEAR(rising.get_last_lr()[0], 1 / 25e4, 1e-15);
}

}  // namespace
}  // namespace lectern
