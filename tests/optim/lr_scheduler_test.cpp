#include "optim/lr_scheduler.h"

#include <cmath>

#include <gtest/gtest.h>

#include "ops/expect_error.h"
#include "ops/torch_reference.h"
#include "optim/sgd.h"
#include "optim/training.h"

namespace lectern {
namespace {

using test::In;
using test::Out;

constexpr int kEpochs = 40;

/// The rates that PyTorch's scheduler of the optimizer o, torch.optim.SGD with lr=0.5, sets in 40 steps; a
/// few roundings more, since it multiplies from step to step.
test::TorchRow row(const std::string& torch,
                   const std::function<std::unique_ptr<optim::LRScheduler>(optim::Optimizer&)>& make) {
  return {"(lambda o: (lambda s: torch.tensor([(s.get_last_lr()[0], o.step(), s.step())[0] for t in range(" +
              std::to_string(kEpochs) + ")], dtype=torch.float64))(" + torch +
              "))(torch.optim.SGD([a.requires_grad_()], lr=0.5))",
          {{1}},
          {float64},
          [=](const In& in) {
            optim::SGD optimizer({in[0].clone()}, {.lr = 0.5});
            const auto scheduler = make(optimizer);
            const Tensor rates = empty({kEpochs}, {.dtype = float64, .device = cpu});
            for (int step = 0; step < kEpochs; ++step) {
              EXPECT_EQ(double(optimizer.param_groups()[0]["lr"]), scheduler->get_last_lr()[0]);
              rates.data<double>()[step] = scheduler->get_last_lr()[0];
              scheduler->step();
            }
            return Out{rates};
          },
          256,
          16,
          false};
}

TEST(TorchSchedules, Rates) {
  const auto schedule = [](const optim::Schedule& of) {
    return [of](optim::Optimizer& optimizer) { return std::make_unique<optim::LRScheduler>(optimizer, of); };
  };
  const std::string rates = "torch.optim.lr_scheduler.";
  test::expect_as_torch({
      row(rates + "ConstantLR(o, 0.25, 7)", schedule(optim::constant_lr(0.25, 7))),
      row(rates + "StepLR(o, 6, 0.5)", schedule(optim::step_lr(6, 0.5))),
      row(rates + "LinearLR(o, 0.1, 0.7, 15)", schedule(optim::linear_lr(0.1, 0.7, 15))),
      row(rates + "CosineAnnealingLR(o, 40, 0.1)", schedule(optim::cosine_annealing_lr(40, 0.1))),
      row(rates + "LambdaLR(o, lambda t: 1 / (1 + t))",
          [](optim::Optimizer& optimizer) {
            return std::make_unique<optim::LambdaLR>(
                optimizer, [](std::int64_t step) { return 1 / (1 + static_cast<double>(step)); });
          }),
      row(rates + "SequentialLR(o, [" + rates + "LinearLR(o, 0.1, 1, 10), " + rates +
              "CosineAnnealingLR(o, 30, 0.05)], [10])",
          schedule(optim::linear_warmup_cosine(
              {.warmup_steps = 10, .total_steps = 40, .min_lr = 0.05, .start_factor = 0.1}))),
  });
}

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
                 "1 rates, not 2");
  EXPECT_PROBLEM(again.load_state_dict({{"last_epoch", tensor(1)}}), "base_lrs");
  EXPECT_PROBLEM(again.load_state_dict({{"last_epoch", tensor(-1)}, {"base_lrs", zeros({1})}}),
                 "last_epoch must be at least 0, not -1");
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
}

TEST(LRScheduler, SaysWhenAGroupWasTakenAway) {
  const Tensor p = test::parameter({2}), q = test::parameter({2});
  optim::SGD optimizer({p}, {.lr = 1});
  optimizer.add_param_group({.params = {q}});
  optim::StepLR scheduler(optimizer, 1);
  optimizer.param_groups().pop_back();
  EXPECT_PROBLEM(scheduler.step(), "the number of parameter groups must be at least 2, not 1");
}

}  // namespace
}  // namespace lectern
