// The rates that schedulers set, beside PyTorch's.
#include <gtest/gtest.h>

#include "ops/torch_reference.h"
#include "optim/adam.h"
#include "optim/lr_scheduler.h"
#include "optim/one_cycle_lr.h"
#include "optim/reduce_lr_on_plateau.h"
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

TEST(TorchSchedules, MoreRates) {
  const auto schedule = [](const optim::Schedule& of) {
    return [of](optim::Optimizer& optimizer) { return std::make_unique<optim::LRScheduler>(optimizer, of); };
  };
  const std::string rates = "torch.optim.lr_scheduler.";
  test::expect_as_torch({
      row(rates + "ExponentialLR(o, 0.9)", schedule(optim::exponential_lr(0.9))),
      row(rates + "MultiStepLR(o, [4, 9, 9, 30], 0.5)", schedule(optim::multi_step_lr({30, 9, 4, 9}, 0.5))),
      row(rates + "PolynomialLR(o, 12, 1.5)", schedule(optim::polynomial_lr(12, 1.5))),
      row(rates + "PolynomialLR(o)", schedule(optim::polynomial_lr())),
      row(rates + "CosineAnnealingWarmRestarts(o, 7)", schedule(optim::cosine_annealing_warm_restarts(7))),
      row(rates + "CosineAnnealingWarmRestarts(o, 3, 2, 0.05)",
          schedule(optim::cosine_annealing_warm_restarts(3, 2, 0.05))),
      row(rates + "SequentialLR(o, [" + rates + "ConstantLR(o, 0.1, 100), " + rates +
              "ExponentialLR(o, 0.9), " + rates + "StepLR(o, 3, 0.5)], [5, 20])",
          schedule(optim::sequential_lr(
              {optim::constant_lr(0.1, 100), optim::exponential_lr(0.9), optim::step_lr(3, 0.5)}, {5, 20}))),
  });
}

/// "lr", and the first of "betas" or "momentum", that PyTorch's scheduler of the optimizer o sets in 40
/// steps.
test::TorchRow one_cycle_row(const std::string& arguments, const optim::OneCycleOptions& options,
                             bool has_betas) {
  const std::string momentum = has_betas ? "o.param_groups[0]['betas'][0]" : "o.param_groups[0]['momentum']";
  const std::string optimizer =
      has_betas ? "Adam([a.requires_grad_()])" : "SGD([a.requires_grad_()], lr=0.5, momentum=0.9)";
  return {"(lambda o: (lambda s: torch.tensor([[o.param_groups[0]['lr'], " + momentum +
              ", o.step(), t + 1 < " + std::to_string(kEpochs) + " and s.step()][:2] for t in range(" +
              std::to_string(kEpochs) + ")], dtype=torch.float64))(torch.optim.lr_scheduler.OneCycleLR(o, " +
              arguments + ")))(torch.optim." + optimizer + ")",
          {{1}},
          {float64},
          [=](const In& in) {
            const optim::Params params{in[0].clone()};
            const auto of = [&]() -> std::unique_ptr<optim::Optimizer> {
              if (has_betas) return std::make_unique<optim::Adam>(params);
              return std::make_unique<optim::SGD>(params, optim::SGDOptions{.lr = 0.5, .momentum = 0.9});
            }();
            optim::OneCycleLR scheduler(*of, options);
            const Tensor set = empty({kEpochs, 2}, {.dtype = float64, .device = cpu});
            const optim::ParamGroup& group = of->param_groups()[0];
            for (int step = 0; step < kEpochs; ++step) {
              set.data<double>()[2 * step] = group["lr"];
              set.data<double>()[2 * step + 1] = has_betas ? group["betas"][0] : group["momentum"].value();
              if (step + 1 < kEpochs) scheduler.step();
            }
            return Out{set};
          },
          256,
          16,
          false};
}

TEST(TorchSchedules, OneCycle) {
  using Anneal = optim::OneCycleOptions::Anneal;
  test::expect_as_torch({
      one_cycle_row("0.5, total_steps=40", {.max_lr = {0.5}, .total_steps = 40}, false),
      one_cycle_row("0.5, total_steps=40", {.max_lr = {0.5}, .total_steps = 40}, true),
      one_cycle_row("0.5, total_steps=50, pct_start=0.25, anneal_strategy='linear', div_factor=10",
                    {.max_lr = {0.5},
                     .total_steps = 50,
                     .pct_start = 0.25,
                     .anneal_strategy = Anneal::linear,
                     .div_factor = 10},
                    true),
      one_cycle_row("0.5, total_steps=40, three_phase=True, final_div_factor=100, base_momentum=0.7, "
                    "max_momentum=0.99",
                    {.max_lr = {0.5},
                     .total_steps = 40,
                     .base_momentum = 0.7,
                     .max_momentum = 0.99,
                     .final_div_factor = 100,
                     .three_phase = true},
                    false),
      one_cycle_row("0.5, total_steps=40, cycle_momentum=False",
                    {.max_lr = {0.5}, .total_steps = 40, .cycle_momentum = false}, true),
  });
}

TEST(TorchSchedules, Chained) {
  const std::string rates = "torch.optim.lr_scheduler.";
  const std::string chain = rates + "ChainedScheduler([" + rates + "ConstantLR(o, 0.1, 6), " + rates +
                            "ExponentialLR(o, 0.9), " + rates + "StepLR(o, 9, 0.5)])";
  test::expect_as_torch(
      {{"(lambda o: (lambda s: torch.tensor([(o.param_groups[0]['lr'], o.step(), s.step())[0] for t in "
        "range(" +
            std::to_string(kEpochs) + ")], dtype=torch.float64))(" + chain +
            "))(torch.optim.SGD([a.requires_grad_()], lr=0.5))",
        {{1}},
        {float64},
        [](const In& in) {
          optim::SGD optimizer({in[0].clone()}, {.lr = 0.5});
          optim::ConstantLR constant(optimizer, 0.1, 6);
          optim::ExponentialLR exponential(optimizer, 0.9);
          optim::StepLR steps(optimizer, 9, 0.5);
          optim::ChainedScheduler chained({&constant, &exponential, &steps});
          const Tensor set = empty({kEpochs}, {.dtype = float64, .device = cpu});
          for (int step = 0; step < kEpochs; ++step) {
            set.data<double>()[step] = optimizer.param_groups()[0]["lr"];
            EXPECT_EQ(chained.get_last_lr()[0], set.data<double>()[step]);
            chained.step();
          }
          return Out{set};
        },
        256,
        16,
        false}});
}

// The rates of restarts follow from the step alone, whatever another scheduler did before.
TEST(TorchSchedules, RestartsOverwriteRates) {
  using Schedulers = std::vector<std::unique_ptr<optim::LRScheduler>>;
  const auto restarts = [](Schedulers& made, optim::Optimizer& optimizer) {
    made.push_back(std::make_unique<optim::CosineAnnealingWarmRestarts>(optimizer, 5, 2, 0.01));
  };
  const auto decay = [](Schedulers& made, optim::Optimizer& optimizer) {
    made.push_back(std::make_unique<optim::ExponentialLR>(optimizer, 0.9));
  };
  const std::string rates = "torch.optim.lr_scheduler.",
                    torch_restarts = rates + "CosineAnnealingWarmRestarts(o, 5, 2, 0.01)",
                    torch_decay = rates + "ExponentialLR(o, 0.9)";
  std::vector<test::TorchRow> rows;
  for (const bool restarts_first : {true, false}) {
    const std::string schedulers =
        restarts_first ? torch_restarts + ", " + torch_decay : torch_decay + ", " + torch_restarts;
    rows.push_back(
        {"(lambda o: (lambda s: torch.tensor([(o.param_groups[0]['lr'], o.step(), [each.step() for each in "
         "s])[0] for t in range(" +
             std::to_string(kEpochs) + ")], dtype=torch.float64))([" + schedulers +
             "]))(torch.optim.SGD([a.requires_grad_()], lr=0.5))",
         {{1}},
         {float64},
         [=](const In& in) {
           optim::SGD optimizer({in[0].clone()}, {.lr = 0.5});
           Schedulers made;
           if (restarts_first) restarts(made, optimizer);
           decay(made, optimizer);
           if (!restarts_first) restarts(made, optimizer);
           const Tensor set = empty({kEpochs}, {.dtype = float64, .device = cpu});
           for (int step = 0; step < kEpochs; ++step) {
             set.data<double>()[step] = optimizer.param_groups()[0]["lr"];
             for (const auto& scheduler : made) scheduler->step();
           }
           return Out{set};
         },
         256,
         16,
         false});
  }
  test::expect_as_torch(rows);
}

/// The rates of 40 steps, with the values (7 t mod 11) / (1 + t / 10) as measured.
test::TorchRow plateau_row(const std::string& arguments, const optim::ReduceLROnPlateauOptions& options) {
  return {
      "(lambda o: (lambda s: torch.tensor([(s.step((7 * t % 11) / (1 + t / 10)), o.param_groups[0]['lr'], "
      "s.num_bad_epochs)[1:] for t in range(" +
          std::to_string(kEpochs) + ")], dtype=torch.float64))(torch.optim.lr_scheduler.ReduceLROnPlateau(o" +
          arguments + ")))(torch.optim.SGD([a.requires_grad_()], lr=0.5))",
      {{1}},
      {float64},
      [=](const In& in) {
        optim::SGD optimizer({in[0].clone()}, {.lr = 0.5});
        optim::ReduceLROnPlateau scheduler(optimizer, options);
        const Tensor set = empty({kEpochs, 2}, {.dtype = float64, .device = cpu});
        for (int t = 0; t < kEpochs; ++t) {
          scheduler.step((7 * t % 11) / (1 + t / 10.));
          set.data<double>()[2 * t] = scheduler.get_last_lr()[0];
          set.data<double>()[2 * t + 1] = static_cast<double>(scheduler.num_bad_epochs());
        }
        return Out{set};
      },
      8,
      0,
      false};
}

TEST(TorchSchedules, ReduceOnPlateau) {
  using Options = optim::ReduceLROnPlateauOptions;
  test::expect_as_torch({
      plateau_row("", {}),
      plateau_row(", patience=2, factor=0.5", {.factor = 0.5, .patience = 2}),
      plateau_row(", mode='max', patience=1, cooldown=3, min_lr=0.01",
                  {.mode = Options::Mode::max, .patience = 1, .cooldown = 3, .min_lr = {0.01}}),
      plateau_row(", patience=0, factor=0.9, threshold=0.5, threshold_mode='abs', eps=0.03",
                  {.factor = 0.9,
                   .patience = 0,
                   .threshold = 0.5,
                   .threshold_mode = Options::ThresholdMode::abs,
                   .eps = 0.03}),
      plateau_row(", mode='max', patience=3, threshold=0.5, threshold_mode='abs'",
                  {.mode = Options::Mode::max,
                   .patience = 3,
                   .threshold = 0.5,
                   .threshold_mode = Options::ThresholdMode::abs}),
  });
}

}  // namespace
}  // namespace lectern
