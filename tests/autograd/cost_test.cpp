// What gradients count, beside loops that count what they do.
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "autograd/backward.h"
#include "kernels/elementwise_gradients.h"
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
#include "ops/reductions.h"
#include "ops/repeat.h"
#include "ops/scan.h"
#include "ops/selection.h"
#include "ops/softmax.h"
#include "ops/sort.h"

namespace lectern {
namespace {

using kernels::GradientReads;
using kernels::is_computed;
using test::Array;
using test::copied;
using test::cost;
using test::Counted;
using test::each;
using test::loop_cost;
using test::product;
using test::sum_along;
using test::uniform;

using Arrays = std::vector<Array>;

constexpr auto kPlus = [](Counted a, Counted b) { return a + b; };
constexpr auto kMinus = [](Counted a, Counted b) { return a - b; };
constexpr auto kTimes = [](Counted a, Counted b) { return a * b; };
constexpr auto kExp = [](Counted x) { return exp(x); };

Tensor random_leaf(const Sizes& sizes, unsigned seed = 1) {
  return uniform(sizes, float32, seed).requires_grad_();
}

Array zero(const Sizes& sizes) {
  const Array out = Array::made(sizes);
  test::for_each_index(sizes, [&](const Sizes& index) { out.set(index, {0}); });
  return out;
}

/// That the gradients of call() with respect to the inputs count what loop(gradient of the result) counts,
/// and equal it.
template <typename Call, typename Loop>
void expect_cost(const std::vector<Tensor>& inputs, const Call& call, const Loop& loop) {
  const Tensor result = call();
  const Tensor grad = uniform(result.sizes(), float32, 9);
  std::vector<Tensor> gradients;
  const Counters counted = cost([&] { gradients = autograd::grad({result}, inputs, {grad}); });
  Arrays expected;
  EXPECT_EQ(counted, loop_cost([&] { expected = loop(Array(grad)); }));
  ASSERT_EQ(gradients.size(), expected.size());
  for (std::size_t i = 0; i < gradients.size(); ++i) test::expect_numbers(gradients[i], expected[i]);
}

/// One function of the gradient and of what it reads, brought back to the shape of the operand; of nothing
/// where there is nothing to compute.
Counters cost_of_row(GradientReads reads, const Tensor& grad, const std::vector<Tensor>& read,
                     const Sizes& operand) {
  return loop_cost([&] {
    Array gradient(grad);
    if (reads == GradientReads::zero) gradient = zero(grad.sizes());
    if (is_computed(reads)) {
      gradient = Array::like(grad);
      const Array from(grad);
      const Arrays others(read.begin(), read.end());
      test::for_each_index(grad.sizes(), [&](const Sizes& index) {
        (void)from[index];
        for (const Array& other : others) (void)other[index];
        gradient.set(index, test::counted(0));
      });
    }
    if (operand == Sizes{3, 1}) sum_along(gradient, 1);
    if (operand == Sizes{4}) sum_along(gradient, 0);
  });
}

TEST(BackwardCost, OfEveryUnaryOperation) {
  const Tensor x = full({3, 4}, 0.5, {.requires_grad = true}), grad = ones({3, 4});
#define LECTERN_ROW(name, Functor, rule, autocast)                                                      \
  if (const Tensor y = name(rule_of_##rule(x)); y.requires_grad()) {                                    \
    constexpr GradientReads kReads = kernels::Functor::kGradient;                                       \
    const std::vector<Tensor> read(kReads == GradientReads::grad ? 0 : 1, x);                           \
    EXPECT_EQ(cost([&] { autograd::grad({y}, {x}, {grad}); }), cost_of_row(kReads, grad, read, {3, 4})) \
        << #name;                                                                                       \
  }
  const auto rule_of_bits = [](const Tensor& of) { return of > 0; };
  const auto itself = [](const Tensor& of) { return of; };
  const auto &rule_of_same = itself, &rule_of_any_numeric = itself, &rule_of_real = itself,
             &rule_of_floating = itself, &rule_of_predicate = itself;
  LECTERN_UNARY_OPERATIONS(LECTERN_ROW)
#undef LECTERN_ROW
}

void expect_cost_of_binary(std::string_view name, const Tensor& y, const Tensor& a, const Tensor& b,
                           GradientReads reads_a, GradientReads reads_b) {
  if (!y.requires_grad()) return;
  const Tensor grad = ones({3, 4});
  const auto read = [&](GradientReads reads) -> std::vector<Tensor> {
    if (reads == GradientReads::both) return {a, b};
    if (reads == GradientReads::a) return {a};
    if (reads == GradientReads::b) return {b};
    return {};
  };
  const Counters of_a = cost_of_row(reads_a, grad, read(reads_a), a.sizes());
  const Counters of_b = cost_of_row(reads_b, grad, read(reads_b), b.sizes());
  const auto gradients = [&](const std::vector<Tensor>& inputs) {
    return cost([&] { autograd::grad({y}, inputs, {grad}, {.retain_graph = true}); });
  };
  EXPECT_EQ(gradients({a}), of_a) << name;
  EXPECT_EQ(gradients({b}), of_b) << name;
  EXPECT_EQ(gradients({a, b}), (Counters{of_a.flops + of_b.flops, of_a.bytes + of_b.bytes})) << name;
}

TEST(BackwardCost, OfEveryBinaryOperation) {
  const auto half = [](const Sizes& sizes) { return full(sizes, 0.5, {.requires_grad = true}); };
  const std::pair<Tensor, Tensor> pairs[] = {
      {half({3, 4}), half({3, 4})}, {half({3, 1}), half({4})}, {half({3, 4}), half({3, 1})}};
  for (const auto& [a, b] : pairs) {
#define LECTERN_ROW(name, Functor, rule, autocast)                               \
  if (kernels::DtypeRule::rule != kernels::DtypeRule::bits &&                    \
      kernels::DtypeRule::rule != kernels::DtypeRule::integer &&                 \
      std::string_view(#name) != "floor_divide") /* has no derivative */         \
    expect_cost_of_binary(#name, name(a, b), a, b, kernels::Functor::kGradientA, \
                          kernels::Functor::kGradientB);
    LECTERN_BINARY_OPERATIONS(LECTERN_ROW)
#undef LECTERN_ROW
  }
}

TEST(BackwardCost, OfANumberThatWasGiven) {
  const Tensor x = random_leaf({3, 4});
  expect_cost(
      {x}, [&] { return x * 0.5; },
      [](const Array& grad) -> Arrays {
        return {each(kTimes, grad, Array(tensor(0.5, {.dtype = float64})))};
      });
}

TEST(BackwardCost, OfAChangeInPlace) {
  const Tensor x = random_leaf({3, 4});
  const Tensor y = x.clone();
  // Saved elements are copied before they are overwritten.
  EXPECT_EQ(cost([&] { y.square_(); }),
            loop_cost([&] { copied(Array(x)), each([](Counted a) { return a * Counted{1}; }, Array(x)); }));
  expect_cost(
      {x}, [&] { return y; },
      [&](const Array& grad) -> Arrays {
        return {
            each([](Counted g, Counted a) { return test::counted(2 * g.value * a.value); }, grad, Array(x))};
      });
}

TEST(BackwardCost, OfSelections) {
  const Tensor x = random_leaf({3, 4}), row = random_leaf({4}, 2), mask = x.detach() > 0;
  const auto chosen = [](bool wanted) {
    return [wanted](Counted which, Counted g) {
      return test::counted((which.value != 0) == wanted ? g.value : 0);
    };
  };
  expect_cost(
      {x, row}, [&] { return where(mask, x, row); },
      [&](const Array& grad) -> Arrays {
        return {each(chosen(true), Array(mask), grad), sum_along(each(chosen(false), Array(mask), grad), 0)};
      });
  expect_cost(
      {x}, [&] { return masked_fill(x, mask, 2.); },
      [&](const Array& grad) -> Arrays { return {each(chosen(false), Array(mask), grad)}; });
}

TEST(BackwardCost, OfSumsIsThatOfTheirViews) {
  const Tensor x = random_leaf({3, 4}), grad = ones({3});
  const Tensor sums = x.sum({1}), means = x.mean({1});
  EXPECT_EQ(cost([&] { autograd::grad({sums}, {x}, {grad}); }), Counters{});
  const auto quarter = [](Counted g) { return g * Counted{0.25}; };
  EXPECT_EQ(cost([&] { autograd::grad({means}, {x}, {grad}); }),
            loop_cost([&] { each(quarter, Array(grad)); }));
}

TEST(BackwardCost, OfReductions) {
  const Tensor x = random_leaf({3, 4});
  const auto column = [](const Array& a) { return a.viewed({3, 1}); };
  const auto bytes_of_truths = [](const Sizes& sizes) { return Array::like(zeros(sizes, {.dtype = bool_})); };
  const auto equal = [](Counted a, Counted b) { return test::counted(a.value == b.value ? 1 : 0); };
  const auto is_zero = [](Counted a) { return test::counted(a.value == 0 ? 1 : 0); };
  const auto quotient = [](Counted a, Counted b) { return a / b; };
  const auto truths_of_rows = [](const Array& which) {
    const Array truths = which.again(), many = Array::like(zeros({3, 1}, {.dtype = int64}));
    for (std::int64_t r = 0; r < 3; ++r) {
      Counted sum;
      for (std::int64_t c = 0; c < 4; ++c) sum = sum + truths[{r, c}];
      many.set({r, 0}, sum);
    }
    return many;
  };
  expect_cost(
      {x}, [&] { return logsumexp(x, {1}); },
      [&](const Array& grad) -> Arrays {
        const Array powers = each(kExp, each(kMinus, Array(x), Array(logsumexp(x, {1}, true).detach())));
        return {each(kTimes, powers, column(grad))};
      });
  expect_cost(
      {x}, [&] { return var(x, {1}); },
      [&](const Array& grad) -> Arrays {
        const Array scale = each([](Counted g) { return g * Counted{2. / 3}; }, column(grad));
        const Array means = sum_along(Array(x), 1);
        for (std::int64_t r = 0; r < 3; ++r) means.set({r}, {means.value({r}) / 4});
        return {each(kTimes, each(kMinus, Array(x), column(means)), scale)};
      });
  expect_cost(
      {x}, [&] { return norm(x, 2, {1}); },
      [&](const Array& grad) -> Arrays {
        const Array lengths(norm(x, 2, {1}, true).detach()), truths = bytes_of_truths({3, 1});
        test::each_into(truths, is_zero, lengths);
        const Array divisors = each(kPlus, lengths, copied(truths));
        return {each(kTimes, Array(x), each(quotient, column(grad), divisors))};
      });
  expect_cost(
      {x}, [&] { return norm(x, 3, {1}); },
      [&](const Array& grad) -> Arrays {
        const auto square = [](Counted a) { return a * a; };
        const auto size = [](Counted a) { return abs(a); };
        const Array lengths(norm(x, 3, {1}, true).detach()), truths = bytes_of_truths({3, 1});
        test::each_into(truths, is_zero, lengths);
        const Array powers = each(
            kTimes, Array(x), each([](Counted a) { return test::counted(a.value); }, each(size, Array(x))));
        const Array zero_or_not = copied(truths);
        const Array divisors = each(square, each(kPlus, lengths, zero_or_not));
        const Array others = each([](Counted a) { return Counted{1} - a; }, zero_or_not);
        return {each(kTimes, powers, each(kTimes, each(quotient, column(grad), divisors), others))};
      });
  // In a row with a single 0 only that element has a gradient, as long as the others are finite.
  const Tensor factors = tensor({{2., 3., 5., 1.}, {0., 3., 4., 2.}, {0., 1., 0., 2.}}).requires_grad_();
  expect_cost(
      {factors}, [&] { return prod(factors, 1); },
      [&](const Array& grad) -> Arrays {
        const auto truth = [&](const auto& function, const auto&... of) {
          const Array truths = bytes_of_truths({3, 4});
          test::each_into(truths, function, of...);
          return truths;
        };
        const auto among_others = [&](const Array& which) {
          const Array many = truths_of_rows(which);
          return truth([](Counted a, Counted b) { return test::counted(a.value != b.value ? 1 : 0); }, many,
                       which);
        };
        const auto is_finite = [](Counted a) { return test::counted(std::isfinite(a.value) ? 1 : 0); };
        const auto chosen = [](Counted condition, Counted a, Counted b) {
          return test::counted(condition.value != 0 ? a.value : b.value);
        };
        const auto filled = [&](double value) {
          return [=](Counted mask, Counted a) { return chosen(mask, {value}, a); };
        };
        const Array in(factors), zero_or_not = truth(is_zero, in);
        const Array others_than_0 = each(filled(1), zero_or_not, in);
        const Array infinite = truth(is_zero, truth(is_finite, in));
        const Array times_zero = each(filled(NAN), among_others(infinite), zero({3, 4}));
        const Array vanishes = among_others(zero_or_not);
        const Array product_of_row = column(test::folded(others_than_0, 1, {1}, kTimes));
        const Array others =
            each(chosen, vanishes, times_zero, each(quotient, product_of_row, others_than_0));
        return {each(kTimes, column(grad), others)};
      });
  // The gradient is shared by all that are the largest.
  expect_cost(
      {x}, [&] { return amax(x, {1}); },
      [&](const Array& grad) -> Arrays {
        const Array extremal = bytes_of_truths({3, 4});
        test::each_into(extremal, equal, Array(x), Array(amax(x, {1}, true).detach()));
        const Array share = each(quotient, column(grad), copied(truths_of_rows(extremal)));
        return {each(kTimes, copied(extremal), share)};
      });
}

TEST(BackwardCost, OfRows) {
  const Tensor x = random_leaf({3, 4});
  expect_cost(
      {x}, [&] { return cumsum(x, 1); },
      [](const Array& grad) -> Arrays {
        const Array out = Array::made({3, 4});
        for (std::int64_t r = 0; r < 3; ++r) {
          Counted sum;
          for (std::int64_t c = 4; c-- > 0;) out.set({r, c}, sum = sum + grad[{r, c}]);
        }
        return {out};
      });
  const auto row_by_row = [](const Tensor& result, const Array& grad, const auto& term, const auto& last) {
    const Array y(result.detach()), out = Array::made({3, 4});
    for (std::int64_t r = 0; r < 3; ++r) {
      Counted sum;
      for (std::int64_t c = 0; c < 4; ++c) sum = sum + term(grad[{r, c}], y[{r, c}]);
      for (std::int64_t c = 0; c < 4; ++c) out.set({r, c}, last(grad[{r, c}], y[{r, c}], sum));
    }
    return Arrays{out};
  };
  expect_cost(
      {x}, [&] { return softmax(x, 1); },
      [&](const Array& grad) {
        return row_by_row(softmax(x, 1), grad, kTimes,
                          [](Counted g, Counted y, Counted sum) { return (g - sum) * y; });
      });
  expect_cost(
      {x}, [&] { return log_softmax(x, 1); },
      [&](const Array& grad) {
        return row_by_row(
            log_softmax(x, 1), grad, [](Counted g, Counted) { return g; },
            [](Counted g, Counted y, Counted sum) { return g - exp(y) * sum; });
      });
}

TEST(BackwardCost, OfNorms) {
  const Tensor x = random_leaf({3, 4}), w = random_leaf({4}, 2), b = random_leaf({4}, 3);
  const auto loop = [&](bool centred, const Array& grad, bool weighted, bool of_weight, bool of_bias) {
    const Array in(x), weight(w), out = Array::made({3, 4}), means = Array::made({3}),
                                  roots = Array::made({3});
    const Array weight_sums = Array::workspace({4}), bias_sums = Array::workspace({4});
    for (std::int64_t r = 0; r < 3; ++r) {
      double mean = 0, variance = 0;
      for (std::int64_t c = 0; centred && c < 4; ++c) mean += in.value({r, c}) / 4;
      for (std::int64_t c = 0; c < 4; ++c) variance += std::pow(in.value({r, c}) - mean, 2) / 4;
      if (centred) means.set({r}, {mean});
      roots.set({r}, {1 / std::sqrt(variance + 1e-5)});
    }
    // The statistics were written by the forward pass, as many bytes as are read now.
    for (std::int64_t r = 0; r < 3; ++r) {
      const Counted mean{means.value({r})}, root{roots.value({r})};
      std::vector<Counted> gs, ns;
      Counted g_sum, product_sum;
      for (std::int64_t c = 0; c < 4; ++c) {
        const Counted own = grad[{r, c}];
        const Counted g = weighted ? own * weight[{c}] : own;
        const Counted n = centred ? (in[{r, c}] - mean) * root : in[{r, c}] * root;
        if (centred) g_sum = g_sum + g;
        product_sum = product_sum + g * n;
        if (of_weight) weight_sums.set({c}, weight_sums[{c}] + own * n);
        if (of_bias) bias_sums.set({c}, bias_sums[{c}] + own);
        gs.push_back(g), ns.push_back(n);
      }
      const Counted g_mean{g_sum.value / 4}, product_mean{product_sum.value / 4};
      for (std::int64_t c = 0; c < 4; ++c) {
        const auto i = static_cast<std::size_t>(c);
        const Counted centred_g = centred ? gs[i] - g_mean : gs[i];
        out.set({r, c}, (centred_g - ns[i] * product_mean) * root);
      }
    }
    Arrays gradients{out};
    const auto write = [&](const Array& sums) {
      const Array result = Array::made({4});
      for (std::int64_t c = 0; c < 4; ++c) result.set({c}, sums[{c}]);
      gradients.push_back(result);
    };
    if (of_weight) write(weight_sums);
    if (of_bias) write(bias_sums);
    return gradients;
  };
  expect_cost(
      {x, w, b}, [&] { return layer_norm(x, {4}, w, b); },
      [&](const Array& grad) { return loop(true, grad, true, true, true); });
  expect_cost(
      {x, w}, [&] { return layer_norm(x, {4}, w); },
      [&](const Array& grad) { return loop(true, grad, true, true, false); });
  expect_cost(
      {x}, [&] { return layer_norm(x, {4}); },
      [&](const Array& grad) { return loop(true, grad, false, false, false); });
  expect_cost(
      {x}, [&] { return layer_norm(x, {4}, w.detach(), b.detach()); },
      [&](const Array& grad) { return loop(true, grad, true, false, false); });
  expect_cost(
      {x, w}, [&] { return rms_norm(x, {4}, w, 1e-5); },
      [&](const Array& grad) { return loop(false, grad, true, true, false); });
  expect_cost(
      {x}, [&] { return rms_norm(x, {4}, {}, 1e-5); },
      [&](const Array& grad) { return loop(false, grad, false, false, false); });
}

TEST(BackwardCost, OfLosses) {
  const Tensor x = random_leaf({3, 4}), y = random_leaf({3, 4}, 2), target = tensor({2, 0, 3});
  const ClassLossOptions each_alone{.reduction = LossReduction::unreduced};
  const auto class_of = [](const Array& classes, std::int64_t row) {
    return static_cast<std::int64_t>(classes[{row}].value);
  };
  expect_cost(
      {x}, [&] { return cross_entropy(x, target, each_alone); },
      [&](const Array& grad) -> Arrays {
        const Array logits(x), classes(target), out = Array::made({3, 4});
        const Tensor largest = x.detach().amax({1}, true);
        const Array sums(cat({largest, (x.detach() - largest).logsumexp({1}, true)}, 1));
        for (std::int64_t r = 0; r < 3; ++r) {
          for (std::int64_t c = 0; c < 4; ++c) {
            const Counted normalizer{sums[{r, 0}].value + sums[{r, 1}].value};
            const Counted probability = exp(logits[{r, c}] - normalizer);
            out.set({r, c}, (probability - Counted{class_of(classes, r) == c ? 1. : 0.}) * grad[{r}]);
          }
        }
        return {out};
      });
  expect_cost(
      {x}, [&] { return nll_loss(x, target, each_alone); },
      [&](const Array& grad) -> Arrays {
        const Array classes(target), out = zero({3, 4});
        for (std::int64_t r = 0; r < 3; ++r) out.put({r, class_of(classes, r)}, Counted{-1} * grad[{r}]);
        return {out};
      });
  expect_cost(
      {x, y}, [&] { return mse_loss(x, y); },
      [&](const Array& grad) -> Arrays {
        const Array share = each([](Counted g) { return g * Counted{1. / 12}; }, grad);
        const auto slope = [](Counted g, Counted d) { return test::counted(2 * g.value * d.value); };
        const Array of_x = each(slope, share, Array(x.detach() - y.detach()));
        return {of_x, each([](Counted g) { return Counted{0} - g; }, of_x)};
      });
}

TEST(BackwardCost, OfProducts) {
  const Tensor a = random_leaf({3, 4}), b = random_leaf({4, 5}, 2);
  const auto of_a = [&](const Array& grad) { return product(grad, Array(b).transposed()); };
  const auto of_b = [&](const Array& grad) { return product(Array(a).transposed(), grad); };
  const auto of_both = [&](const Array& grad) -> Arrays { return {of_a(grad), of_b(grad)}; };
  expect_cost(
      {a, b}, [&] { return matmul(a, b); }, of_both);
  expect_cost(
      {a, b}, [&] { return einsum(a, b, "i k, k j -> i j"); }, of_both);
  // No gradient is computed for what requires none.
  expect_cost(
      {a}, [&] { return matmul(a, b.detach()); }, [&](const Array& grad) -> Arrays { return {of_a(grad)}; });
  expect_cost(
      {b}, [&] { return matmul(a.detach(), b); }, [&](const Array& grad) -> Arrays { return {of_b(grad)}; });
}

TEST(BackwardCost, OfLinear) {
  const Tensor x = random_leaf({3, 4}), w = random_leaf({5, 4}, 2), b = random_leaf({5}, 3);
  expect_cost(
      {x, w, b}, [&] { return linear(x, w, b); },
      [&](const Array& grad) -> Arrays {
        return {product(grad, Array(w)), product(grad.transposed(), Array(x)), sum_along(grad, 0)};
      });
  expect_cost(
      {b}, [&] { return linear(x.detach(), w.detach(), b); },
      [&](const Array& grad) -> Arrays { return {sum_along(grad, 0)}; });
  expect_cost(
      {b, x}, [&] { return addmm(b, x, w.t().detach()); },
      [&](const Array& grad) -> Arrays {
        return {sum_along(grad, 0), product(grad, Array(w))};
      });
}

TEST(BackwardCost, OfTwoLayersIsFourProductsLessOne) {
  constexpr std::int64_t kBatch = 6, kWidth = 5, kClasses = 3;
  const Tensor x = uniform({kBatch, kWidth}, float32);
  const Tensor first = random_leaf({kWidth, kWidth}), second = random_leaf({kWidth, kClasses});
  Tensor y;
  const Counters forward = cost([&] { y = matmul(matmul(x, first), second); });
  EXPECT_EQ(forward.flops, 2 * kBatch * kWidth * kWidth + 2 * kBatch * kWidth * kClasses);
  const Tensor grad = ones({kBatch, kClasses});
  // The input requires no gradient: its layer computes one product, the others two.
  EXPECT_EQ(cost([&] { y.backward(grad); }).flops,
            4 * kBatch * kWidth * kClasses + 2 * kBatch * kWidth * kWidth);
}

TEST(BackwardCost, OfBatchesThatShareAMatrix) {
  const Tensor a = random_leaf({3, 4}), b = random_leaf({2, 4, 5}, 2);
  expect_cost(
      {a, b}, [&] { return matmul(a, b); },
      [&](const Array& grad) -> Arrays {
        const Array left(a), right(b), of_a = Array::made({2, 3, 4}), of_b = Array::made({2, 4, 5});
        test::for_each_index(of_a.sizes(), [&](const Sizes& at) {
          Counted sum;
          for (std::int64_t j = 0; j < 5; ++j) sum = sum + grad[{at[0], at[1], j}] * right[{at[0], at[2], j}];
          of_a.set(at, sum);
        });
        const Array shared = sum_along(of_a, 0), second = grad.again();
        test::for_each_index(of_b.sizes(), [&](const Sizes& at) {
          Counted sum;
          for (std::int64_t i = 0; i < 3; ++i) sum = sum + left[{i, at[1]}] * second[{at[0], i, at[2]}];
          of_b.set(at, sum);
        });
        return {shared, of_b};
      });
}

TEST(BackwardCost, OfAttention) {
  constexpr std::int64_t kQueries = 3, kKeys = 5, kWidth = 4, kValues = 6;
  const Tensor q = random_leaf({kQueries, kWidth}), k = random_leaf({kKeys, kWidth}, 2),
               v = random_leaf({kKeys, kValues}, 3);
  for (const bool causal : {false, true}) {
    const auto attend = [&] { return scaled_dot_product_attention(q, k, v, {.is_causal = causal}); };
    expect_cost({q, k, v}, attend, [&](const Array& grad) -> Arrays {
      const Array queries(q), keys(k), values(v);
      const Array of_q = Array::made(q.sizes()), of_k = Array::made(k.sizes()), of_v = Array::made(v.sizes());
      std::vector<Counted> k_sums(kKeys * kWidth), v_sums(kKeys * kValues);
      for (std::int64_t i = 0; i < kQueries; ++i) {
        const std::int64_t seen = causal ? i + 1 : kKeys;
        std::vector<Counted> query, weights, slopes, q_sums(kWidth);
        for (std::int64_t e = 0; e < kWidth; ++e) query.push_back(queries[{i, e}] * Counted{0.5});
        Counted most{-HUGE_VAL}, total, both;
        for (std::int64_t j = 0; j < seen; ++j) {
          Counted score;
          for (std::int64_t e = 0; e < kWidth; ++e)
            score = score + query[static_cast<std::size_t>(e)] * keys[{j, e}];
          weights.push_back(score);
          most = max(most, score);
        }
        for (Counted& weight : weights) total = total + (weight = exp(weight - most));
        for (Counted& weight : weights) weight = weight / total;
        for (std::int64_t j = 0; j < seen; ++j) {
          Counted slope;
          for (std::int64_t e = 0; e < kValues; ++e) slope = slope + grad[{i, e}] * values[{j, e}];
          both = both + slope * weights[static_cast<std::size_t>(j)];
          slopes.push_back(slope);
        }
        for (std::int64_t j = 0; j < seen; ++j) {
          const Counted weight = weights[static_cast<std::size_t>(j)];
          const Counted of_score = (slopes[static_cast<std::size_t>(j)] - both) * weight;
          for (std::int64_t e = 0; e < kWidth; ++e) {
            Counted& of_query = q_sums[static_cast<std::size_t>(e)];
            Counted& of_key = k_sums[static_cast<std::size_t>(j * kWidth + e)];
            of_query = of_query + of_score * keys[{j, e}];
            of_key = of_key + of_score * query[static_cast<std::size_t>(e)];
          }
          for (std::int64_t e = 0; e < kValues; ++e) {
            Counted& of_value = v_sums[static_cast<std::size_t>(j * kValues + e)];
            of_value = of_value + weight * grad[{i, e}];
          }
        }
        for (std::int64_t e = 0; e < kWidth; ++e)
          of_q.set({i, e}, q_sums[static_cast<std::size_t>(e)] * Counted{0.5});
      }
      for (std::int64_t j = 0; j < kKeys; ++j) {
        for (std::int64_t e = 0; e < kWidth; ++e) {
          (void)keys[{j, e}];
          of_k.set({j, e}, k_sums[static_cast<std::size_t>(j * kWidth + e)]);
        }
        for (std::int64_t e = 0; e < kValues; ++e) {
          (void)values[{j, e}];
          of_v.set({j, e}, v_sums[static_cast<std::size_t>(j * kValues + e)]);
        }
      }
      return {of_q, of_k, of_v};
    });
  }
}

TEST(BackwardCost, OfIndexing) {
  const Tensor x = random_leaf({3, 4}), rows = tensor({2, 0, 2, 1, 2}),
               places = tensor({{2, 0, 0, 1}, {2, 2, 1, 1}});
  const auto at = [](const Array& index, const Sizes& place) {
    return static_cast<std::int64_t>(index[place].value);
  };
  const auto added = [&](const Array& grad) -> Arrays {
    const Array out = zero({3, 4}), index(rows);
    test::for_each_index(grad.sizes(), [&](const Sizes& i) {
      const Sizes to{at(index, {i[0]}), i[1]};
      out.put(to, out.picked(to) + grad[i]);
    });
    return {out};
  };
  expect_cost(
      {x}, [&] { return embedding(rows, x); }, added);
  expect_cost(
      {x}, [&] { return index_select(x, 0, rows); }, added);
  expect_cost(
      {x}, [&] { return x.index({rows}); }, added);
  expect_cost(
      {x}, [&] { return embedding(rows, x, 2); },
      [&](const Array& grad) {
        const Arrays all = added(grad);
        for (std::int64_t c = 0; c < 4; ++c) all[0].put({2, c}, {0});
        return all;
      });
  expect_cost(
      {x}, [&] { return gather(x, 0, places); },
      [&](const Array& grad) -> Arrays {
        const Array out = zero({3, 4}), index(places);
        test::for_each_index(grad.sizes(), [&](const Sizes& i) {
          const Sizes to{at(index, i), i[1]};
          out.put(to, out.picked(to) + grad[i]);
        });
        return {out};
      });
  const Tensor source = random_leaf({2, 4}, 2);
  expect_cost(
      {x, source}, [&] { return scatter_add(x, 0, places, source); },
      [&](const Array& grad) -> Arrays {
        const Array index(places), of_source = Array::made({2, 4});
        test::for_each_index(of_source.sizes(), [&](const Sizes& i) {
          of_source.set(i, grad.picked({at(index, i), i[1]}));
        });
        return {grad, of_source};
      });
  expect_cost(
      {x}, [&] { return topk(x, 2).values; },
      [&](const Array& grad) -> Arrays {
        const Array out = zero({3, 4}), index(topk(x, 2).indices);
        test::for_each_index(grad.sizes(), [&](const Sizes& i) { out.put({i[0], at(index, i)}, grad[i]); });
        return {out};
      });
}

TEST(BackwardCost, OfCopies) {
  const Tensor x = random_leaf({3, 4}), y = random_leaf({2, 4}, 2);
  const auto passed = [](const Array& grad) -> Arrays { return {grad}; };
  expect_cost(
      {x}, [&] { return x.clone(); }, passed);
  expect_cost(
      {x}, [&] { return x.t().contiguous(); },
      [](const Array& grad) -> Arrays { return {grad.transposed()}; });
  expect_cost(
      {x}, [&] { return flip(x, {0}); },
      [](const Array& of) -> Arrays {
        const Array out = Array::made({3, 4});
        test::for_each_index(out.sizes(), [&](const Sizes& at) { out.set(at, of[{2 - at[0], at[1]}]); });
        return {out};
      });
  const Tensor joined = cat({x, y}), grad = ones({5, 4});
  EXPECT_EQ(cost([&] { autograd::grad({joined}, {x, y}, {grad}); }), Counters{}) << "views of the gradient";
  expect_cost(
      {x}, [&] { return roll(x, {1}, {0}); },
      [](const Array& of) -> Arrays {
        const Array out = Array::made({3, 4});
        test::for_each_index(out.sizes(), [&](const Sizes& at) {
          out.set(at, of[{(at[0] + 1) % 3, at[1]}]);
        });
        return {out};
      });
  expect_cost(
      {y},
      [&] {
        return repeat(y[0], {3, 1});
      },
      [](const Array& of) -> Arrays {
        const Array part = sum_along(of, 0), out = zero({2, 4});
        for (std::int64_t c = 0; c < 4; ++c) out.put({0, c}, part.picked({c}));
        return {out};
      });
}

TEST(BackwardCost, OfDropout) {
  const Tensor x = random_leaf({3, 4}), grad = ones({3, 4}), dropped = dropout(x, 0.5);
  EXPECT_EQ(cost([&] { autograd::grad({dropped}, {x}, {grad}); }),
            loop_cost([&] { each(kTimes, Array(grad), Array(grad)); }));
}

TEST(BackwardCost, OfSumsAtTensorsThatAreUsedSeveralTimes) {
  const Tensor x = random_leaf({3, 4}), a = uniform({3, 4}, float32, 2), b = uniform({3, 4}, float32, 3);
  expect_cost(
      {x}, [&] { return x * a + x * b; },
      [&](const Array& grad) -> Arrays {
        return {each(kPlus, each(kTimes, grad, Array(a)), each(kTimes, grad.again(), Array(b)))};
      });
}

TEST(BackwardCost, OfWhatLeavesCollect) {
  const Tensor x = random_leaf({3, 4}), a = uniform({3, 4}, float32, 2), grad = uniform({3, 4}, float32, 3);
  const auto backward = [&] {
    const Tensor y = x * a;
    return cost([&] { y.backward(grad); });
  };
  const auto own = [&] { return each(kTimes, Array(grad), Array(a)); };
  EXPECT_EQ(backward(), loop_cost(own)) << "the first is kept as it is";
  EXPECT_EQ(backward(), loop_cost([&] { each(kPlus, own(), Array(grad)); })) << "the second is added";
  // An expanded gradient becomes contiguous storage of the leaf's own.
  const Tensor w = random_leaf({3, 4}), sum = w.sum(), one = ones({});
  EXPECT_EQ(cost([&] { sum.backward(one); }), loop_cost([&] { copied(Array(one.expand({3, 4}))); }));
}

}  // namespace
}  // namespace lectern
