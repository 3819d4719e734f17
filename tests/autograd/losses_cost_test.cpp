// What gradients of losses that compare numbers count, beside loops that count what they do.
#include <cmath>

#include <gtest/gtest.h>

#include "autograd/gradient_cost.h"
#include "ops/cost_functions.h"
#include "ops/losses.h"

namespace lectern {
namespace {

using test::Array;
using test::Arrays;
using test::Counted;
using test::each;
using test::expect_gradients;
using test::sum_back;
using test::uniform;

constexpr LossReduction kWaysToReduce[] = {LossReduction::unreduced, LossReduction::mean, LossReduction::sum};

/// The gradient of each of `sizes` losses, repeated where they are reduced.
Array gradient_of_each(const Array& grad, LossReduction reduction, const Sizes& sizes) {
  const double count = static_cast<double>(checked_numel("", sizes));
  const bool is_mean = reduction == LossReduction::mean && count != 1;
  return is_mean ? each(test::times(1 / count), grad) : grad;
}

TEST(BackwardCost, OfLossesOfDifferences) {
  const auto signed_ = [](Counted g, Counted d) {
    return test::counted(d.value > 0 ? g.value : d.value < 0 ? -g.value : 0);
  };
  for (const auto& [how, left, right] : test::broadcast_pairs()) {
    SCOPED_TRACE(how);
    const Tensor x = test::leaf_like(left), y = test::leaf_like(right);
    const Tensor differences = x.detach() - y.detach();
    const auto both = [&](const Array& of_x) -> Arrays {
      return {sum_back(of_x, x.sizes()), sum_back(each(test::kNegative, of_x), y.sizes())};
    };
    const auto huber_slopes = [&](double delta, double scale) {
      const auto clamped = [=](Counted d) { return test::counted(std::clamp(d.value, -delta, delta)); };
      Array slopes = each(clamped, Array(differences));
      if (scale != 1) slopes = each(test::times(scale), slopes);
      return slopes;
    };
    for (const LossReduction reduction : kWaysToReduce) {
      const auto share = [&](const Array& grad) {
        return gradient_of_each(grad, reduction, differences.sizes());
      };
      expect_gradients(
          {x, y}, [&] { return l1_loss(x, y, reduction); },
          [&](const Array& grad) { return both(each(signed_, share(grad), Array(differences))); });
      expect_gradients(
          {x, y}, [&] { return huber_loss(x, y, reduction, 0.3); },
          [&](const Array& grad) { return both(each(test::kTimes, share(grad), huber_slopes(0.3, 1))); });
      expect_gradients(
          {x, y}, [&] { return smooth_l1_loss(x, y, reduction, 0.5); },
          [&](const Array& grad) { return both(each(test::kTimes, share(grad), huber_slopes(0.5, 2))); });
    }
  }
}

TEST(BackwardCost, OfLossesOfProbabilities) {
  const auto one_minus = [](Counted a) { return Counted{1} - a; };
  const auto at_least = [](Counted a) { return test::counted(std::max(a.value, 1e-12)); };
  test::for_each_leaf([&](const Tensor& in) {
    const Tensor x = in.detach().sigmoid().requires_grad_(), p = x.detach();
    const Tensor target = uniform(in.sizes(), float32, 2).abs(), log_p = p.log().requires_grad_();
    for (const LossReduction reduction : kWaysToReduce) {
      expect_gradients(
          {x}, [&] { return binary_cross_entropy(x, target, {}, reduction); },
          [&](const Array& grad) -> Arrays {
            const Array share = gradient_of_each(grad, reduction, x.sizes());
            const Array scaled = each(test::kTimes, share, each(test::kMinus, Array(p), Array(target)));
            Array spread = each(test::kTimes, each(one_minus, Array(p)), Array(p));
            spread = each(at_least, spread);
            return {each(test::kDivided, scaled, spread)};
          });
    }
    expect_gradients(
        {log_p}, [&] { return kl_div(log_p, target, KlDivReduction::sum); },
        [&](const Array& grad) -> Arrays {
          const Array negative = Array::made(x.sizes());
          test::each_into(negative, test::kNegative, grad);
          return {each(test::kTimes, negative, Array(target))};
        });
  });
}

}  // namespace
}  // namespace lectern
