// Lecture 4, which rate, with which optimizer?

#include <ranges>

#include "student.h"

Student::Student(int64_t width) : up(16, width), down(width, 8) {
  LECTERN_REGISTER(up, down);
}

// @stepover
Tensor answers(const Tensor& x) {
  static const std::pair<Tensor, Tensor> teacher = [] {
    Generator generator = Generator().manual_seed(7);
    const Tensor first = randn({64, 16}, {}, &generator) / 4, second = randn({8, 64}, {}, &generator) / 8;
    return std::pair(first, second);
  }();
  const NoGradGuard no_grad;
  return linear(linear(x, teacher.first).tanh(), teacher.second);
}

// @stepover
Student trained(const Recipe& recipe) {
  manual_seed(recipe.seed);
  Student student(64);
  const std::vector<Tensor> p = student.parameters();
  std::unique_ptr<optim::Optimizer> optimizer;
  if (recipe.optimizer == "SGD") {
    optimizer = std::make_unique<optim::SGD>(p, optim::SGDOptions{.lr = recipe.lr, .momentum = 0.9});
  } else if (recipe.optimizer == "AdaGrad") {
    optimizer = std::make_unique<optim::Adagrad>(p, optim::AdagradOptions{.lr = recipe.lr});
  } else if (recipe.optimizer == "Lion") {
    optimizer = std::make_unique<optim::Lion>(p, optim::LionOptions{.lr = recipe.lr});
  } else {
    optimizer = std::make_unique<optim::AdamW>(p, optim::AdamWOptions{.lr = recipe.lr});
  }
  optim::CosineAnnealingLR schedule(*optimizer, recipe.steps, recipe.floor * recipe.lr);
  Generator data = Generator().manual_seed(100 + recipe.seed);
  for (int64_t t = 0; t < recipe.steps; ++t) {
    const Tensor x = randn({32, 16}, {}, &data);
    mse_loss(student(x), answers(x)).backward();
    optimizer->step();
    optimizer->zero_grad();
    schedule.step();
  }
  return student;
}

// @stepover
double error_of_student(const Student& student) {
  Generator generator = Generator().manual_seed(5);
  const Tensor x = randn({1024, 16}, {}, &generator);
  const NoGradGuard no_grad;
  return mse_loss(student(x), answers(x)).item();
}

namespace {

// The mean of three runs.
double error_after(Recipe recipe) {
  double sum = 0;
  for (const std::uint64_t seed : {0, 1, 2}) {
    recipe.seed = seed;
    sum += error_of_student(trained(recipe)) / 3;
  }
  return sum;
}

void rates_of_optimizers(), rates_that_fall();

}  // namespace

void learning_rates() {
  text("## Learning rates");
  rates_of_optimizers();
  rates_that_fall();
}

namespace {

void rates_of_optimizers() {
  text("### A rate for each optimizer");
  text(R"(
    A learning rate has a different meaning in each optimizer: to SGD it is a factor of the gradient, to Adam and Lion
    the size of a step. So a comparison of optimizers at one rate says nothing. A small network learns the answers of
    another one in 200 steps; each point is the mean error of three seeds.)"),
      link(trained);
  const std::vector<double> rates = {1e-3, 3e-3, 1e-2, 3e-2, 0.1, 0.3};
  std::vector<PlotSeries> curves;
  std::vector<TableRow> rows;
  std::map<std::string, double> best_rate, best_error;
  std::map<std::string, std::vector<double>> errors_of;
  for (const std::string optimizer : {"SGD", "AdaGrad", "AdamW", "Lion"}) {  // @stepover
    std::vector<double> errors;
    for (const double lr : rates) {
      // What lies above is not shown: either nothing was learned, or the run was chaotic.
      const double error = error_after({.optimizer = optimizer, .lr = lr});
      errors.push_back(error < 0.15 ? error : NAN);
      if (best_error.contains(optimizer) && !(error < best_error[optimizer])) continue;
      best_error[optimizer] = error;
      best_rate[optimizer] = lr;
    }
    errors_of[optimizer] = errors;
    curves.emplace_back(optimizer, rates, errors);
    rows.push_back({optimizer, best_rate[optimizer], fmt::format("{:.4f}", best_error[optimizer])});
  }
  // @tol rel=1e-1 *
  line_plot(
      curves,
      {.x = "learning rate",
       .y = "error",
       .legend = "optimizer",
       .log_x = true,
       .log_y = true,
       .points = true,
       .alt = "The error over the learning rate for four optimizers, on logarithmic axes. Lion's is least near 0.01, "
              "those of AdaGrad and AdamW near 0.1; SGD's falls up to 0.3, the largest rate that was tried. The "
              "lowest points are about equally low.",
       .caption = "The error on new points after 200 steps, mean of three seeds."});
  table({"Optimizer", "Best rate of these", "Error"}, rows);  // @tol rel=1e-1 *
  text(R"(
    At its own best rate each of the four ends at about the same error. At 0.01, which is Lion's, SGD seems to be far
    behind; at 0.3, the best of these for SGD, Lion's error is off the plot. Lion moves every parameter by the full rate
    in every step, AdamW by less where gradients change their sign; so Lion needs a smaller rate.)");
  const auto [least, most] = std::ranges::minmax(best_error | std::views::values);
  assert(most < 1.25 * least);                             // @tol rel=1e-1 *
  assert(errors_of["SGD"][2] > 2 * errors_of["Lion"][2]);  // @tol rel=1e-1 *
  assert(std::isnan(errors_of["Lion"][5]));
  assert(best_rate["Lion"] < best_rate["AdamW"] && best_rate["AdamW"] <= best_rate["SGD"]);
}

void rates_that_fall() {
  text("### A rate that falls");
  text("The same for AdamW with a constant rate, with a cosine that ends at a tenth of it, and with one that ends at "
       "zero:");
  std::vector<TableRow> rows;
  std::map<double, double> least;               // by what is left of the rate
  for (const double lr : {3e-3, 1e-2, 3e-2}) {  // @stepover
    std::vector<double> errors;
    for (const double floor : {1., 0.1, 0.}) {
      errors.push_back(error_after({.lr = lr, .floor = floor}));
      if (!least.contains(floor) || errors.back() < least[floor]) least[floor] = errors.back();
    }
    rows.push_back(
        {lr, fmt::format("{:.4f}", errors[0]), fmt::format("{:.4f}", errors[1]), fmt::format("{:.4f}", errors[2])});
  }
  table({"Rate at first", "Constant", "To a tenth", "To zero"}, rows);  // @tol rel=1e-1 *
  text(R"(
    A rate that is too small becomes worse by getting smaller still. A larger one, with long steps at first and short
    ones at the end, beats the best constant one of these. Between a tenth and zero there is hardly a difference in so
    short a run.)");
  assert(least[0.1] < least[1.] && least[0.] < least[1.]);  // @tol rel=1e-1 *
}

}  // namespace
