// Adafactor on parameters of more than one tile (kernels/matrix_tiles.h) beside its formulas, number by
// number.
#include "optim/adafactor.h"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "device/threads.h"
#include "ops/expect_error.h"
#include "optim/training.h"

namespace lectern {
namespace {

using optim::Adafactor;
using optim::AdafactorOptions;
using test::parameter;
using test::uniform;

/// A parameter in double: matrices × rows × columns numbers, and what is kept for them.
struct Expected {
  std::size_t matrices, rows, columns;
  std::vector<double> numbers, of_rows, of_columns, updates;

  explicit Expected(const Tensor& p)
      : matrices(1), rows(1), columns(static_cast<std::size_t>(p.numel())), numbers(values(p)) {
    if (p.dim() >= 2) {
      rows = static_cast<std::size_t>(p.size(-2)), columns = static_cast<std::size_t>(p.size(-1));
      matrices = numbers.size() / (rows * columns);
    }
    of_rows.resize(matrices * rows), of_columns.resize(matrices * columns), updates.resize(numbers.size());
  }

  static std::vector<double> values(const Tensor& x) {
    const Tensor dense = x.detach().to(float64).cpu().contiguous();
    return {dense.data<double>(), dense.data<double>() + dense.numel()};
  }
  static double rms(const std::vector<double>& x) {
    double sum = 0;
    for (const double number : x) sum += number * number;
    return std::sqrt(sum / static_cast<double>(x.size()));
  }

  void step(const Tensor& gradient, double t, const AdafactorOptions& options) {
    const std::vector<double> g = values(gradient);
    double rate = options.lr.value_or(std::min(1e-2, 1 / std::sqrt(t)));
    if (options.scale_parameter) rate *= std::max(options.eps.second, rms(numbers));
    average(g, std::pow(t, options.decay_rate), options.eps.first);
    std::vector<double> now(g.size());
    for (std::size_t i = 0; i < g.size(); ++i) now[i] = g[i] / std::sqrt(size_at(i));
    const double scale = rate / std::max(1., rms(now) / options.clip_threshold);
    for (std::size_t i = 0; i < g.size(); ++i) {
      updates[i] = options.beta1 * updates[i] + (1 - options.beta1) * scale * now[i];
      numbers[i] = numbers[i] * (1 - options.weight_decay * rate) - updates[i];
    }
  }

 private:
  std::size_t row_of(std::size_t i) const { return i / columns; }
  std::size_t column_of(std::size_t i) const { return i / (rows * columns) * columns + i % columns; }

  void average(const std::vector<double>& g, double share, double eps) {
    for (double& kept : of_rows) kept *= 1 - share;
    for (double& kept : of_columns) kept *= 1 - share;
    for (std::size_t i = 0; i < g.size(); ++i) {
      const double square = g[i] * g[i] + eps;
      of_rows[row_of(i)] += share * square / static_cast<double>(columns);
      of_columns[column_of(i)] += share * square / static_cast<double>(rows);
    }
  }
  double size_at(std::size_t i) const {
    const auto first = of_rows.begin() + static_cast<std::ptrdiff_t>(i / (rows * columns) * rows);
    double mean = 0;
    for (auto row = first; row != first + static_cast<std::ptrdiff_t>(rows); ++row) mean += *row;
    return of_rows[row_of(i)] / (mean / static_cast<double>(rows)) * of_columns[column_of(i)];
  }
};

void expect_near(const Tensor& actual, const std::vector<double>& expected, double tolerance) {
  const std::vector<double> numbers = Expected::values(actual);
  ASSERT_EQ(numbers.size(), expected.size());
  double worst = 0;
  for (std::size_t i = 0; i < numbers.size(); ++i)
    worst = std::max(worst, std::abs(numbers[i] - expected[i]) / (std::abs(expected[i]) + 1e-3));
  EXPECT_LT(worst, tolerance);
}

const AdafactorOptions kAveraged{.lr = 0.1, .beta1 = 0.9, .weight_decay = 0.1};

TEST(Adafactor, ParametersOfManyTiles) {
  for (const Sizes& sizes :
       std::vector<Sizes>{{64, 512}, {65, 513}, {1, 1100}, {200, 3}, {3, 70, 600}, {1300}}) {
    for (const AdafactorOptions& options : {AdafactorOptions{}, kAveraged}) {
      SCOPED_TRACE(to_string(sizes));
      const Tensor p = parameter(sizes);
      Adafactor optimizer({p}, options);
      Expected expected(p);
      for (unsigned t = 1; t <= 3; ++t) {
        p.mutable_grad() = uniform(sizes, float32, t + 1);
        optimizer.step();
        expected.step(p.grad(), t, options);
      }
      expect_near(p, expected.numbers, 1e-5);
      auto& kept = optimizer.state(p);
      if (sizes.size() > 1) expect_near(kept["exp_avg_sq_row"], expected.of_rows, 1e-5);
      expect_near(kept[sizes.size() > 1 ? "exp_avg_sq_col" : "exp_avg_sq"], expected.of_columns, 1e-5);
      if (options.beta1 != 0) expect_near(kept["exp_avg"], expected.updates, 1e-5);
    }
  }
}

TEST(Adafactor, TakesAnyLayout) {
  const Tensor plain = parameter({70, 600});
  const Tensor turned = plain.detach().t().contiguous().t().requires_grad_();
  ASSERT_FALSE(turned.is_contiguous());
  Adafactor a({plain}, kAveraged), b({turned}, kAveraged);
  for (unsigned t = 2; t < 4; ++t) {
    plain.mutable_grad() = uniform({70, 600}, float32, t);
    turned.mutable_grad() = uniform({70, 600}, float32, t);
    a.step();
    b.step();
  }
  EXPECT_TRUE(plain.equal(turned));
}

/// Parameters of several dtypes and sizes after two steps.
std::vector<Tensor> trained() {
  std::vector<Tensor> parameters;
  for (const Dtype dtype : {float32, bfloat16, float64}) {
    parameters.push_back(parameter({300, 700}, 1, dtype));
    parameters.push_back(parameter({70}, 2, dtype));
  }
  Adafactor optimizer(parameters, kAveraged);
  for (unsigned t = 3; t < 5; ++t) {
    for (const Tensor& p : parameters) p.mutable_grad() = uniform(p.sizes(), p.dtype(), t);
    optimizer.step();
  }
  return parameters;
}

TEST(Adafactor, DoesNotDependOnThreads) {
  const int before = get_num_threads();
  set_num_threads(1);
  const std::vector<Tensor> alone = trained();
  set_num_threads(3);
  const std::vector<Tensor> together = trained();
  set_num_threads(before);
  for (std::size_t i = 0; i < alone.size(); ++i) EXPECT_TRUE(alone[i].equal(together[i])) << i;
}

TEST(Adafactor, RefusesWhatIsKeptForAnother) {
  const Tensor p = parameter({3, 4});
  Adafactor optimizer({p});
  optimizer.state(p)["exp_avg_sq_row"] = zeros({4});
  p.mutable_grad() = ones({3, 4});
  EXPECT_PROBLEM(optimizer.step(), "exp_avg_sq_row must be float32 of shape [3]");
}

}  // namespace
}  // namespace lectern
