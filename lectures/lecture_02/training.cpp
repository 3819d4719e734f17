// Lecture 2, the loop.

#include "training.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <lectern/lecture.h>

#include "cruncher.h"
#include "optimizer.h"
#include "parts.h"

using namespace lectern;

void tuning(const GetBatch&get_batch), stalling(), schedules();

std::vector<double> train(const std::string& name, const GetBatch& get_batch,
                          const Settings& settings) {
  Generator for_init;
  for_init.manual_seed(1);
  Cruncher model(settings.D, settings.num_layers, &for_init);  // @stepover
  SGD optimizer(model.parameters(), settings.lr);
  std::vector<double> losses;
  for (std::int64_t t = 0; t < settings.num_train_steps; ++t) {
    const auto [x, y] = get_batch(settings.B);  // @stepover
    const Tensor pred_y = model(x);             // @stepover
    const Tensor loss =
        mse_loss(pred_y, y);  // @inspect name t loss @tol rel=1e-4 loss
    loss.backward();
    optimizer.step();  // @stepover
    optimizer.zero_grad(/*set_to_none=*/true);
    losses.push_back(loss.item<double>());
  }
  return losses;
}

namespace {

// A chart of curves by name, over the number of the step.
struct Curve {
  std::string name;
  std::vector<double> values;
};
std::string chart_of(const std::vector<Curve>& curves, const std::string& of,
                     const std::string& value, bool log) {
  std::string points;
  for (const Curve& curve : curves) {
    for (std::size_t t = 0; t < curve.values.size(); ++t) {
      points +=
          fmt::format(R"({}{{"t":{},"value":{:.6g},"name":"{}"}})",
                      points.empty() ? "" : ",", t + 1, curve.values[t], curve.name);
    }
  }
  return fmt::format(
      R"({{"$schema": "https://vega.github.io/schema/vega-lite/v5.json",
  "width": 560, "height": 260,
  "data": {{"values": [{}]}},
  "mark": {{"type": "line", "strokeWidth": 2}},
  "encoding": {{
    "x": {{"field": "t", "type": "quantitative", "title": "step"}},
    "y": {{"field": "value", "type": "quantitative", "title": "{}",
          "scale": {{"type": "{}"}}}},
    "color": {{"field": "name", "type": "nominal", "title": "{}", "sort": null}}
  }}}})",
      points, value, log ? "log" : "linear", of);
}

}  // namespace

void train_loop() {
  text("## The training loop");
  text(
      "Everything comes together: batches, a model, an optimizer, and the four lines "
      "that are repeated. The data are made up, by a linear function that the model "
      "is to find: $y = x \\cdot (0, 1, \\dots, 15)$.");
  const std::int64_t D = 16;
  const Tensor true_w = arange(D, {.dtype = float32});  // @inspect true_w
  Generator for_data;
  for_data.manual_seed(0);
  const GetBatch get_batch = [&](std::int64_t B) {
    const Tensor x = randn({B, D}, {}, &for_data);
    return Batch{x, x.matmul(true_w)};
  };
  text("Ten steps, with a learning rate of 0.01:");
  const std::vector<double> slow =
      train("slow", get_batch, {.D = D, .num_layers = 0, .B = 4, .lr = 0.01});
  text("And ten with another learning rate, 0.1:");
  for_data.manual_seed(0);
  const std::vector<double> fast =
      train("fast", get_batch, {.D = D, .num_layers = 0, .B = 4, .lr = 0.1});
  // The same model and the same first batch, but then other steps.
  const bool same_start = slow.front() == fast.front();
  const bool same_end = slow.back() == fast.back();
  assert(same_start && !same_end);
  tuning(get_batch);
  stalling();
  schedules();
}

void tuning(const GetBatch& get_batch) {
  text("### Tuning");
  text("A batch of four says as much about itself as about the model, and the loss "
       "jumps. Which learning rate is best? One tries several, all else being equal. "
       "The batch is 64 now:");
  std::vector<std::vector<std::string>> rows;
  std::vector<Curve> curves;
  double best = HUGE_VAL, best_lr = 0;
  for (const double lr : {0.01, 0.03, 0.1, 0.3, 1.}) {
    const Settings settings = {
        .D = 16, .num_layers = 0, .B = 64, .num_train_steps = 12, .lr = lr};
    std::vector<double> losses = train("tuning", get_batch, settings);  // @stepover
    const std::string name = fmt::format("{}", lr);
    rows.push_back({name, fmt::format("{:.3g}", losses.back())});
    if (losses.back() < best) {
      best = losses.back();
      best_lr = lr;
    }
    curves.push_back({name, std::move(losses)});
  }
  // @tol rel=1e-2 *
  table({"Learning rate", "Loss in step 12"}, rows);
  // @stepover @tol rel=1e-2 *
  plot(chart_of(curves, "learning rate", "loss", true),
       {.alt = "Five curves of the loss over 12 steps, on a logarithmic scale. The "
               "larger the learning rate, the faster the loss falls, up to 0.3; with "
               "1 it grows.",
        .caption = "Loss over 12 steps for five learning rates."});
  assert(best_lr == 0.3);
  text(
      "Too small wastes steps; too large leaves the valley on the other side, higher "
      "up than it came. The best is close to where it breaks. So one tries in "
      "factors of about three, until it does.");
  callout(
      Callout::warning,
      "A learning rate that is an argument of a function, and is not used in it, "
      "makes all settings equally good. Two runs that agree to the last digit are a "
      "reason to look.",
      "Check that a setting sets something");
}

// How far the minimum of (p - 10)² is in each step.
std::vector<double> distances(optim::Optimizer& optimizer, const Tensor& p,
                              std::int64_t steps) {
  std::vector<double> result;
  for (std::int64_t t = 0; t < steps; ++t) {
    const Tensor loss = (p - 10).square().sum();
    loss.backward();
    optimizer.step();
    optimizer.zero_grad();
    result.push_back(std::abs(p.item<double>() - 10));
  }
  return result;
}

void stalling() {
  text("### A sum only grows");
  text("AdaGrad divides by the root of a sum that never becomes smaller. While "
       "gradients stay as large as they are, its step number $t$ is $\\eta / "
       "\\sqrt{t}$ long, and after $t$ steps it has come $2 \\eta \\sqrt{t}$ far. "
       "Where small steps at the end are what one needs, that is right, and there "
       "are proofs. A network has a long way to go. Adam forgets old gradients, and "
       "walks $\\eta t$. Both go from 0 towards the minimum of $(p - 10)^2$:");
  const nn::Parameter p(zeros({1})), q(zeros({1}));
  AdaGrad adagrad({p}, 0.1);
  optim::Adam adam({q}, {.lr = 0.1});
  const std::vector<double> of_adagrad = distances(adagrad, p, 400);  // @stepover
  const std::vector<double> of_adam = distances(adam, q, 400);        // @stepover
  // @stepover @tol rel=1e-2 abs=1e-2 *
  plot(chart_of({{"AdaGrad", of_adagrad}, {"Adam", of_adam}}, "optimizer",
                "distance to the minimum", false),
       {.alt =
            "The distance to the minimum over 400 steps. Adam's falls in a line from "
            "10 to 0 within about 130 steps; AdaGrad's flattens, and is above 6 at "
            "the end.",
        .caption = "AdaGrad and Adam, both with a learning rate of 0.1, on their way "
                   "to a minimum."});
  const double left_to_adagrad =
      of_adagrad.back();  // @inspect left_to_adagrad @tol rel=1e-4 left_to_adagrad
  const double left_to_adam =
      of_adam.back();           // @inspect left_to_adam @tol abs=1e-3 left_to_adam
  assert(left_to_adagrad > 5);  // @tol rel=1e-4 *
  assert(left_to_adam < 0.1);   // @tol abs=1e-3 *
}

// The learning rate in every tenth step.
std::vector<double> every_tenth(const optim::Schedule& schedule, double base) {
  std::vector<double> rates;
  for (std::int64_t t = 0; t <= 1100; t += 10) rates.push_back(schedule(t, base));
  return rates;
}

void schedules() {
  text("### A rate that changes");
  text(
      "Large steps at first and small ones later do better than any constant rate. "
      "Language models are mostly trained with a short rise, as Adam's averages mean "
      "little in the first steps, and half a cosine down to a tenth of the highest "
      "rate:");
  const optim::Schedule schedule = optim::linear_warmup_cosine(
      {.warmup_steps = 50, .total_steps = 1000, .min_lr = 3e-5});
  const std::vector<double> rates = every_tenth(schedule, 3e-4);  // @stepover
  const double highest = *std::max_element(rates.begin(), rates.end());
  assert(highest == 3e-4);
  assert(std::abs(rates.back() - highest / 10) < 1e-12);
  // @stepover
  plot(
      chart_of({{"warm-up and cosine", rates}}, "schedule", "learning rate", false),
      {.alt = "The learning rate over the steps: it rises in a line to 0.0003, falls "
              "along half a cosine to 0.00003, and stays there.",
       .caption = "A rise over 50 steps, half a cosine down to 10 %, at step 1,000; "
                  "one point is ten steps."});
  text("A scheduler sets the rate in the optimizer's groups, after each of its "
       "steps:");
  const nn::Parameter p(zeros({1}));
  optim::AdamW optimizer({p}, {.lr = 3e-4});
  optim::LRScheduler scheduler(optimizer, schedule);
  for (int t = 1; t <= 3; ++t) {
    optimizer.step();
    scheduler.step();  // @inspect t optimizer.param_groups()[0]["lr"]
  }
  assert(std::abs(scheduler.get_last_lr()[0] - 3e-4 * 3 / 50) < 1e-12);
}
