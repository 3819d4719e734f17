// Lecture 2, the loop.

#include <functional>

#include "cruncher.h"
#include "optimizer.h"
#include "parts.h"

// What the model is given, and what it should say.
struct Batch {
  Tensor x, y;
};
using GetBatch = std::function<Batch(int64_t)>;

struct Settings {
  int64_t D;
  int64_t num_layers;
  int64_t B;
  int64_t num_train_steps = 10;
  double lr;
};

// Trains a new model; returns the loss of each step.
std::vector<double> train(const std::string& name, const GetBatch& get_batch, const Settings& settings) {
  Generator for_init = Generator().manual_seed(1);
  Cruncher model(settings.D, settings.num_layers, &for_init);  // @stepover
  SGD optimizer(model.parameters(), settings.lr);
  std::vector<double> losses;
  for (int64_t t = 0; t < settings.num_train_steps; ++t) {
    const auto [x, y] = get_batch(settings.B);
    const Tensor pred_y = model(x);           // @stepover
    const Tensor loss = mse_loss(pred_y, y);  // @inspect name t loss @tol rel=1e-4 loss
    loss.backward();
    optimizer.step();  // @stepover
    optimizer.zero_grad(/*set_to_none=*/true);
    losses.push_back(loss.item());
  }
  return losses;
}

void tuning(const GetBatch& get_batch) {
  text("### Tuning");
  text(R"(
    A batch of four says as much about itself as about the model, and the loss jumps. Which learning rate is
    best? One tries several, all else being equal. The batch is 64 now:)");
  std::vector<PlotSeries> curves;
  std::map<double, double> last_losses;  // by learning rate
  for (const double lr : {0.01, 0.03, 0.1, 0.3, 1.}) {
    const Settings settings = {.D = 16, .num_layers = 0, .B = 64, .num_train_steps = 12, .lr = lr};
    const auto losses = train("tuning", get_batch, settings);  // @stepover
    curves.emplace_back(fmt::format("{}", lr), losses);
    last_losses[lr] = losses.back();
  }
  table({"Learning rate", "Loss in step 12"}, last_losses);  // @tol rel=1e-2 *
  // @tol rel=1e-2 *
  line_plot(arange(1, 13), curves,
            {.x = "step",
             .y = "loss",
             .legend = "learning rate",
             .log_y = true,
             .alt = "Five curves of the loss over 12 steps, on a logarithmic scale. The larger the learning rate, the "
                    "faster the loss falls, up to 0.3; with 1 it grows.",
             .caption = "Loss over 12 steps for five learning rates."});
  assert(last_losses[0.3] < last_losses[0.1]);  // @tol rel=1e-2 *
  assert(last_losses[0.3] < last_losses[1]);    // @tol rel=1e-2 *
  text(R"(
    Too small wastes steps; too large leaves the valley on the other side, higher up than it came. The best is
    close to where it breaks. So one tries in factors of about three, until it does.)");
  callout(Callout::warning, R"(
    A learning rate that is an argument of a function, and is not used in it, makes all settings equally good.
    Two runs that agree to the last digit are a reason to look.)",
          "Check that a setting sets something");
}

// How far the minimum of (p - 10)² is in each step.  @stepover
std::vector<double> distances(optim::Optimizer& optimizer, const Tensor& p, int64_t steps) {
  std::vector<double> result;
  for (int64_t t = 0; t < steps; ++t) {
    const Tensor loss = (p - 10).square().sum();
    loss.backward();
    optimizer.step();
    optimizer.zero_grad();
    result.push_back(std::abs(p.item() - 10));
  }
  return result;
}

void stalling() {
  text("### A sum only grows");
  text(R"(
    AdaGrad divides by the root of a sum that never becomes smaller. While gradients stay as large as they are, its
    step number $t$ is $\eta / \sqrt{t}$ long, and after $t$ steps it has come $2 \eta \sqrt{t}$ far. Where small
    steps at the end are what one needs, that is right, and there are proofs. A network has a long way to go. Adam
    forgets old gradients, and walks $\eta t$. Both go from 0 towards the minimum of $(p - 10)^2$:)");
  const nn::Parameter p(zeros({1})), q(zeros({1}));
  AdaGrad adagrad({p}, 0.1);
  optim::Adam adam({q}, {.lr = 0.1});
  const auto of_adagrad = distances(adagrad, p, 400);
  const auto of_adam = distances(adam, q, 400);
  // @tol rel=1e-2 abs=1e-2 *
  line_plot({{"AdaGrad", of_adagrad}, {"Adam", of_adam}},
            {.x = "step",
             .y = "distance to the minimum",
             .legend = "optimizer",
             .alt = "The distance to the minimum over 400 steps. Adam's falls in a line from 10 to 0 within about 130 "
                    "steps; AdaGrad's flattens, and is above 6 at the end.",
             .caption = "AdaGrad and Adam, both with a learning rate of 0.1, on their way to a minimum."});
  const double left_to_adagrad = of_adagrad.back();  // @inspect left_to_adagrad @tol rel=1e-4 left_to_adagrad
  const double left_to_adam = of_adam.back();        // @inspect left_to_adam @tol abs=1e-3 left_to_adam
  assert(left_to_adagrad > 5);                       // @tol rel=1e-4 *
  assert(left_to_adam < 0.1);                        // @tol abs=1e-3 *
}

// The learning rate in every tenth step.  @stepover
std::vector<double> every_tenth(const optim::Schedule& schedule, double base) {
  std::vector<double> rates;
  for (int64_t t = 0; t <= 1100; t += 10) rates.push_back(schedule(t, base));
  return rates;
}

void schedules() {
  text("### A rate that changes");
  text(R"(
    Large steps at first and small ones later do better than any constant rate. Language models are mostly
    trained with a short rise, as Adam's averages mean little in the first steps, and half a cosine down to a
    tenth of the highest rate:)");
  const optim::Schedule schedule =
      optim::linear_warmup_cosine({.warmup_steps = 50, .total_steps = 1000, .min_lr = 3e-5});
  const auto rates = every_tenth(schedule, 3e-4);
  const double highest = std::ranges::max(rates);
  assert(highest == 3e-4);
  assert(std::abs(rates.back() - highest / 10) < 1e-12);
  line_plot(arange(0, 1101, 10), rates,
            {.x = "step",
             .y = "learning rate",
             .alt = "The learning rate over the steps: it rises in a line to 0.0003, falls along half a cosine to "
                    "0.00003, and stays there.",
             .caption = "A rise over 50 steps, half a cosine down to 10 %, at step 1,000."});
  text("A scheduler sets the rate in the optimizer's groups, after each of its steps:");
  const nn::Parameter p(zeros({1}));
  optim::AdamW optimizer({p}, {.lr = 3e-4});
  optim::LRScheduler scheduler(optimizer, schedule);
  for (int t = 1; t <= 3; ++t) {
    optimizer.step();
    scheduler.step();  // @inspect t optimizer.param_groups()[0]["lr"]
  }
  assert(std::abs(scheduler.get_last_lr()[0] - 3e-4 * 3 / 50) < 1e-12);
}

void train_loop() {
  text("## The training loop");
  text(R"(
    Everything comes together: batches, a model, an optimizer, and the four lines that are repeated. The data
    are made up, by a linear function that the model is to find: $y = x \cdot (0, 1, \dots, 15)$.)");
  const int64_t D = 16;
  const Tensor true_w = arange(D, {.dtype = float32});  // @inspect true_w
  Generator for_data = Generator().manual_seed(0);
  const GetBatch get_batch = [&](int64_t B) {  // @stepover
    const Tensor x = randn({B, D}, {}, &for_data);
    return Batch{x, x.matmul(true_w)};
  };
  text("Ten steps, with a learning rate of 0.01:");
  const auto slow = train("slow", get_batch, {.D = D, .num_layers = 0, .B = 4, .lr = 0.01});
  text("And ten with another learning rate, 0.1:");
  for_data.manual_seed(0);
  const auto fast = train("fast", get_batch, {.D = D, .num_layers = 0, .B = 4, .lr = 0.1});
  // The same model and the same first batch, but then other steps.
  assert(slow.front() == fast.front() && slow.back() != fast.back());
  tuning(get_batch);
  stalling();
  schedules();
}
