// What row operations and losses count, beside loops that count what they do.
#include <cmath>

#include <gtest/gtest.h>

#include "ops/cost_functions.h"
#include "ops/counting_loops.h"
#include "ops/cross_entropy.h"
#include "ops/dropout.h"
#include "ops/elementwise.h"
#include "ops/layer_norm.h"
#include "ops/linear.h"
#include "ops/linear_cross_entropy.h"
#include "ops/losses.h"
#include "ops/shape_classes.h"
#include "ops/softmax.h"

namespace lectern {
namespace {

using test::Array;
using test::cost;
using test::Counted;
using test::each;
using test::expect_cost;
using test::kInfinity;
using test::loop_cost;
using test::states;
using test::uniform;

/// last(element, its power, the largest of its row, the sum of its row's powers); `sign` -1 for softmin.
template <typename Last>
Array row_by_row(const Tensor& x, std::int64_t dim, int sign, const Last& last) {
  const Array in(x), powers = Array::workspace(x.sizes()), out = Array::like(x);
  const Sizes whole = test::with_one(x.sizes(), dim);
  const Array most = states(x.sizes(), whole, {-kInfinity * sign}, [&](Counted state, const Sizes& i) {
    return sign > 0 ? max(state, in[i]) : test::kSmaller(state, in[i]);
  });
  test::for_each_index(x.sizes(), [&](const Sizes& i) {
    const Counted top{most.value(i)};
    powers.set(i, exp(sign > 0 ? in[i] - top : top - in[i]));
  });
  const Array sums =
      states(x.sizes(), whole, {0}, [&](Counted sum, const Sizes& i) { return sum + powers[i]; });
  test::for_each_index(x.sizes(), [&](const Sizes& i) {
    out.set(i, last(in[i], powers[i], Counted{most.value(i)}, Counted{sums.value(i)}));
  });
  return out;
}

TEST(Cost, OfSoftmax) {
  const auto share = [](Counted, Counted power, Counted, Counted sum) { return power / sum; };
  const auto log_share = [](Counted y, Counted, Counted most, Counted sum) {
    return y - Counted{most.value + std::log(sum.value)};
  };
  test::for_each_shape([&](const Tensor& x) {
    for (std::int64_t dim = -1; dim < x.dim(); ++dim) {
      expect_cost([&] { return softmax(x, dim); }, [&] { return row_by_row(x, dim, 1, share); });
      expect_cost([&] { return softmin(x, dim); }, [&] { return row_by_row(x, dim, -1, share); });
      expect_cost([&] { return log_softmax(x, dim); }, [&] { return row_by_row(x, dim, 1, log_share); });
    }
  });
}

/// Over the last `dims` dimensions; what is undefined takes no part.
Array normalized(const Tensor& x, std::size_t dims, bool is_centred, const Tensor& weight,
                 const Tensor& bias) {
  Sizes whole = x.sizes();
  double count = 1;
  for (std::size_t d = whole.size() - dims; d < whole.size(); ++d) {
    count *= static_cast<double>(whole[d]);
    whole[d] = 1;
  }
  const Array in(x), out = Array::like(x), none(x);
  const Array weights = weight.defined() ? Array(weight) : none, biases = bias.defined() ? Array(bias) : none;
  const auto mean = [&](double sum) { return sum / count; };
  if (count == 0 || x.numel() == 0) return out;
  Array means = none;
  if (is_centred) {
    const Array sums =
        states(x.sizes(), whole, {0}, [&](Counted sum, const Sizes& i) { return sum + in[i]; });
    means = test::finished(sums, mean);
  }
  const auto distance = [&](const Sizes& i) { return is_centred ? in[i] - Counted{means.value(i)} : in[i]; };
  const Array squares = states(x.sizes(), whole, {0}, [&](Counted sum, const Sizes& i) {
    const Counted d = distance(i);
    return sum + d * d;
  });
  const Array roots = test::finished(squares, [&](double sum) { return 1 / std::sqrt(mean(sum) + 1e-5); });
  test::for_each_index(x.sizes(), [&](const Sizes& i) {
    Counted y = distance(i) * Counted{roots.value(i)};
    if (weight.defined()) y = y * weights[i];
    if (bias.defined()) y = y + biases[i];
    out.set(i, y);
  });
  return out;
}

TEST(Cost, OfNorms) {
  test::for_each_shape([](const Tensor& x) {
    for (std::size_t dims = 1; dims <= x.sizes().size(); ++dims) {
      const Sizes shape = std::span(x.sizes()).last(dims);
      const Tensor w = uniform(shape, float32, 2), b = uniform(shape, float32, 3);
      const Tensor repeated =
          test::laid_out(3, shape, float32, [](const Sizes& s, Dtype d) { return uniform(s, d, 4); }).tensor;
      for (const Tensor& weight : {w, repeated, Tensor()}) {
        for (const Tensor& bias : {b, Tensor()}) {
          expect_cost([&] { return layer_norm(x, shape, weight, bias); },
                      [&] { return normalized(x, dims, true, weight, bias); });
        }
        expect_cost([&] { return rms_norm(x, shape, weight, 1e-5); },
                    [&] { return normalized(x, dims, false, weight, {}); });
      }
    }
  });
}

/// All elements, to one sum, of which the mean is taken by the way.
Array reduced(const Array& losses, LossReduction reduction) {
  if (reduction == LossReduction::unreduced) return losses;
  const std::int64_t count = checked_numel("reduced", losses.sizes());
  const Array sum = test::whole_sum(losses, Sizes::filled(losses.sizes().size(), 1)).viewed({});
  if (reduction == LossReduction::mean) sum.set({}, {sum.value({}) / static_cast<double>(count)});
  return sum;
}

constexpr LossReduction kLossReductions[] = {LossReduction::unreduced, LossReduction::mean,
                                             LossReduction::sum};

TEST(Cost, OfRegressionLosses) {
  for (const auto& [how, left, right] : test::broadcast_pairs()) {
    SCOPED_TRACE(how);
    const Tensor &x = left, &y = right;
    for (const LossReduction reduction : kLossReductions) {
      expect_cost(
          [&] { return mse_loss(x, y, reduction); },
          [&] { return reduced(each(test::kSquared, each(test::kMinus, Array(x), Array(y))), reduction); });
    }
  }
}

/// Logits, and targets that are some of their classes, in two layouts.
struct Classes {
  Tensor logits, target;
};
std::vector<Classes> classes_of_all_shapes() {
  std::vector<Classes> all;
  for (const auto& [how, x] : test::shape_classes()) {
    const std::size_t dim = x.dim() > 1 ? 1 : 0;
    if (x.dim() == 0 || x.sizes()[dim] == 0) continue;
    Sizes sizes = x.sizes();
    const std::int64_t count = sizes[dim];
    sizes.erase(dim);
    const auto make = [&](const Sizes& s, Dtype) { return test::counting(s).remainder(count); };
    for (const unsigned kind : {0U, 1U, 3U})
      all.push_back({x, test::laid_out(kind, sizes, int64, make).tensor});
  }
  return all;
}
std::size_t class_dim(const Tensor& logits) {
  return logits.dim() > 1 ? 1 : 0;
}

/// What the losses of all targets become; `weights` are theirs.
Array reduced_by_class(const Array& losses, const Array& weights, LossReduction reduction) {
  if (reduction == LossReduction::unreduced) return losses;
  const Array total = reduced(weights, LossReduction::sum);
  if (reduction == LossReduction::sum) return reduced(losses, reduction);
  return each(test::kDivided, reduced(losses, LossReduction::sum), total);
}

Array cross_entropy_loop(const Classes& of, const ClassLossOptions& options) {
  const Array logits(of.logits), classes(of.target);
  const Array weights(options.weight.defined() ? options.weight : of.logits);
  const std::size_t dim = class_dim(of.logits);
  const Sizes &sizes = of.logits.sizes(), &targets = of.target.sizes();
  const Sizes whole = test::with_one(sizes, static_cast<std::int64_t>(dim));
  const double smoothing = options.label_smoothing, count = static_cast<double>(sizes[dim]);
  const auto weight = [&](std::int64_t c) { return options.weight.defined() ? weights[{c}] : Counted{1}; };
  const Array losses = Array::made(targets), owns = Array::made(targets);
  const Array normalizers = Array::made(concat(targets, {2}));
  for (std::int64_t c = 0; of.target.numel() > 0 && c < sizes[dim]; ++c) (void)weight(c);
  const Array most = states(sizes, whole, {-kInfinity},
                            [&](Counted state, const Sizes& i) { return max(state, logits[i]); });
  const Array sums = states(sizes, whole, {0}, [&](Counted sum, const Sizes& i) {
    return sum + exp(logits[i] - Counted{most.value(i)});
  });
  const auto ln = [&](const Sizes& i) { return most.value(i) + std::log(sums.value(i)); };
  const Array shares = states(sizes, whole, {0}, [&](Counted sum, const Sizes& i) {
    return smoothing == 0 ? sum : sum + (logits[i] - Counted{ln(i)}) * weight(i[dim]);
  });
  test::for_each_index(targets, [&](const Sizes& at) {
    const auto target = static_cast<std::int64_t>(classes[at].value);
    const Sizes i = test::with(at, dim, target);
    const double own = weight(target).value;
    losses.set(at, {(1 - smoothing) * own * (ln(i) - logits[i].value) - smoothing / count * shares.value(i)});
    normalizers.set(test::with(at, at.size(), 0), {most.value(i)});
    normalizers.set(test::with(at, at.size(), 1), {std::log(sums.value(i))});
    owns.set(at, {own});
  });
  return reduced_by_class(losses, owns, options.reduction);
}

Array nll_loss_loop(const Classes& of, const ClassLossOptions& options) {
  const Array log_probs(of.logits), classes(of.target);
  const Array losses = Array::made(of.target.sizes()), owns = Array::made(of.target.sizes());
  const bool is_weighted = options.weight.defined();
  const Array weights(is_weighted ? options.weight : of.logits);
  const std::size_t dim = class_dim(of.logits);
  for (std::int64_t c = 0; is_weighted && of.target.numel() > 0 && c < of.logits.sizes()[dim]; ++c)
    (void)weights[{c}];
  test::for_each_index(of.target.sizes(), [&](const Sizes& at) {
    const auto target = static_cast<std::int64_t>(classes[at].value);
    const Counted own{is_weighted ? weights.value({target}) : 1};
    losses.set(at, Counted{-own.value} * log_probs.picked(test::with(at, dim, target)));
    owns.set(at, own);
  });
  return reduced_by_class(losses, owns, options.reduction);
}

TEST(Cost, OfLossesOfClasses) {
  for (const Classes& of : classes_of_all_shapes()) {
    SCOPED_TRACE(to_string(of.logits.sizes()) + " with strides " + to_string(of.logits.strides()) +
                 " and targets of strides " + to_string(of.target.strides()));
    const std::int64_t classes = of.logits.sizes()[class_dim(of.logits)];
    const Tensor weight = uniform({classes}, float32).abs();
    for (const LossReduction reduction : kLossReductions) {
      for (const Tensor& given : {Tensor(), weight, weight.narrow(0, 0, 1).expand({classes})}) {
        const ClassLossOptions plain{.weight = given, .reduction = reduction};
        expect_cost([&] { return nll_loss(of.logits, of.target, plain); },
                    [&] { return nll_loss_loop(of, plain); });
        for (const double smoothing : {0., 0.1}) {
          const ClassLossOptions options{
              .weight = given, .reduction = reduction, .label_smoothing = smoothing};
          expect_cost([&] { return cross_entropy(of.logits, of.target, options); },
                      [&] { return cross_entropy_loop(of, options); });
        }
      }
    }
  }
}

// As many operations as its two steps, but for the division of a mean, and without the logits in memory.
TEST(Cost, OfALinearLayersCrossEntropy) {
  constexpr std::int64_t kTargets = 7, kWidth = 4, kClasses = 9;
  const Tensor x = uniform({kTargets, kWidth}, float32), weight = uniform({kClasses, kWidth}, float32, 2);
  const Tensor target = test::counting({kTargets}).to(int64),
               of_classes = uniform({kClasses}, float32, 3).abs();
  for (const LossReduction reduction : {LossReduction::mean, LossReduction::sum}) {
    for (const double smoothing : {0., 0.1}) {
      for (const Tensor& given : {Tensor(), of_classes}) {
        const ClassLossOptions options{.weight = given, .reduction = reduction, .label_smoothing = smoothing};
        const Counters steps = cost([&] { cross_entropy(linear(x, weight), target, options); });
        const std::int64_t bytes = x.nbytes() + weight.nbytes() + target.nbytes() +
                                   (given.defined() ? given.nbytes() : 0) + x.element_size();
        const std::int64_t division = reduction == LossReduction::mean ? 1 : 0;
        for (const std::int64_t rows : {0, 3}) {
          EXPECT_EQ(cost([&] { linear_cross_entropy(x, weight, target, options, rows); }),
                    (Counters{steps.flops - division, bytes}));
        }
      }
    }
  }
  EXPECT_EQ(cost([&] { linear_cross_entropy(x.slice(0, 0, 0), weight, target.slice(0, 0, 0)); }), Counters{});
}

struct BinaryLoss {
  Tensor x, target, weight, pos_weight;
  LossReduction reduction;
};

/// (1 - t) x - ln σ(x) p, where the factors p and the weights may be missing.
Array binary_loss_loop(const BinaryLoss& of) {
  const auto log_sigmoid = [](Counted a) { return test::counted(-std::log1p(std::exp(-a.value))); };
  const auto one_minus = [](Counted a) { return Counted{1} - a; };
  Array of_true = each(log_sigmoid, Array(of.x));
  if (of.pos_weight.defined()) {
    const Array extra = each(test::plus(-1), Array(of.pos_weight));
    const Array factors = each(test::plus(1), each(test::kTimes, extra, Array(of.target)));
    of_true = each(test::kTimes, of_true, factors);
  }
  const Array of_false = each(test::kTimes, each(one_minus, Array(of.target)), Array(of.x));
  Array losses = each(test::kMinus, of_false, of_true);
  if (of.weight.defined()) losses = each(test::kTimes, losses, Array(of.weight));
  return reduced(losses, of.reduction);
}

TEST(Cost, OfBinaryLosses) {
  test::for_each_shape([](const Tensor& x) {
    const Tensor target = uniform(x.sizes(), float32, 2).abs();
    const Sizes last = x.dim() == 0 ? Sizes{} : Sizes{x.size(-1)};
    const Tensor row = uniform(last, float32, 3).abs();
    for (const LossReduction reduction : kLossReductions) {
      for (const Tensor& weight : {Tensor(), row}) {
        for (const Tensor& pos_weight : {Tensor(), row}) {
          expect_cost(
              [&] { return binary_cross_entropy_with_logits(x, target, weight, reduction, pos_weight); },
              [&] {
                return binary_loss_loop({x, target, weight, pos_weight, reduction});
              });
        }
      }
    }
  });
}

TEST(Cost, OfDropout) {
  const double p = 0.5;
  test::for_each_shape([=](const Tensor& x) {
    // What is drawn is divided in place; its layout is the contiguous one.
    EXPECT_EQ(cost([&] { dropout(x, p); }), loop_cost([&] {
                const Array drawn = test::filled_array(1, x.sizes());
                each(test::kTimes, Array(x), each(test::times(1 / (1 - p)), drawn));
              }));
    EXPECT_EQ(cost([&] { dropout(x, p, false); }), Counters{});
    EXPECT_EQ(cost([&] { dropout(x, 0); }), Counters{});
    // Nothing is drawn where nothing is kept.
    EXPECT_EQ(cost([&] { dropout(x, 1); }),
              loop_cost([&] { each(test::kTimes, Array(x), test::filled_array(0, {})); }));
  });
}

}  // namespace
}  // namespace lectern
