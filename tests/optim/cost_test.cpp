// What steps count, beside loops that count what they do.
#include <cmath>

#include <gtest/gtest.h>

#include "ops/counting_loops.h"
#include "optim/adafactor.h"
#include "optim/adagrad.h"
#include "optim/adam.h"
#include "optim/clip_grad.h"
#include "optim/lion.h"
#include "optim/nadam.h"
#include "optim/radam.h"
#include "optim/rmsprop.h"
#include "optim/sgd.h"
#include "optim/training.h"

namespace lectern {
namespace {

using test::Array;
using test::Counted;

Counted root(Counted x) {
  return test::counted(std::sqrt(x.value));
}

/// The second step, when all state exists. `loop` updates one element of the parameter and its state:
/// loop(p, gradient, state).
template <typename Loop>
void expect_step_cost(const std::function<std::unique_ptr<optim::Optimizer>(const Tensor& p)>& make,
                      std::size_t states, const Loop& loop) {
  const Tensor p = test::parameter({3, 4});
  const auto optimizer = make(p);
  p.mutable_grad() = test::uniform({3, 4}, float32, 2);
  optimizer->step();
  const Counters counted = test::cost([&] { optimizer->step(); });
  const Counters looped = test::loop_cost([&] {
    const Array parameter(p.detach()), gradient(p.grad());
    std::vector<Array> kept(states, Array(ones({3, 4})));
    for (Array& array : kept) array = array.again();
    test::for_each_index(p.sizes(), [&](const Sizes& at) {
      Counted number = parameter[at];
      std::vector<Counted> of_number;
      of_number.reserve(states);
      for (const Array& array : kept) of_number.push_back(array[at]);
      loop(number, gradient[at], of_number);
      parameter.set(at, number);
      for (std::size_t k = 0; k < states; ++k) kept[k].set(at, of_number[k]);
    });
  });
  EXPECT_EQ(counted, looped);
}

template <typename Optimizer, typename Options>
auto make_with(const Options& options) {
  return [=](const Tensor& p) { return std::make_unique<Optimizer>(optim::Params{p}, options); };
}

constexpr Counted kRate{0.1}, kShare{0.5}, kDecay{0.01};
using Kept = std::vector<Counted>;

TEST(Cost, OfSteps) {
  const auto decayed = [](Counted p, Counted g) { return g + kDecay * p; };
  expect_step_cost(make_with<optim::SGD>(optim::SGDOptions{.lr = 0.1}), 0,
                   [&](Counted& p, Counted g, Kept&) { p = p - kRate * decayed(p, g); });
  expect_step_cost(make_with<optim::SGD>(optim::SGDOptions{.lr = 0.1, .momentum = 0.9, .nesterov = true}), 1,
                   [&](Counted& p, Counted g, Kept& kept) {
                     const Counted grad = decayed(p, g);
                     kept[0] = kShare * kept[0] + kShare * grad;
                     p = p - kRate * (grad + kShare * kept[0]);
                   });
  expect_step_cost(make_with<optim::Adagrad>(optim::AdagradOptions{}), 1,
                   [&](Counted& p, Counted g, Kept& kept) {
                     const Counted grad = decayed(p, g);
                     kept[0] = kept[0] + grad * grad;
                     p = p - kRate * grad / (root(kept[0]) + kDecay);
                   });
  expect_step_cost(make_with<optim::RMSprop>(optim::RMSpropOptions{.momentum = 0.9, .centered = true}), 3,
                   [&](Counted& p, Counted g, Kept& kept) {
                     const Counted grad = decayed(p, g);
                     kept[0] = kShare * kept[0] + kShare * grad * grad;
                     kept[1] = kShare * kept[1] + kShare * grad;
                     const Counted spread = root(kept[0] - kept[1] * kept[1]) + kDecay;
                     kept[2] = kShare * kept[2] + grad / spread;
                     p = p - kRate * kept[2];
                   });
  const auto adam = [&](Counted& p, Counted g, Kept& kept) {
    kept[0] = kShare * kept[0] + kShare * g;
    kept[1] = kShare * kept[1] + kShare * g * g;
    const Counted square = kept.size() == 3 ? kept[2] = max(kept[2], kept[1]) : kept[1];
    p = p - kRate * kept[0] / (root(square) * kShare + kDecay);
  };
  const auto adamw = [&](Counted& p, Counted g, Kept& kept) {
    p = kShare * p;
    adam(p, g, kept);
  };
  const auto coupled = [&](Counted& p, Counted g, Kept& kept) { adam(p, decayed(p, g), kept); };
  expect_step_cost(make_with<optim::Adam>(optim::AdamOptions{}), 2, coupled);
  expect_step_cost(make_with<optim::Adam>(optim::AdamOptions{.amsgrad = true}), 3, coupled);
  expect_step_cost(make_with<optim::AdamW>(optim::AdamWOptions{}), 2, adamw);
  expect_step_cost(make_with<optim::AdamW>(optim::AdamWOptions{.amsgrad = true}), 3, adamw);
  expect_step_cost(make_with<optim::NAdam>(optim::NAdamOptions{}), 2, [&](Counted& p, Counted g, Kept& kept) {
    const Counted grad = decayed(p, g);
    kept[0] = kShare * kept[0] + kShare * grad;
    kept[1] = kShare * kept[1] + kShare * grad * grad;
    p = p - (kRate * grad + kRate * kept[0]) / (root(kept[1]) * kShare + kDecay);
  });
  expect_step_cost(make_with<optim::RAdam>(optim::RAdamOptions{}), 2, [&](Counted& p, Counted g, Kept& kept) {
    const Counted grad = decayed(p, g);
    kept[0] = kShare * kept[0] + kShare * grad;
    kept[1] = kShare * kept[1] + kShare * grad * grad;
    p = p - kRate * kept[0] / (root(kept[1]) + kDecay);
  });
  expect_step_cost(make_with<optim::Lion>(optim::LionOptions{}), 1, [&](Counted& p, Counted g, Kept& kept) {
    const Counted direction = kShare * kept[0] + kShare * g;
    p = kShare * p - kRate * test::counted(direction.value > 0 ? 1 : -1);
    kept[0] = kShare * kept[0] + kShare * g;
  });
}

/// Of a matrix, or of a vector: one row whose factor is 1.
void expect_adafactor_cost(const Sizes& sizes, const optim::AdafactorOptions& options) {
  const Tensor p = test::parameter(sizes);
  optim::Adafactor optimizer({p}, options);
  p.mutable_grad() = test::uniform(sizes, float32, 2);
  optimizer.step();
  const Counters counted = test::cost([&] { optimizer.step(); });
  const Counters looped = test::loop_cost([&] {
    const bool is_matrix = sizes.size() == 2;
    const Array parameter(p.detach()), gradient(p.grad());
    const Array rows(ones({is_matrix ? sizes[0] : 0})), columns(ones({sizes[sizes.size() - 1]}));
    const Array averages(ones({options.beta1 != 0 ? p.numel() : 0}));
    const Array kept_rows = rows.again(), kept_columns = columns.again(), kept_averages = averages.again();
    const Array changed = parameter.again();
    test::for_each_index(sizes, [&](const Sizes& at) {
      const Counted g = gradient[at], square = g * g;
      Counted sum;
      sum = sum + square;
      if (is_matrix) sum = sum + square;
      if (options.scale_parameter) sum = sum + parameter[at] * parameter[at];
    });
    const auto average = [&](const Array& of, const Array& into, const Sizes& at) {
      const Counted sum{3}, count{4};
      const Counted kept = kShare * of[at] + kShare * (sum / count + kDecay);
      into.set(at, kept);
      return kept;
    };
    test::for_each_index(rows.sizes(), [&](const Sizes& at) {
      Counted mean;
      mean = mean + average(rows, kept_rows, at);
      (void)(kRate / root(kShare / kDecay));
    });
    test::for_each_index(columns.sizes(),
                         [&](const Sizes& at) { (void)(kRate / root(average(columns, kept_columns, at))); });
    std::int64_t number = 0;
    test::for_each_index(sizes, [&](const Sizes& at) {
      Counted update = gradient[at] * kShare, sum;
      if (is_matrix) update = update * kShare;
      sum = sum + update * update;
      Counted change = kRate * update;
      if (options.beta1 != 0) {
        change = kShare * averages[{number}] + kDecay * change;
        kept_averages.set({number++}, change);
      }
      changed.set(at, kShare * parameter[at] - change);
    });
  });
  EXPECT_EQ(counted, looped);
}

TEST(Cost, OfAdafactor) {
  for (const Sizes& sizes : {Sizes{3, 4}, Sizes{5}}) {
    expect_adafactor_cost(sizes, {});
    expect_adafactor_cost(sizes, {.lr = 0.1, .beta1 = 0.9, .scale_parameter = false});
  }
}

TEST(Cost, OfAdamWIs28BytesForEachNumber) {
  const Tensor p = test::parameter({1000});
  optim::AdamW optimizer({p});
  p.mutable_grad() = ones({1000});
  optimizer.step();
  EXPECT_EQ(test::cost([&] { optimizer.step(); }).bytes, 28 * 1000);
}

TEST(Cost, OfClipping) {
  const Tensor p = test::parameter({3, 4});
  p.mutable_grad() = test::uniform({3, 4}, float32, 2);
  const Counters counted = test::cost([&] { nn::utils::clip_grad_norm_({p}, 0.1); });
  EXPECT_EQ(counted, test::loop_cost([&] {
              const Array gradient(p.grad());
              Counted sum;
              test::for_each_index(p.sizes(),
                                   [&](const Sizes& at) { sum = sum + gradient[at] * gradient[at]; });
              test::each_into(
                  gradient, [](Counted g) { return g * kShare; }, gradient);
            }));
}

}  // namespace
}  // namespace lectern
