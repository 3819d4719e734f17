#include <gtest/gtest.h>

#include "ops/torch_reference.h"
#include "optim/adafactor.h"
#include "optim/adagrad.h"
#include "optim/adam.h"
#include "optim/lbfgs.h"
#include "optim/lion.h"
#include "optim/muon.h"
#include "optim/nadam.h"
#include "optim/radam.h"
#include "optim/rmsprop.h"
#include "optim/sgd.h"
#include "optim/training.h"

// 100 steps of each optimizer beside PyTorch's: the parameter and its state.

namespace lectern {
namespace {

using test::In;
using test::Out;

constexpr std::int64_t kSteps = 100;
/// 100 steps round a few times each, PyTorch here and there in another order. Gradients do not depend on the
/// parameter: where they vanish, an optimizer that divides by their size would make one rounding a step in
/// another direction. For the same reason eps is large where there is a decay.
constexpr double kFactor = 128;

/// `make` is PyTorch's optimizer of [p].
test::TorchRow row(const std::string& make, const std::vector<std::string>& states,
                   const std::function<std::unique_ptr<optim::Optimizer>(const Tensor& p)>& ours,
                   std::int64_t steps = kSteps, const std::vector<Dtype>& dtypes = test::kReal) {
  std::string kept;
  for (const std::string& state : states) kept += ", o.state[p]['" + state + "']";
  const std::string expression =
      "(lambda p: (lambda o: ([(setattr(p, 'grad', b[t % 10].clone()), o.step()) for t in range(" +
      std::to_string(steps) + ")], [p" + kept + "])[1])(torch.optim." + make +
      "))(a.clone().requires_grad_())";
  return {expression,
          {{6, 7}, {10, 6, 7}},
          dtypes,
          [=](const In& in) {
            const Tensor p = in[0].clone().requires_grad_();
            const auto optimizer = ours(p);
            test::train(*optimizer, p, in[1], steps);
            Out out{p.detach()};
            for (const std::string& state : states) out.push_back(optimizer->state(p)[state]);
            return out;
          },
          kFactor,
          kFactor,
          false};
}

template <typename Optimizer, typename Options>
auto with(const Options& options) {
  return [=](const Tensor& p) { return std::make_unique<Optimizer>(optim::Params{p}, options); };
}

TEST(TorchOptim, Sgd) {
  const auto sgd = [](const optim::SGDOptions& options) { return with<optim::SGD>(options); };
  const std::vector<std::string> buffer = {"momentum_buffer"};
  test::expect_as_torch({
      row("SGD([p], lr=0.1)", {}, sgd({.lr = 0.1})),
      row("SGD([p], lr=0.1, weight_decay=0.2)", {}, sgd({.lr = 0.1, .weight_decay = 0.2})),
      row("SGD([p], lr=0.1, maximize=True, weight_decay=0.9)", {},
          sgd({.lr = 0.1, .weight_decay = 0.9, .maximize = true})),
      row("SGD([p], lr=0.1, momentum=0.9)", buffer, sgd({.lr = 0.1, .momentum = 0.9})),
      row("SGD([p], lr=0.1, momentum=0.9, dampening=0.5, weight_decay=0.1)", buffer,
          sgd({.lr = 0.1, .momentum = 0.9, .dampening = 0.5, .weight_decay = 0.1})),
      row("SGD([p], lr=0.1, momentum=0.9, nesterov=True, weight_decay=0.1)", buffer,
          sgd({.lr = 0.1, .momentum = 0.9, .weight_decay = 0.1, .nesterov = true})),
      row("SGD([p], lr=0.1, momentum=0.9, nesterov=True)", buffer,
          sgd({.lr = 0.1, .momentum = 0.9, .nesterov = true}), 2, {bfloat16}),
  });
}

TEST(TorchOptim, Adagrad) {
  const auto adagrad = [](const optim::AdagradOptions& options) { return with<optim::Adagrad>(options); };
  const std::vector<std::string> states = {"sum", "step"};
  test::expect_as_torch({
      row("Adagrad([p])", states, adagrad({})),
      row("Adagrad([p], lr=0.1, lr_decay=0.01, eps=0.1, weight_decay=0.1)", states,
          adagrad({.lr = 0.1, .lr_decay = 0.01, .weight_decay = 0.1, .eps = 0.1})),
      row("Adagrad([p], lr=0.1, initial_accumulator_value=0.5, eps=1e-3, maximize=True)", states,
          adagrad({.lr = 0.1, .initial_accumulator_value = 0.5, .eps = 1e-3, .maximize = true})),
      row("Adagrad([p], lr=0.1)", states, adagrad({.lr = 0.1}), 2, {bfloat16}),
  });
}

TEST(TorchOptim, Rmsprop) {
  const auto rmsprop = [](const optim::RMSpropOptions& options) { return with<optim::RMSprop>(options); };
  test::expect_as_torch({
      row("RMSprop([p])", {"square_avg"}, rmsprop({})),
      row("RMSprop([p], alpha=0.9, eps=0.1, weight_decay=0.1)", {"square_avg"},
          rmsprop({.alpha = 0.9, .eps = 0.1, .weight_decay = 0.1})),
      row("RMSprop([p], momentum=0.9, maximize=True)", {"square_avg", "momentum_buffer"},
          rmsprop({.momentum = 0.9, .maximize = true})),
      row("RMSprop([p], centered=True)", {"square_avg", "grad_avg"}, rmsprop({.centered = true})),
      row("RMSprop([p], centered=True, momentum=0.5, eps=0.1, weight_decay=0.1)",
          {"square_avg", "grad_avg", "momentum_buffer"},
          rmsprop({.eps = 0.1, .weight_decay = 0.1, .momentum = 0.5, .centered = true})),
      row("RMSprop([p])", {"square_avg"}, rmsprop({}), 2, {bfloat16}),
  });
}

TEST(TorchOptim, Adam) {
  const auto adam = [](const optim::AdamOptions& options) { return with<optim::Adam>(options); };
  const std::vector<std::string> states = {"exp_avg", "exp_avg_sq", "step"};
  const std::vector<std::string> amsgrad = {"exp_avg", "exp_avg_sq", "max_exp_avg_sq"};
  test::expect_as_torch({
      row("Adam([p])", states, adam({})),
      row("Adam([p], lr=0.01, betas=(0.8, 0.95), eps=0.1, weight_decay=0.1)", states,
          adam({.lr = 0.01, .betas = {0.8, 0.95}, .eps = 0.1, .weight_decay = 0.1})),
      row("Adam([p], lr=0.01, amsgrad=True, maximize=True)", amsgrad,
          adam({.lr = 0.01, .amsgrad = true, .maximize = true})),
      row("Adam([p], lr=0.01)", states, adam({.lr = 0.01}), 2, {bfloat16}),
  });
}

TEST(TorchOptim, AdamW) {
  const auto adamw = [](const optim::AdamWOptions& options) { return with<optim::AdamW>(options); };
  const std::vector<std::string> states = {"exp_avg", "exp_avg_sq", "step"};
  const std::vector<std::string> amsgrad = {"exp_avg", "exp_avg_sq", "max_exp_avg_sq"};
  test::expect_as_torch({
      row("AdamW([p])", states, adamw({})),
      row("AdamW([p], lr=0.01, betas=(0.9, 0.95), eps=1e-6, weight_decay=0.3)", states,
          adamw({.lr = 0.01, .betas = {0.9, 0.95}, .eps = 1e-6, .weight_decay = 0.3})),
      row("AdamW([p], lr=0.01, amsgrad=True)", amsgrad, adamw({.lr = 0.01, .amsgrad = true})),
      row("AdamW([p], lr=0.01)", states, adamw({.lr = 0.01}), 2, {bfloat16}),
  });
}

/// PyTorch has none: beside the formulas in float64.
test::TorchRow adafactor_row(const std::string& arguments, const Sizes& sizes,
                             const std::vector<std::string>& states, const optim::AdafactorOptions& options,
                             std::int64_t steps = kSteps, const std::vector<Dtype>& dtypes = test::kReal) {
  Sizes gradients = sizes;
  gradients.insert(0, 10);
  return {"adafactor(a, b, " + std::to_string(steps) + arguments + ")",
          {sizes, gradients},
          dtypes,
          [=](const In& in) {
            const Tensor p = in[0].clone().requires_grad_();
            optim::Adafactor optimizer({p}, options);
            test::train(optimizer, p, in[1], steps);
            Out out{p.detach()};
            for (const std::string& state : states)
              out.push_back(optimizer.state(p)[state].to(in[0].dtype()));
            return out;
          },
          kFactor,
          kFactor,
          false,
          true};
}

TEST(TorchOptim, Adafactor) {
  const std::vector<std::string> factored = {"exp_avg_sq_row", "exp_avg_sq_col"};
  const std::vector<std::string> averaged = {"exp_avg_sq_row", "exp_avg_sq_col", "exp_avg"};
  test::expect_as_torch({
      adafactor_row("", {6, 7}, factored, {}),
      adafactor_row("", {9}, {"exp_avg_sq"}, {}),
      adafactor_row("", {}, {"exp_avg_sq"}, {}),
      adafactor_row("", {2, 3, 5}, factored, {}),
      adafactor_row(", lr=0.01, scale_parameter=False, beta1=0.9", {6, 7}, averaged,
                    {.lr = 0.01, .beta1 = 0.9, .scale_parameter = false}),
      adafactor_row(", eps=(1e-2, 0.5), clip_threshold=0.3, decay_rate=-0.5, weight_decay=0.1", {6, 7},
                    factored,
                    {.eps = {1e-2, 0.5}, .clip_threshold = 0.3, .decay_rate = -0.5, .weight_decay = 0.1}),
      adafactor_row(", warmup_init=True", {6, 7}, factored, {.warmup_init = true}),
      adafactor_row("", {6, 7}, factored, {}, 2, {bfloat16, float16}),
  });
}

/// What PyTorch 1.13 lacks: beside the formulas of torch_optimizers.py in float64.
template <typename Optimizer, typename Options>
test::TorchRow formula_row(const std::string& call, const std::string& arguments, const Sizes& sizes,
                           const std::vector<std::string>& states, const Options& options,
                           std::int64_t steps = kSteps, const std::vector<Dtype>& dtypes = test::kReal) {
  Sizes gradients = sizes;
  gradients.insert(0, 10);
  return {"optimizers." + call + "(a, b, " + std::to_string(steps) + arguments + ")",
          {sizes, gradients},
          dtypes,
          [=](const In& in) {
            const Tensor p = in[0].clone().requires_grad_();
            Optimizer optimizer({p}, options);
            test::train(optimizer, p, in[1], steps);
            Out out{p.detach()};
            for (const std::string& state : states) out.push_back(optimizer.state(p)[state]);
            return out;
          },
          kFactor,
          kFactor,
          false,
          true};
}

TEST(TorchOptim, NAdam) {
  const std::vector<std::string> states = {"exp_avg", "exp_avg_sq", "mu_product"};
  using optim::NAdam, optim::NAdamOptions;
  test::expect_as_torch({
      formula_row<NAdam>("nadam", "", {6, 7}, states, NAdamOptions{}),
      formula_row<NAdam>(
          "nadam", ", lr=0.01, betas=(0.8, 0.95), eps=0.1, weight_decay=0.1, momentum_decay=0.1", {9}, states,
          NAdamOptions{
              .lr = 0.01, .betas = {0.8, 0.95}, .eps = 0.1, .weight_decay = 0.1, .momentum_decay = 0.1}),
      formula_row<NAdam>("nadam", "", {6, 7}, states, NAdamOptions{}, 2, {bfloat16, float16}),
  });
}

TEST(TorchOptim, RAdam) {
  const auto radam = [](const optim::RAdamOptions& options) { return with<optim::RAdam>(options); };
  const std::vector<std::string> states = {"exp_avg", "exp_avg_sq", "step"};
  test::expect_as_torch({
      row("RAdam([p])", states, radam({})),
      row("RAdam([p], lr=0.01, betas=(0.8, 0.95), eps=0.1, weight_decay=0.1)", states,
          radam({.lr = 0.01, .betas = {0.8, 0.95}, .eps = 0.1, .weight_decay = 0.1})),
      row("RAdam([p], lr=0.01, betas=(0.9, 0.5))", states, radam({.lr = 0.01, .betas = {0.9, 0.5}})),
      row("RAdam([p], lr=0.01)", states, radam({.lr = 0.01}), 2, {bfloat16}),
  });
}

TEST(TorchOptim, Lion) {
  using optim::Lion, optim::LionOptions;
  test::expect_as_torch({
      formula_row<Lion>("lion", "", {6, 7}, {"exp_avg"}, LionOptions{}),
      formula_row<Lion>("lion", ", lr=0.01, betas=(0.8, 0.95), weight_decay=0.3", {9}, {"exp_avg"},
                        LionOptions{.lr = 0.01, .betas = {0.8, 0.95}, .weight_decay = 0.3}),
      // A step: roundings of the average decide the sign of a second step's update where that is nearly 0.
      formula_row<Lion>("lion", ", lr=0.25", {6, 7}, {"exp_avg"}, LionOptions{.lr = 0.25}, 1,
                        {bfloat16, float16}),
  });
}

TEST(TorchOptim, Muon) {
  const std::vector<std::string> states = {"momentum_buffer"};
  using optim::Muon, optim::MuonOptions;
  // Orthogonalising stretches what is small, roundings among it.
  const auto add = [&](std::vector<test::TorchRow>& rows, test::TorchRow of, double factor) {
    of.rtol = of.atol = factor;
    rows.push_back(std::move(of));
  };
  std::vector<test::TorchRow> rows;
  for (const Sizes& sizes : {Sizes{6, 9}, Sizes{9, 4}, Sizes{5, 5}})
    add(rows, formula_row<Muon>("muon", "", sizes, states, MuonOptions{.ns_dtype = float64}, 20), 1024);
  add(rows,
      formula_row<Muon>("muon", ", lr=0.02, weight_decay=0.0, momentum=0.8, nesterov=False, ns_steps=3",
                        {4, 7}, states,
                        MuonOptions{.lr = 0.02,
                                    .weight_decay = 0,
                                    .momentum = 0.8,
                                    .nesterov = false,
                                    .ns_steps = 3,
                                    .ns_dtype = float64},
                        20),
      1024);
  add(rows,
      formula_row<Muon>(
          "muon", ", match_rms_adamw=True, coefficients=(2.0, -1.5, 0.5)", {7, 4}, states,
          MuonOptions{.ns_coefficients = {2, -1.5, 0.5}, .match_rms_adamw = true, .ns_dtype = float64}, 20),
      1024);
  test::expect_as_torch(rows);
}

TEST(TorchOptim, Lbfgs) {
  std::vector<test::TorchRow> rows;
  const auto add = [&](const std::string& arguments, const optim::LBFGSOptions& options, std::int64_t steps) {
    rows.push_back(
        {"optimizers.lbfgs(a.clone(memory_format=torch.contiguous_format).requires_grad_(), b.abs() + 0.5, " +
             std::to_string(steps) + arguments + ")",
         {{3, 5}, {3, 5}},
         {float64},
         [=](const In& in) {
           const Tensor p = in[0].contiguous().clone().requires_grad_(), scales = in[1].abs() + 0.5;
           optim::LBFGS optimizer({p}, options);
           const Tensor losses = empty({steps}, {.dtype = float64, .device = cpu});
           for (std::int64_t t = 0; t < steps; ++t) {
             losses.data<double>()[t] =
                 optimizer.step([&] { return test::winding_loss(optimizer, p, scales); }).item<double>();
           }
           return Out{p.detach(), losses, optimizer.state(p)["func_evals"]};
         },
         // Where it ends is within the tolerances of its steps.
         1 << 22,
         1 << 22,
         false});
  };
  add("", {}, 2);
  add(", lr=0.1", {.lr = 0.1}, 3);
  add(", lr=0.5, max_iter=4, history_size=2", {.lr = 0.5, .max_iter = 4, .history_size = 2}, 4);
  add(", max_iter=3, line_search_fn='strong_wolfe'", {.max_iter = 3, .strong_wolfe = true}, 3);
  add(", lr=20, max_iter=5, max_eval=30, line_search_fn='strong_wolfe'",
      {.lr = 20, .max_iter = 5, .max_eval = 30, .strong_wolfe = true}, 2);
  add(", max_iter=10, tolerance_grad=1e-2", {.max_iter = 10, .tolerance_grad = 1e-2}, 2);
  test::expect_as_torch(rows);
}

}  // namespace
}  // namespace lectern
