// What regression losses, divergences and binary cross-entropy count, beside loops that count what they do.
#include <cmath>

#include <gtest/gtest.h>

#include "ops/cost_functions.h"
#include "ops/counting_loops.h"
#include "ops/elementwise.h"
#include "ops/losses.h"
#include "ops/shape_classes.h"

namespace lectern {
namespace {

using test::Array;
using test::Counted;
using test::each;
using test::expect_cost;
using test::uniform;

constexpr LossReduction kWaysToReduce[] = {LossReduction::unreduced, LossReduction::mean, LossReduction::sum};

/// All elements, to one sum, of which the mean is taken by the way.
Array reduced_losses(const Array& losses, LossReduction reduction) {
  if (reduction == LossReduction::unreduced) return losses;
  const std::int64_t count = checked_numel("reduced_losses", losses.sizes());
  const Array sum = test::whole_sum(losses, Sizes::filled(losses.sizes().size(), 1)).viewed({});
  if (reduction == LossReduction::mean) sum.set({}, {sum.value({}) / static_cast<double>(count)});
  return sum;
}

Array huber_loop(const Array& d, double delta, double scale) {
  const auto clamped = [=](Counted x) { return test::counted(std::clamp(x.value, -delta, delta)); };
  const Array near = each(clamped, d);
  Array losses = each(test::kMinus, d, each(test::times(0.5), near));
  losses = each(test::kTimes, losses, near);
  if (scale != 1) losses = each(test::times(scale), losses);
  return losses;
}

TEST(Cost, OfLossesOfDifferences) {
  for (const auto& [how, left, right] : test::broadcast_pairs()) {
    SCOPED_TRACE(how);
    const Tensor &x = left, &y = right;
    const auto differences = [&] { return each(test::kMinus, Array(x), Array(y)); };
    for (const LossReduction reduction : kWaysToReduce) {
      expect_cost([&] { return l1_loss(x, y, reduction); },
                  [&] { return reduced_losses(each(test::kAbs, differences()), reduction); });
      expect_cost([&] { return huber_loss(x, y, reduction, 0.3); },
                  [&] { return reduced_losses(huber_loop(differences(), 0.3, 1), reduction); });
      expect_cost([&] { return smooth_l1_loss(x, y, reduction, 0.5); },
                  [&] { return reduced_losses(huber_loop(differences(), 0.5, 2), reduction); });
    }
  }
}

TEST(Cost, OfDivergences) {
  const auto x_log_y = [](Counted a, Counted b) { return test::counted(a.value * std::log(b.value)); };
  for (const auto& [how, left, right] : test::broadcast_pairs()) {
    SCOPED_TRACE(how);
    const Tensor &x = left, &logs = right;
    const Tensor p = logs.abs() + 1;
    const auto terms = [&] {
      return each(test::kMinus, each(x_log_y, Array(p), Array(p)), each(test::kTimes, Array(p), Array(x)));
    };
    expect_cost([&] { return kl_div(x, p, KlDivReduction::unreduced); }, terms);
    expect_cost([&] { return kl_div(x, p, KlDivReduction::mean); },
                [&] { return reduced_losses(terms(), LossReduction::mean); });
    expect_cost([&] { return kl_div(x, logs, KlDivReduction::sum, true); },
                [&] {
                  const Array of_logs = each(test::kMinus, Array(logs), Array(x));
                  return reduced_losses(each(test::kTimes, each(test::kExp, Array(logs)), of_logs),
                                        LossReduction::sum);
                });
    if (x.dim() == 0 || x.size(0) == 0) continue;
    expect_cost([&] { return kl_div(x, p, KlDivReduction::batchmean); },
                [&] {
                  return each(test::times(1 / static_cast<double>(x.size(0))),
                              reduced_losses(terms(), LossReduction::sum));
                });
  }
}

TEST(Cost, OfLossesOfProbabilities) {
  const auto logarithm = [](Counted a) { return test::counted(std::log(a.value)); };
  const auto at_least = [](Counted a) { return test::counted(std::max(a.value, -100.)); };
  test::for_each_shape([&](const Tensor& in) {
    const Tensor x = in.sigmoid(), target = uniform(in.sizes(), float32, 2).abs();
    for (const LossReduction reduction : kWaysToReduce) {
      expect_cost([&] { return binary_cross_entropy(x, target, {}, reduction); },
                  [&] {
                    Array losses = each(test::kNegative, Array(x));
                    losses = each([](Counted a) { return log1p(a); }, losses);
                    losses = each(at_least, losses);
                    losses = each(test::kTimes, losses, each(test::plus(-1), Array(target)));
                    Array of_true = each(logarithm, Array(x));
                    of_true = each(at_least, of_true);
                    of_true = each(test::kTimes, of_true, Array(target));
                    losses = each(test::kMinus, losses, of_true);
                    return reduced_losses(losses, reduction);
                  });
    }
  });
}

}  // namespace
}  // namespace lectern
