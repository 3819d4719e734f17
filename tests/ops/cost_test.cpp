// What operations count, beside loops that count what they do.
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "kernels/elementwise.h"
#include "ops/activations.h"
#include "ops/attention.h"
#include "ops/counting_loops.h"
#include "ops/cross_entropy.h"
#include "ops/einops/einsum.h"
#include "ops/elementwise.h"
#include "ops/embedding.h"
#include "ops/extremum.h"
#include "ops/flip.h"
#include "ops/gather.h"
#include "ops/index.h"
#include "ops/join.h"
#include "ops/layer_norm.h"
#include "ops/linear.h"
#include "ops/losses.h"
#include "ops/matmul.h"
#include "ops/nonzero.h"
#include "ops/random.h"
#include "ops/reductions.h"
#include "ops/repeat.h"
#include "ops/scan.h"
#include "ops/selection.h"
#include "ops/softmax.h"
#include "ops/sort.h"
#include "ops/tensors.h"
#include "ops/triangle.h"

namespace lectern {
namespace {

using kernels::DtypeRule;
using test::Array;
using test::cost;
using test::Counted;
using test::each;
using test::expect_cost;
using test::folded;
using test::kInfinity;
using test::loop_cost;
using test::product;
using test::sum_along;
using test::uniform;

constexpr auto kItself = [](Counted x) { return x; };
constexpr auto kPlus = [](Counted a, Counted b) { return a + b; };
constexpr auto kMinus = [](Counted a, Counted b) { return a - b; };
constexpr auto kTimes = [](Counted a, Counted b) { return a * b; };
constexpr auto kLarger = [](Counted a, Counted b) { return max(a, b); };
constexpr auto kSquared = [](Counted x) { return x * x; };
constexpr auto kSumOfSquares = [](Counted sum, Counted x) { return sum + x * x; };

/// Reads all elements and writes those of the result, one function each.
void loop_each(const Tensor& result, const std::vector<Tensor>& given) {
  const Array out = Array::like(result);
  const std::vector<Array> in(given.begin(), given.end());
  test::for_each_index(out.sizes(), [&](const Sizes& index) {
    for (const Array& array : in) (void)array[index];
    out.set(index, test::counted(0));
  });
}

Tensor operand(DtypeRule rule, const Sizes& sizes) {
  const bool whole = rule == DtypeRule::bits || rule == DtypeRule::integer;
  return full(sizes, 1, {.dtype = whole ? int64 : float32});
}

/// That call(), a tensor, counts one function for each of its elements.
template <typename Call>
void expect_each(const Call& call, const std::vector<Tensor>& given, std::string_view name) {
  Tensor made;
  const Counters counted = cost([&] { made = call(); });
  EXPECT_EQ(counted, loop_cost([&] { loop_each(made, given); })) << name;
}

TEST(Cost, OfEveryUnaryOperation) {
  const Sizes sizes{3, 4};
#define LECTERN_ROW(name, Functor, rule, autocast)            \
  {                                                           \
    const Tensor x = operand(DtypeRule::rule, sizes);         \
    for (const Tensor& in : {x, x.t(), x[0].expand({5, 4})})  \
      expect_each([&] { return in.name(); }, {in}, #name);    \
    expect_each([&] { return x.name##_(); }, {x}, #name "_"); \
  }
  LECTERN_UNARY_OPERATIONS(LECTERN_ROW)
#undef LECTERN_ROW
}

TEST(Cost, OfEveryBinaryOperation) {
  const Sizes sizes{3, 4};
#define LECTERN_ROW(name, Functor, rule, autocast)                                         \
  {                                                                                        \
    const Tensor x = operand(DtypeRule::rule, sizes), row = operand(DtypeRule::rule, {4}); \
    const Tensor column = operand(DtypeRule::rule, {3, 1}), turned = x.t().clone().t();    \
    for (const Tensor& other : {x, turned, row, column, row.expand({3, 4})})               \
      expect_each([&] { return name(x, other); }, {x, other}, #name);                      \
    for (const Tensor& other : {turned, row, column, row.expand({3, 4})})                  \
      expect_each([&] { return x.name##_(other); }, {x, other}, #name "_");                \
    expect_each([&] { return name(column, row); }, {column, row}, #name);                  \
    expect_each([&] { return name(x, 3); }, {x}, #name);                                   \
    expect_each([&] { return name(3, x); }, {x}, #name);                                   \
    expect_each([&] { return x.name##_(1); }, {x}, #name "_");                             \
  }
  LECTERN_BINARY_OPERATIONS(LECTERN_ROW)
#undef LECTERN_ROW
}

TEST(Cost, OfSelections) {
  const Tensor x = uniform({3, 4}, float32), row = uniform({4}, float32), mask = x > 0;
  const std::optional<Tensor> bound = row;
  expect_each([&] { return where(mask, x, row); }, {mask, x, row}, "where");
  expect_each([&] { return where(mask, 0, x); }, {mask, x}, "where of a number");
  expect_each([&] { return clamp(x, Scalar(-1), Scalar(1)); }, {x}, "clamp");
  expect_each([&] { return clamp(x, Scalar(-1)); }, {x}, "clamp from below");
  expect_each([&] { return clamp(x, bound, bound); }, {x, row, row}, "clamp by tensors");
  expect_each([&] { return masked_fill(x, mask, 2); }, {x, mask}, "masked_fill");
  expect_each([&] { return x.masked_fill_(mask, 2); }, {x, mask}, "masked_fill_");
  expect_each([&] { return swiglu(x); }, {x.narrow(1, 0, 2), x.narrow(1, 2, 2)}, "swiglu");
}

TEST(Cost, OfReductions) {
  const Tensor x = uniform({3, 4}, float32), positive = x.abs();
  const auto along = [](const Tensor& in, Counted start, const auto& combine, const auto& finish) {
    return [=] {
      const Array sums = folded(Array(in), 1, start, combine);
      for (std::int64_t i = 0; i < sums.sizes()[0]; ++i) sums.set({i}, finish(sums.value({i})));
      return sums;
    };
  };
  const auto once = [](double f(double)) { return [f](double number) { return Counted{f(number)}; }; };
  const auto same = [](double number) { return Counted{number}; };
  for (const Tensor& in : {x, uniform({4, 3}, float32).t(), uniform({1, 4}, float32).expand({3, 4})}) {
    expect_cost([&] { return sum(in, {1}); }, along(in, {0}, kPlus, same));
    expect_cost([&] { return mean(in, {1}); },
                along(in, {0}, kPlus, [](double sum) { return Counted{sum / 4}; }));
    expect_cost([&] { return prod(in, 1); }, along(in, {1}, kTimes, same));
    expect_cost([&] { return amax(in, {1}); }, along(in, {-kInfinity}, kLarger, same));
    expect_cost([&] { return norm(in, 1, {1}); },
                along(
                    in, {0}, [](Counted sum, Counted y) { return sum + abs(y); }, same));
    expect_cost([&] { return norm(in, 2, {1}); }, along(in, {0}, kSumOfSquares, once(std::sqrt)));
    expect_cost([&] { return norm(in, kInfinity, {1}); },
                along(
                    in, {0}, [](Counted most, Counted y) { return max(most, abs(y)); }, same));
  }
  expect_cost([&] { return sum(x, {0}); }, [&] { return sum_along(Array(x), 0); });
  expect_cost([&] { return sum(x); }, [&] { return sum_along(Array(x.view({12})), 0); });
  expect_cost([&] { return sum(x, float64); },
              [&] {
                const Array out = Array::like(zeros({}, {.dtype = float64})), in(x);
                Counted total;
                test::for_each_index(x.sizes(), [&](const Sizes& index) { total = total + in[index]; });
                out.set({}, total);
                return out;
              });
  expect_cost([&] { return cumsum(x, 1); },
              [&] {
                const Array in(x), out = Array::like(x);
                for (std::int64_t r = 0; r < 3; ++r) {
                  Counted sum;
                  for (std::int64_t c = 0; c < 4; ++c) out.set({r, c}, sum = sum + in[{r, c}]);
                }
                return out;
              });
}

TEST(Cost, OfTruthsAndPositions) {
  const Tensor x = uniform({3, 4}, float32);
  const auto truths = [&](Dtype dtype, double start, const auto& combine) {
    return [&x, dtype, start, combine] {
      const Array in(x), out = Array::like(zeros({3}, {.dtype = dtype}));
      for (std::int64_t r = 0; r < 3; ++r) {
        Counted state{start};
        for (std::int64_t c = 0; c < 4; ++c) state = combine(state, in[{r, c}]);
        out.set({r}, state);
      }
      return out;
    };
  };
  expect_cost([&] { return any(x, {1}); }, truths(bool_, 0, [](Counted state, Counted y) {
                return test::counted(y.value != 0 ? 1 : state.value);
              }));
  expect_cost([&] { return all(x, {1}); }, truths(bool_, 1, [](Counted state, Counted y) {
                return test::counted(y.value == 0 ? 0 : state.value);
              }));
  expect_cost([&] { return count_nonzero(x, {1}); }, truths(int64, 0, [](Counted state, Counted y) {
                return state + test::counted(y.value != 0 ? 1 : 0);
              }));
  expect_cost([&] { return max(x, 1).indices; },
              [&] {
                const Array in(x), values = Array::made({3}),
                                   indices = Array::like(zeros({3}, {.dtype = int64}));
                for (std::int64_t r = 0; r < 3; ++r) {
                  Counted most{-kInfinity}, place;
                  for (std::int64_t c = 0; c < 4; ++c) {
                    if ((most < in[{r, c}]).value != 0)
                      most = in[{r, c}], place.value = static_cast<double>(c);
                  }
                  values.set({r}, most);
                  indices.set({r}, place);
                }
                return indices;
              });
}

TEST(Cost, OfVariancesAndPowers) {
  const Tensor x = uniform({3, 4}, float32);
  const auto squares = [&](const Array& in) {
    const Array out = Array::made({3});
    for (std::int64_t r = 0; r < 3; ++r) {
      Counted sum, deviations;
      for (std::int64_t c = 0; c < 4; ++c) sum = sum + in[{r, c}];
      const Counted mean{sum.value / 4};
      for (std::int64_t c = 0; c < 4; ++c) {
        const Counted distance = in[{r, c}] - mean;
        deviations = deviations + distance * distance;
      }
      out.set({r}, deviations);
    }
    return out;
  };
  const auto third = [](Counted sum) { return sum / Counted{3}; };
  // What comes after the sum is an operation in place.
  expect_cost([&] { return var(x, {1}); }, [&] { return each(third, squares(Array(x))); });
  expect_cost([&] { return std(x, {1}); },
              [&] {
                const auto root = [](Counted square) { return test::counted(std::sqrt(square.value)); };
                return each(root, each(third, squares(Array(x))));
              });
  expect_cost([&] { return logsumexp(x, {1}); },
              [&] {
                const Array in(x), out = Array::made({3});
                for (std::int64_t r = 0; r < 3; ++r) {
                  Counted most{-kInfinity}, sum;
                  for (std::int64_t c = 0; c < 4; ++c) most = max(most, in[{r, c}]);
                  for (std::int64_t c = 0; c < 4; ++c) sum = sum + exp(in[{r, c}] - most);
                  out.set({r}, {most.value + std::log(sum.value)});
                }
                return out;
              });
}

TEST(Cost, OfSoftmax) {
  for (const Tensor& x : {uniform({3, 4}, float32), uniform({1, 4}, float32).expand({3, 4})}) {
    const auto loop = [&](const auto& last) {
      const Array in(x), powers = Array::workspace({3, 4}), out = Array::like(x);
      for (std::int64_t r = 0; r < 3; ++r) {
        Counted most{-kInfinity}, sum;
        for (std::int64_t c = 0; c < 4; ++c) most = max(most, in[{r, c}]);
        for (std::int64_t c = 0; c < 4; ++c) powers.set({r, c}, exp(in[{r, c}] - most));
        for (std::int64_t c = 0; c < 4; ++c) sum = sum + powers[{r, c}];
        for (std::int64_t c = 0; c < 4; ++c) out.set({r, c}, last(in[{r, c}], powers[{r, c}], most, sum));
      }
      return out;
    };
    expect_cost(
        [&] { return softmax(x, 1); },
        [&] { return loop([](Counted, Counted power, Counted, Counted sum) { return power / sum; }); });
    expect_cost([&] { return log_softmax(x, 1); },
                [&] {
                  return loop([](Counted y, Counted, Counted most, Counted sum) {
                    return y - Counted{most.value + std::log(sum.value)};
                  });
                });
  }
}

TEST(Cost, OfNorms) {
  const Tensor x = uniform({3, 4}, float32), w = uniform({4}, float32, 2), b = uniform({4}, float32, 3);
  const auto loop = [&](bool centred, const Tensor& weight, const Tensor& bias) {
    const Array in(x), out = Array::like(x), means = Array::made({3}), roots = Array::made({3});
    const Array weights(weight.defined() ? weight : w), biases(bias.defined() ? bias : b);
    for (std::int64_t r = 0; r < 3; ++r) {
      Counted sum, squares;
      for (std::int64_t c = 0; centred && c < 4; ++c) sum = sum + in[{r, c}];
      const Counted mean{sum.value / 4};
      if (centred) means.set({r}, mean);
      const auto distance = [&](std::int64_t c) { return centred ? in[{r, c}] - mean : in[{r, c}]; };
      for (std::int64_t c = 0; c < 4; ++c) {
        const Counted d = distance(c);
        squares = squares + d * d;
      }
      const Counted root{1 / std::sqrt(squares.value / 4 + 1e-5)};
      roots.set({r}, root);
      for (std::int64_t c = 0; c < 4; ++c) {
        Counted y = distance(c) * root;
        if (weight.defined()) y = y * weights[{c}];
        if (bias.defined()) y = y + biases[{c}];
        out.set({r, c}, y);
      }
    }
    return out;
  };
  for (const Tensor& weight : {w, Tensor()}) {
    for (const Tensor& bias : {b, Tensor()}) {
      expect_cost([&] { return layer_norm(x, {4}, weight, bias); }, [&] { return loop(true, weight, bias); });
    }
    expect_cost([&] { return rms_norm(x, {4}, weight, 1e-5); }, [&] { return loop(false, weight, {}); });
  }
}

TEST(Cost, OfLosses) {
  const Tensor x = uniform({3, 4}, float32), y = uniform({3, 4}, float32, 2),
               weight = uniform({4}, float32).abs();
  const Tensor target = tensor({2, 0, 3});
  const auto mean = [](const Array& losses) {
    const Array out = sum_along(losses, 0);
    out.set({}, {out.value({}) / static_cast<double>(losses.sizes()[0])});
    return out;
  };
  expect_cost([&] { return mse_loss(x, y); },
              [&] { return mean(each(kSquared, each(kMinus, Array(x), Array(y))).viewed({12})); });
  for (const double smoothing : {0., 0.1}) {
    const ClassLossOptions options{
        .weight = weight, .reduction = LossReduction::sum, .label_smoothing = smoothing};
    expect_cost(
        [&] { return cross_entropy(x, target, options); },
        [&] {
          const Array logits(x), classes(target), weights(weight);
          const Array losses = Array::made({3}), sums = Array::made({3, 2}), counts = Array::made({3});
          test::for_each_index(weight.sizes(), [&](const Sizes& c) { (void)weights[c]; });
          for (std::int64_t r = 0; r < 3; ++r) {
            Counted most{-kInfinity}, sum, weighted;
            for (std::int64_t c = 0; c < 4; ++c) most = max(most, logits[{r, c}]);
            for (std::int64_t c = 0; c < 4; ++c) sum = sum + exp(logits[{r, c}] - most);
            const Counted ln{most.value + std::log(sum.value)};
            for (std::int64_t c = 0; smoothing > 0 && c < 4; ++c)
              weighted = weighted + (logits[{r, c}] - ln) * weights[{c}];
            const auto at = static_cast<std::int64_t>(classes[{r}].value);
            const double w = weights[{at}].value;
            losses.set({r}, {(1 - smoothing) * w * (ln.value - logits[{r, at}].value) -
                             smoothing / 4 * weighted.value});
            sums.set({r, 0}, most), sums.set({r, 1}, {std::log(sum.value)});
            counts.set({r}, {w});
          }
          sum_along(counts, 0);
          return sum_along(losses, 0);
        });
  }
  expect_cost([&] { return nll_loss(x, target, {.reduction = LossReduction::sum}); },
              [&] {
                const Array log_probs(x), classes(target), losses = Array::made({3}),
                                                           counts = Array::made({3});
                for (std::int64_t r = 0; r < 3; ++r) {
                  const auto at = static_cast<std::int64_t>(classes[{r}].value);
                  losses.set({r}, Counted{-1} * log_probs[{r, at}]);
                  counts.set({r}, {1});
                }
                sum_along(counts, 0);
                return sum_along(losses, 0);
              });
  const Tensor odds = y.abs();
  expect_cost(
      [&] { return binary_cross_entropy_with_logits(x, odds); },
      [&] {
        const Array in(x), t(odds);
        const auto minus = [](Counted a) { return test::counted(-a.value); };
        const auto positive = [](Counted a) { return max(a, {0}); };
        const auto soft = each(
            [](Counted a) { return log1p(a); },
            each([](Counted a) { return exp(a); }, each(minus, each([](Counted a) { return abs(a); }, in))));
        const Array of_true = each(kPlus, soft, each(positive, each(minus, Array(x))));
        const Array others = each(kTimes, each([](Counted a) { return Counted{1} - a; }, t), Array(x));
        return mean(each(kPlus, others, of_true).viewed({12}));
      });
}

TEST(Cost, OfProducts) {
  const Tensor a = uniform({3, 4}, float32), b = uniform({4, 5}, float32, 2), c = uniform({5}, float32, 3);
  const Tensor turned = b.t().clone().t();
  const auto add = [](const Array& x, const Array& y) { return each(kPlus, x, y); };
  expect_cost([&] { return matmul(a, b); }, [&] { return product(Array(a), Array(b)); });
  expect_cost([&] { return matmul(a, turned); }, [&] { return product(Array(a), Array(b)); });
  expect_cost([&] { return matmul(a, b[0].narrow(0, 0, 4)); },
              [&] {
                return product(Array(a), Array(b[0].narrow(0, 0, 4).view({4, 1}))).viewed({3});
              });
  expect_cost([&] { return dot(c, c); },
              [&] {
                return product(Array(c.view({1, 5})), Array(c.view({5, 1}))).viewed({});
              });
  expect_cost([&] { return outer(a[0], c); },
              [&] {
                return each(kTimes, Array(a[0].view({4, 1})), Array(c));
              });
  expect_cost([&] { return linear(a, b.t(), c); },
              [&] { return add(product(Array(a), Array(b)), Array(c)); });
  expect_cost([&] { return addmm(c, a, b); }, [&] { return add(product(Array(a), Array(b)), Array(c)); });
  expect_cost([&] { return addmm(c, a, b, 0.5, 2); },
              [&] {
                const auto scaled = [](double by) { return [by](Counted x) { return x * Counted{by}; }; };
                return add(each(scaled(2), product(Array(a), Array(b))), each(scaled(0.5), Array(c)));
              });
  expect_cost([&] { return einsum(a, b, "i k, k j -> i j"); }, [&] { return product(Array(a), Array(b)); });
  expect_cost([&] { return einsum(a, c, "i k, j -> i j"); },
              [&] {
                return each(kTimes, sum_along(Array(a), 1).viewed({3, 1}), Array(c));
              });
  // A batch on both sides, one matrix for all of them, and repeated ones, which are read once.
  const Tensor many = uniform({2, 3, 4}, float32), others = uniform({2, 4, 5}, float32, 2);
  const auto batch = [&](const Tensor& left, const Tensor& right) {
    const Array x(left), y(right), out = Array::made({2, 3, 5});
    test::for_each_index(out.sizes(), [&](const Sizes& at) {
      Counted sum;
      for (std::int64_t k = 0; k < 4; ++k) sum = sum + x[{at[0], at[1], k}] * y[{at[0], k, at[2]}];
      out.set(at, sum);
    });
    return out;
  };
  expect_cost([&] { return bmm(many, others); }, [&] { return batch(many, others); });
  expect_cost([&] { return matmul(many, b); }, [&] { return batch(many, b); });
  expect_cost([&] { return matmul(a, others); }, [&] { return batch(a, others); });
  expect_cost([&] { return bmm(a.expand({2, 3, 4}), others); }, [&] { return batch(a, others); });
}

TEST(Cost, OfAttention) {
  const Tensor q = uniform({2, 3, 4}, float32), k = uniform({2, 5, 4}, float32, 2),
               v = uniform({2, 5, 6}, float32, 3), mask = uniform({3, 5}, float32, 4);
  const AttentionOptions cases[] = {{}, {.is_causal = true}, {.attn_mask = mask}};
  for (const AttentionOptions& options : cases) {
    const bool causal = options.is_causal, is_added = options.attn_mask.defined();
    expect_cost([&] { return scaled_dot_product_attention(q, k, v, options); },
                [&] {
                  const Array queries(q), keys(k), values(v), added(mask), out = Array::made({2, 3, 6});
                  for (std::int64_t n = 0; n < 2; ++n) {
                    for (std::int64_t i = 0; i < 3; ++i) {
                      const std::int64_t seen = causal ? i + 1 : 5;
                      std::vector<Counted> query, scores, sums(6);
                      for (std::int64_t e = 0; e < 4; ++e) query.push_back(queries[{n, i, e}] * Counted{0.5});
                      Counted most{-kInfinity}, total;
                      for (std::int64_t j = 0; j < seen; ++j) {
                        Counted score;
                        for (std::int64_t e = 0; e < 4; ++e)
                          score = score + query[static_cast<std::size_t>(e)] * keys[{n, j, e}];
                        if (is_added) score = score + added[{i, j}];
                        scores.push_back(score);
                        most = max(most, score);
                      }
                      for (Counted& score : scores) total = total + (score = exp(score - most));
                      for (std::int64_t j = 0; j < seen; ++j) {
                        const Counted weight = scores[static_cast<std::size_t>(j)] / total;
                        for (std::int64_t e = 0; e < 6; ++e) {
                          Counted& sum = sums[static_cast<std::size_t>(e)];
                          sum = sum + weight * values[{n, j, e}];
                        }
                      }
                      for (std::int64_t e = 0; e < 6; ++e)
                        out.set({n, i, e}, sums[static_cast<std::size_t>(e)]);
                    }
                  }
                  // Keys that no query sees are among what attention is given.
                  for (std::int64_t n = 0; n < 2; ++n) {
                    for (std::int64_t j = 0; j < 5; ++j) {
                      for (std::int64_t e = 0; e < 6; ++e) (void)values[{n, j, e}];
                      for (std::int64_t e = 0; e < 4; ++e) (void)keys[{n, j, e}];
                    }
                  }
                  return out;
                });
  }
}

TEST(Cost, OfViewsIsNothing) {
  const Tensor x = uniform({3, 4}, float32);
  EXPECT_EQ(cost([&] {
              x.t().unsqueeze(0).expand({2, 4, 3}).select(0, 1).narrow(0, 1, 2).diagonal();
              x.view({12}).unflatten(0, {2, 6}).flatten().slice(0, 1, 9, 2).detach();
              x.permute({1, 0}).squeeze().as_strided({2}, {3});
              x.split(2, 1);
              x.unbind(0);
              x.reshape({2, 6});
            }),
            Counters{});
}

TEST(Cost, OfCopies) {
  const Tensor x = uniform({3, 4}, float32), y = uniform({2, 4}, float32, 2), row = x[0].expand({3, 4});
  const auto copy = [](const Tensor& in) { return [in] { return test::copied(Array(in)); }; };
  expect_cost([&] { return x.clone(); }, copy(x));
  expect_cost([&] { return x.t().contiguous(); }, copy(x.t()));
  expect_cost([&] { return row.contiguous(); }, copy(row));
  expect_cost(
      [&] {
        return zeros({3, 4}).copy_(row);
      },
      [&] {
        const Array out = each(kItself, Array(row)), zeros = Array::made({3, 4});
        test::for_each_index(zeros.sizes(), [&](const Sizes& index) { zeros.set(index, {0}); });
        return out;
      });
  expect_cost([&] { return x.to(float64); },
              [&] {
                const Array in(x), out = Array::like(x.to(float64));
                test::for_each_index(x.sizes(), [&](const Sizes& index) { out.set(index, in[index]); });
                return out;
              });
  const auto joined = [&](const Sizes& sizes, const auto& from) {
    return [&, sizes, from] {
      const Array a(x), b(y), out = Array::made(sizes);
      test::for_each_index(sizes, [&](const Sizes& at) { out.set(at, from(a, b, at)); });
      return out;
    };
  };
  expect_cost(
      [&] {
        return cat({x, y});
      },
      joined({5, 4}, [](const Array& a, const Array& b, const Sizes& at) {
        return at[0] < 3 ? a[at] : b[{at[0] - 3, at[1]}];
      }));
  expect_cost(
      [&] {
        return stack({x[0], x[1]});
      },
      joined({2, 4}, [](const Array& a, const Array&, const Sizes& at) { return a[at]; }));
  expect_cost([&] { return flip(x, {1}); }, joined({3, 4}, [](const Array& a, const Array&, const Sizes& at) {
                return a[{at[0], 3 - at[1]}];
              }));
  expect_cost([&] { return roll(x, {1}, {0}); },
              joined({3, 4}, [](const Array& a, const Array&, const Sizes& at) {
                return a[{(at[0] + 2) % 3, at[1]}];
              }));
  expect_cost(
      [&] {
        return repeat(x, {2, 1});
      },
      joined({6, 4}, [](const Array& a, const Array&, const Sizes& at) {
        return a[{at[0] % 3, at[1]}];
      }));
  expect_cost([&] { return tril(x); }, joined({3, 4}, [](const Array& a, const Array&, const Sizes& at) {
                const Counted number = a[at];
                return at[1] <= at[0] ? number : Counted{0};
              }));
}

TEST(Cost, OfIndexing) {
  const Tensor x = uniform({3, 4}, float32), rows = tensor({2, 0, 2, 1, 2});
  const auto at = [](const Array& index, const Sizes& place) {
    return static_cast<std::int64_t>(index[place].value);
  };
  const auto taken = [&] {
    const Array in(x), index(rows), out = Array::made({5, 4});
    test::for_each_index(out.sizes(), [&](const Sizes& i) {
      out.set(i, in.picked({at(index, {i[0]}), i[1]}));
    });
    return out;
  };
  expect_cost([&] { return embedding(rows, x); }, taken);
  expect_cost([&] { return index_select(x, 0, rows); }, taken);
  expect_cost([&] { return x.index({rows}); }, taken);
  const Tensor columns = tensor({3, 3, 0, 1, 2});
  expect_cost(
      [&] {
        return x.index({rows, columns});
      },
      [&] {
        const Array in(x), first(rows), second(columns), out = Array::made({5});
        for (std::int64_t i = 0; i < 5; ++i) out.set({i}, in.picked({at(first, {i}), at(second, {i})}));
        return out;
      });
  const Tensor places = tensor({{2, 0, 0, 1}, {2, 2, 1, 1}});
  expect_cost([&] { return gather(x, 0, places); },
              [&] {
                const Array in(x), index(places), out = Array::made({2, 4});
                test::for_each_index(out.sizes(), [&](const Sizes& i) {
                  out.set(i, in.picked({at(index, i), i[1]}));
                });
                return out;
              });
  const Tensor values = uniform({2, 4}, float32, 2);
  const auto scattered = [&](bool accumulate) {
    return [&, accumulate] {
      const Array out = test::copied(Array(x)), index(places), given(values);
      test::for_each_index(values.sizes(), [&](const Sizes& i) {
        const Sizes to{at(index, i), i[1]};
        out.put(to, accumulate ? out.picked(to) + given[i] : given[i]);
      });
      return out;
    };
  };
  expect_cost([&] { return scatter(x, 0, places, values); }, scattered(false));
  expect_cost([&] { return scatter_add(x, 0, places, values); }, scattered(true));
  const Tensor terms = uniform({5, 4}, float32, 3);
  expect_cost([&] { return index_add(x, 0, rows, terms); },
              [&] {
                const Array out = test::copied(Array(x)), index(rows), given(terms);
                test::for_each_index(terms.sizes(), [&](const Sizes& i) {
                  const Sizes to{at(index, {i[0]}), i[1]};
                  out.put(to, out.picked(to) + given[i]);
                });
                return out;
              });
  const Tensor numbers = tensor({2, 0, 2, 1});
  expect_cost([&] { return one_hot(numbers, 3); },
              [&] {
                const Array in(numbers), classes = Array::like(zeros({3}, {.dtype = int64}));
                const Array truths = Array::like(zeros({4, 3}, {.dtype = bool_}));
                const Array out = Array::like(zeros({4, 3}, {.dtype = int64}));
                for (std::int64_t c = 0; c < 3; ++c) classes.set({c}, {static_cast<double>(c)});
                test::for_each_index(truths.sizes(), [&](const Sizes& i) {
                  const bool is_it = in[{i[0]}].value == classes[{i[1]}].value;
                  truths.set(i, test::counted(is_it ? 1 : 0));
                });
                test::each_into(
                    out, [](Counted truth) { return truth; }, truths);
                return out;
              });
  const Tensor shares = uniform({4}, float32, 4), one = ones({}, {.dtype = int64});
  const auto binned = [&](const Tensor& weights) {
    const Array in(numbers), given(weights);
    const Array out = Array::like(zeros({3}, {.dtype = weights.dtype()}));
    for (std::int64_t c = 0; c < 3; ++c) out.set({c}, {0});
    for (std::int64_t i = 0; i < 4; ++i) {
      const Sizes to{at(in, {i})};
      out.put(to, out.picked(to) + given[{i}]);
    }
    return out;
  };
  expect_cost([&] { return bincount(numbers, shares); }, [&] { return binned(shares); });
  expect_cost([&] { return bincount(numbers); },
              [&] {
                Array::like(one).set({}, {1});
                return binned(one.expand({4}));
              });
  const auto found_in = [](const Array& truths) {
    std::vector<Sizes> found;
    test::for_each_index(truths.sizes(), [&](const Sizes& i) {
      if (truths[i].value != 0) found.push_back(i);
    });
    const auto count = static_cast<std::int64_t>(found.size());
    const Array positions = Array::like(zeros({count, 2}, {.dtype = int64}));
    for (std::int64_t i = 0; i < 2 * count; ++i) positions.set({i / 2, i % 2}, {});
    for (std::int64_t i = 0; i < 2 * count; ++i) (void)positions[{i / 2, i % 2}];
    return found;
  };
  const Tensor mask = x > 0;
  expect_cost([&] { return masked_select(x, mask); },
              [&] {
                const std::vector<Sizes> found = found_in(Array(mask));
                const Array in(x), out = Array::made({static_cast<std::int64_t>(found.size())});
                for (std::int64_t i = 0; const Sizes& place : found) out.set({i++}, in.picked(place));
                return out;
              });
  // What is written to where a mask is true is one number, read once.
  const Tensor two = tensor(2.);
  expect_cost([&] { return x.clone().index_put_({mask}, two); },
              [&] {
                const Array out = test::copied(Array(x)), number(two);
                for (const Sizes& i : found_in(Array(mask))) out.put(i, number[{}]);
                return out;
              });
}

TEST(Cost, OfSorting) {
  const Tensor x = uniform({3, 4}, float32);
  for (const std::int64_t k : {2, 4}) {
    const auto first = [&](const Tensor& in) {
      return [&in, k] {
        const Array given(in), values = Array::made({3, k}),
                               places = Array::like(zeros({3, k}, {.dtype = int64}));
        for (std::int64_t r = 0; r < 3; ++r) {
          std::vector<double> row;
          for (std::int64_t c = 0; c < 4; ++c) row.push_back(given[{r, c}].value);
          std::sort(row.begin(), row.end(), std::greater<>());
          for (std::int64_t c = 0; c < k; ++c) {
            values.set({r, c}, {row[static_cast<std::size_t>(c)]});
            places.set({r, c}, {});
          }
        }
        return values;
      };
    };
    expect_cost([&] { return topk(x, k).values; }, first(x));
    if (k == 4) expect_cost([&] { return sort(x, 1, true).values; }, first(x));
  }
  expect_cost([&] { return nonzero(x > 0); },
              [&] {
                const Tensor mask = x > 0;
                const Array in(x), truths = Array::like(mask);
                std::vector<Sizes> found;
                test::for_each_index(x.sizes(), [&](const Sizes& i) { truths.set(i, Counted{0} < in[i]); });
                test::for_each_index(x.sizes(), [&](const Sizes& i) {
                  if (truths[i].value != 0) found.push_back(i);
                });
                const auto count = static_cast<std::int64_t>(found.size());
                const Array out = Array::like(zeros({count, 2}, {.dtype = int64}));
                for (std::int64_t i = 0; i < 2 * count; ++i) {
                  const Sizes& place = found[static_cast<std::size_t>(i / 2)];
                  out.set({i / 2, i % 2}, {static_cast<double>(place[static_cast<std::size_t>(i % 2)])});
                }
                return out;
              });
}

TEST(Cost, OfDropoutAndCreation) {
  const Tensor x = uniform({3, 4}, float32);
  const auto fill = [](const Array& out) {
    test::for_each_index(out.sizes(), [&](const Sizes& i) { out.set(i, {1}); });
    return out;
  };
  const auto drop = [&](double p) {
    return [&, p] {
      const auto scaled = [p](Counted kept) { return kept / Counted{1 - p}; };
      return each(kTimes, Array(x), each(scaled, fill(Array::made({3, 4}))));
    };
  };
  EXPECT_EQ(cost([&] { dropout(x, 0.5); }), loop_cost(drop(0.5)));
  EXPECT_EQ(cost([&] { dropout(x, 0.5, false); }), Counters{});
  for (const auto& make :
       std::vector<std::function<Tensor()>>{[] {
                                              return ones({3, 4});
                                            },
                                            [] { return arange(12); }, [] { return linspace(0, 1, 12); },
                                            [] {
                                              return randn({3, 4});
                                            },
                                            [] { return randint(9, {12}); },
                                            [] {
                                              return tensor({1., 2});
                                            }}) {
    Tensor made;
    const Counters counted = cost([&] { made = make(); });
    EXPECT_EQ(counted, loop_cost([&] { fill(Array::like(made)); }));
  }
}

}  // namespace
}  // namespace lectern
