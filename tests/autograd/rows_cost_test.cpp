// What gradients of row operations and losses count, beside loops that count what they do.
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "autograd/gradient_cost.h"
#include "ops/cost_functions.h"
#include "ops/cross_entropy.h"
#include "ops/dropout.h"
#include "ops/elementwise.h"
#include "ops/layer_norm.h"
#include "ops/linear.h"
#include "ops/linear_cross_entropy.h"
#include "ops/losses.h"
#include "ops/softmax.h"

namespace lectern {
namespace {

using test::Array;
using test::Arrays;
using test::Counted;
using test::each;
using test::expect_gradients;
using test::for_each_leaf;
using test::random_leaf;
using test::states;
using test::sum_back;
using test::uniform;
using test::zero;

/// last(gradient, result, Σ term(gradient, result)) along `dim`.
template <typename Term, typename Last>
Arrays row_by_row(const Tensor& result, std::int64_t dim, const Array& grad, const Term& term,
                  const Last& last) {
  const Sizes& sizes = result.sizes();
  const Array y(result.detach()), out = Array::made(sizes);
  const Array sums = states(sizes, test::with_one(sizes, dim), {0},
                            [&](Counted sum, const Sizes& i) { return sum + term(grad[i], y[i]); });
  test::for_each_index(sizes,
                       [&](const Sizes& i) { out.set(i, last(grad[i], y[i], Counted{sums.value(i)})); });
  return {out};
}

TEST(BackwardCost, OfSoftmax) {
  const auto rising = [](Counted g, Counted y, Counted sum) { return (g - sum) * y; };
  const auto falling = [](Counted g, Counted y, Counted sum) { return (sum - g) * y; };
  const auto of_logarithm = [](Counted g, Counted y, Counted sum) { return g - exp(y) * sum; };
  const auto itself = [](Counted g, Counted) { return g; };
  for_each_leaf([&](const Tensor& x) {
    for (std::int64_t dim = 0; dim < std::max<std::int64_t>(1, x.dim()); ++dim) {
      expect_gradients(
          {x}, [&] { return softmax(x, dim); },
          [&](const Array& grad) { return row_by_row(softmax(x, dim), dim, grad, test::kTimes, rising); });
      expect_gradients(
          {x}, [&] { return softmin(x, dim); },
          [&](const Array& grad) { return row_by_row(softmin(x, dim), dim, grad, test::kTimes, falling); });
      expect_gradients(
          {x}, [&] { return log_softmax(x, dim); },
          [&](const Array& grad) {
            return row_by_row(log_softmax(x, dim), dim, grad, itself, of_logarithm);
          });
    }
  });
}

/// A normalisation over the last `dims` dimensions.
struct Normalization {
  Tensor x, weight;
  std::size_t dims;
  bool is_centred, of_weight, of_bias;

  Sizes shape() const { return std::span(x.sizes()).last(dims); }
};

Arrays norm_loop(const Normalization& of, const Array& grad) {
  const Sizes& sizes = of.x.sizes();
  const Sizes shape = of.shape();
  if (of.x.numel() == 0) {
    Arrays nothing{Array::made(sizes)};
    if (of.of_weight) nothing.push_back(zero(shape));
    if (of.of_bias) nothing.push_back(zero(shape));
    return nothing;
  }
  Sizes whole = sizes;
  for (std::size_t d = sizes.size() - of.dims; d < sizes.size(); ++d) whole[d] = 1;
  const auto count = static_cast<double>(checked_numel("", shape));
  const Array in(of.x), weight(of.weight.defined() ? of.weight : of.x), out = Array::made(sizes);
  // The statistics were written by the forward pass, as many bytes as are read now.
  const Tensor axes = of.x.detach();
  Sizes dims;
  for (std::size_t d = sizes.size() - of.dims; d < sizes.size(); ++d)
    dims.push_back(static_cast<std::int64_t>(d));
  const Tensor mean = of.is_centred ? axes.mean(dims, true) : zeros(whole);
  const Array means(mean), roots((axes - mean).square().mean(dims, true).add(1e-5).rsqrt());
  const Array weight_sums = Array::workspace(shape), bias_sums = Array::workspace(shape);
  const Array gs = Array::workspace(sizes), ns = Array::workspace(sizes),
              product_sums = Array::workspace(whole);
  const Array g_sums = states(sizes, whole, {0}, [&](Counted sum, const Sizes& i) {
    const Counted own = grad[i], g = of.weight.defined() ? own * weight[i] : own, root = roots[i];
    const Counted n = (of.is_centred ? in[i] - means[i] : in[i]) * root;
    product_sums.set(i, product_sums[i] + g * n);
    const Sizes at = std::span(i).last(of.dims);
    if (of.of_weight) weight_sums.set(at, weight_sums[at] + own * n);
    if (of.of_bias) bias_sums.set(at, bias_sums[at] + own);
    gs.set(i, g), ns.set(i, n);
    return of.is_centred ? sum + g : sum;
  });
  test::for_each_index(sizes, [&](const Sizes& i) {
    const Counted g_mean{g_sums.value(i) / count}, product_mean{product_sums.value(i) / count};
    out.set(i, ((of.is_centred ? gs[i] - g_mean : gs[i]) - ns[i] * product_mean) * roots[i]);
  });
  const auto same = [](double sum) { return sum; };
  Arrays gradients{out};
  if (of.of_weight) gradients.push_back(test::finished(weight_sums, same));
  if (of.of_bias) gradients.push_back(test::finished(bias_sums, same));
  return gradients;
}

TEST(BackwardCost, OfNorms) {
  for_each_leaf([](const Tensor& x) {
    for (std::size_t dims = 1; dims <= x.sizes().size(); ++dims) {
      const Sizes shape = std::span(x.sizes()).last(dims);
      const Tensor w = random_leaf(shape, 2), b = random_leaf(shape, 3);
      const auto loop = [&](bool is_centred, const Tensor& weight, bool of_weight, bool of_bias) {
        return [=](const Array& grad) {
          return norm_loop({x, weight, dims, is_centred, of_weight, of_bias}, grad);
        };
      };
      expect_gradients(
          {x, w, b}, [&] { return layer_norm(x, shape, w, b); }, loop(true, w, true, true));
      expect_gradients(
          {x, w}, [&] { return layer_norm(x, shape, w); }, loop(true, w, true, false));
      expect_gradients(
          {x}, [&] { return layer_norm(x, shape); }, loop(true, {}, false, false));
      expect_gradients(
          {x}, [&] { return layer_norm(x, shape, w.detach(), b.detach()); }, loop(true, w, false, false));
      expect_gradients(
          {x, w}, [&] { return rms_norm(x, shape, w, 1e-5); }, loop(false, w, true, false));
      expect_gradients(
          {x}, [&] { return rms_norm(x, shape, {}, 1e-5); }, loop(false, {}, false, false));
    }
  });
}

constexpr LossReduction kLossReductions[] = {LossReduction::unreduced, LossReduction::mean,
                                             LossReduction::sum};

/// The gradient of each of `sizes` losses, repeated where they are reduced.
Array each_loss(const Array& grad, LossReduction reduction, const Sizes& sizes) {
  if (reduction == LossReduction::unreduced) return grad;
  const double count = static_cast<double>(checked_numel("", sizes));
  const bool is_mean = reduction == LossReduction::mean && count != 1;
  return is_mean ? each(test::times(1 / count), grad) : grad;
}

TEST(BackwardCost, OfRegressionLosses) {
  const auto slope = [](Counted g, Counted d) { return test::counted(2 * g.value * d.value); };
  for (const auto& [how, left, right] : test::broadcast_pairs()) {
    SCOPED_TRACE(how);
    const Tensor x = test::leaf_like(left), y = test::leaf_like(right);
    for (const LossReduction reduction : kLossReductions) {
      expect_gradients(
          {x, y}, [&] { return mse_loss(x, y, reduction); },
          [&](const Array& grad) -> Arrays {
            const Tensor differences = x.detach() - y.detach();
            const Array share = each_loss(grad, reduction, differences.sizes());
            const Array of_x = each(slope, share, Array(differences));
            return {sum_back(of_x, x.sizes()), sum_back(each(test::kNegative, of_x), y.sizes())};
          });
    }
  }
}

TEST(BackwardCost, OfBinaryLosses) {
  for_each_leaf([](const Tensor& x) {
    const Tensor target = uniform(x.sizes(), float32, 2).abs();
    for (const LossReduction reduction : kLossReductions) {
      expect_gradients(
          {x}, [&] { return binary_cross_entropy_with_logits(x, target, {}, reduction); },
          [&](const Array& grad) -> Arrays {
            const auto through_log_sigmoid = [](Counted g, Counted a) {
              return test::counted(g.value / (1 + std::exp(a.value)));
            };
            const Array share = each_loss(grad, reduction, x.sizes());
            const Array minus = Array::like(x);  // of elements of its own, even where the share repeats one
            test::for_each_index(
                x.sizes(), [&](const Sizes& index) { minus.set(index, test::kNegative(share[index])); });
            const Array of_true = each(through_log_sigmoid, minus, Array(x));
            const Array of_false = each(test::kTimes, share, Array(1 - target));
            return {each(test::kPlus, of_false, of_true)};
          });
    }
  });
}

/// Logits along dimension 1 or the only one, and a target for each line.
struct Lines {
  Tensor logits, target;
  std::size_t dim;

  std::int64_t count() const { return logits.sizes()[dim]; }
};
std::vector<Lines> lines_of_all_shapes() {
  std::vector<Lines> all;
  for (const auto& [how, x] : test::shape_classes()) {
    const std::size_t dim = x.dim() > 1 ? 1 : 0;
    if (x.dim() == 0 || x.sizes()[dim] == 0) continue;
    const std::int64_t count = x.sizes()[dim];
    const auto make = [&](const Sizes& s, Dtype) { return test::counting(s).remainder(count); };
    for (const unsigned kind : {0U, 3U}) {
      all.push_back(
          {test::leaf_like(x), test::laid_out(kind, test::without(x.sizes(), dim), int64, make).tensor, dim});
    }
  }
  return all;
}

/// The factor of each line: one for all, unless the losses are not reduced.
Array line_factors(const Array& grad, const ClassLossOptions& options, const Lines& of) {
  if (options.reduction != LossReduction::mean) return grad;
  double total = 0;
  const Array target(of.target);
  test::for_each_index(of.target.sizes(), [&](const Sizes& at) {
    total += options.weight.defined()
                 ? Array(options.weight).value({static_cast<std::int64_t>(target.value(at))})
                 : 1;
  });
  return each(test::kDivided, grad, Array(full({}, total)));
}

Arrays cross_entropy_loop(const Array& grad, const ClassLossOptions& options, const Lines& of) {
  const Tensor x = of.logits.detach();
  const auto dim = static_cast<std::int64_t>(of.dim);
  const auto count = static_cast<double>(of.count());
  const Tensor largest = x.amax({dim}, true);
  const Array logits(x), target(of.target), out = Array::made(x.sizes());
  const bool is_weighted = options.weight.defined();
  const Array weights(is_weighted ? options.weight : x), factors = line_factors(grad, options, of).again();
  const Array most(largest), sums((x - largest).logsumexp({dim}, true));
  const double smoothing = options.label_smoothing;
  double total = 0;
  for (std::int64_t c = 0; is_weighted && of.target.numel() > 0 && c < of.count(); ++c)
    total += weights[{c}].value;
  if (!is_weighted) total = count;
  test::for_each_index(x.sizes(), [&](const Sizes& i) {
    const Sizes at = test::without(i, of.dim);
    const auto own = static_cast<std::int64_t>(target[at].value);
    const Counted normalizer{most[i].value + sums[i].value},
        factor = factors[factors.sizes().empty() ? Sizes{} : at];
    const double weight = is_weighted ? weights.value({own}) : 1;
    const double share = (1 - smoothing) * weight + smoothing / count * total;
    const Counted probability = exp(logits[i] - normalizer);
    const Counted wanted{i[of.dim] == own ? (1 - smoothing) * weight : 0};
    if (smoothing == 0) {
      out.set(i, Counted{(Counted{probability.value * share} - wanted).value} * factor);
      return;
    }
    const double spread = smoothing / count * (is_weighted ? weights.value({i[of.dim]}) : 1);
    out.set(i, (Counted{test::counted(probability.value * share).value} - wanted - Counted{spread}) * factor);
  });
  return {out};
}

TEST(BackwardCost, OfLossesOfClasses) {
  for (const Lines& of : lines_of_all_shapes()) {
    SCOPED_TRACE(to_string(of.logits.sizes()) + " with strides " + to_string(of.logits.strides()) +
                 " and targets of strides " + to_string(of.target.strides()));
    for (const LossReduction reduction : kLossReductions) {
      for (const Tensor& weight : {Tensor(), uniform({of.count()}, float32).abs()}) {
        const ClassLossOptions plain{.weight = weight, .reduction = reduction};
        expect_gradients(
            {of.logits}, [&] { return nll_loss(of.logits, of.target, plain); },
            [&](const Array& grad) -> Arrays {
              const Array target(of.target), out = zero(of.logits.sizes());
              const Array factors = line_factors(grad, plain, of).again();
              const Array weights(weight.defined() ? weight : of.logits);
              for (std::int64_t c = 0; weight.defined() && of.target.numel() > 0 && c < of.count(); ++c)
                (void)weights[{c}];
              test::for_each_index(of.target.sizes(), [&](const Sizes& at) {
                const auto own = static_cast<std::int64_t>(target[at].value);
                const Counted share{weight.defined() ? -weights.value({own}) : -1};
                out.put(test::with(at, of.dim, own), share * factors[factors.sizes().empty() ? Sizes{} : at]);
              });
              return {out};
            });
        for (const double smoothing : {0., 0.1}) {
          const ClassLossOptions options{
              .weight = weight, .reduction = reduction, .label_smoothing = smoothing};
          expect_gradients(
              {of.logits}, [&] { return cross_entropy(of.logits, of.target, options); },
              [&](const Array& grad) { return cross_entropy_loop(grad, options, of); });
        }
      }
    }
  }
}

// Its gradients come with the loss: forward counts what forward and backward of its two steps do, but for the
// divisions of a mean and the memory between them; backward scales.
TEST(BackwardCost, OfALinearLayersCrossEntropy) {
  const Tensor x = random_leaf({7, 4}), weight = random_leaf({9, 4}, 2);
  const Tensor target = test::counting({7}).to(int64);
  for (const double smoothing : {0., 0.1}) {
    const ClassLossOptions options{.label_smoothing = smoothing};
    const auto flops_of_steps = [&](const std::vector<Tensor>& inputs, const Tensor& in, const Tensor& w) {
      return test::cost([&] {
               autograd::grad({cross_entropy(linear(in, w), target, options)}, inputs);
             }).flops -
             2;
    };
    const auto expect_costs = [&](const std::vector<Tensor>& inputs, const Tensor& in, const Tensor& w) {
      std::int64_t elements = 0;
      for (const Tensor& input : inputs) elements += input.numel();
      Tensor loss;
      EXPECT_EQ(test::cost([&] { loss = linear_cross_entropy(in, w, target, options); }),
                (Counters{flops_of_steps(inputs, in, w),
                          in.nbytes() + w.nbytes() + target.nbytes() + 4 + 4 * elements}));
      const Tensor grad = uniform({}, float32, 9);
      EXPECT_EQ(test::cost([&] { autograd::grad({loss}, inputs, {grad}); }),
                (Counters{elements, 8 * elements}));
    };
    expect_costs({x, weight}, x, weight);
    expect_costs({x}, x, weight.detach());
    expect_costs({weight}, x.detach(), weight);
  }
}

TEST(BackwardCost, OfDropout) {
  for_each_leaf([](const Tensor& x) {
    const Tensor dropped = dropout(x, 0.5);
    for (const Tensor& grad : test::gradients_like(dropped)) {
      EXPECT_EQ(test::cost([&] { autograd::grad({dropped}, {x}, {grad}, {.retain_graph = true}); }),
                test::loop_cost([&] { each(test::kTimes, Array(grad), Array::made(x.sizes())); }));
    }
  });
}

}  // namespace
}  // namespace lectern
