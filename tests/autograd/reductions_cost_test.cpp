// What gradients of reductions and scans count, beside loops that count what they do.
#include <cmath>
#include <functional>

#include <gtest/gtest.h>

#include "autograd/gradient_cost.h"
#include "ops/cost_functions.h"
#include "ops/elementwise.h"
#include "ops/extremum.h"
#include "ops/reduced.h"
#include "ops/reductions.h"
#include "ops/scan.h"

namespace lectern {
namespace {

using test::Array;
using test::Arrays;
using test::copied;
using test::Counted;
using test::each;
using test::each_as;
using test::expect_gradients;
using test::for_each_leaf;
using test::states;
using test::whole_sum;
using test::zero;

/// A reduction of x over `dims`, whose result with size 1 in their place has the sizes `whole`.
struct Reduced {
  Tensor x;
  Sizes dims, whole;
  bool keepdim = false;

  bool over_all() const { return dims.empty(); }
  /// The elements of each.
  double count() const {
    double elements = 1;
    for (std::size_t d = 0; d < whole.size(); ++d)
      if (whole[d] != x.sizes()[d]) elements *= static_cast<double>(x.sizes()[d]);
    return elements;
  }
  /// The gradient, or a result, of the sizes that broadcast.
  Array broadcastable(const Tensor& of) const { return Array(of.detach().reshape(whole)); }
};

using Call = std::function<Tensor(const Tensor&, const Sizes&, bool)>;
/// The gradient of x from that of the result, of the sizes `whole`.
using Loop = std::function<Array(const Reduced&, const Array&)>;

/// Over all sets of dimensions that the operation takes.
void expect_reduction(const char* name, const Call& call, const Loop& loop,
                      std::size_t most_dims = kMaxDims) {
  for_each_leaf([&](const Tensor& x) {
    for (const Sizes& dims : test::dim_sets(x.sizes().size())) {
      if (dims.size() > most_dims || (most_dims == 1 && dims.empty())) continue;
      const Reduced of{x, dims, test::reduced_sizes(x.sizes(), dims, true)};
      for (const bool keepdim : {false, true}) {
        SCOPED_TRACE(std::string(name) + " over " + to_string(dims));
        const Tensor result = call(x, dims, keepdim);
        for (const Tensor& grad : test::gradients_like(result)) {
          if (keepdim && grad.numel() > 1 && !grad.is_contiguous()) continue;  // as without
          std::vector<Tensor> made;
          const Counters counted =
              test::cost([&] { made = autograd::grad({result}, {x}, {grad}, {.retain_graph = true}); });
          const Array given(grad.reshape(of.whole));
          std::optional<Array> expected;
          EXPECT_EQ(counted, test::loop_cost([&] { expected = loop(of, given); }))
              << "for a gradient with strides " << to_string(grad.strides());
          test::expect_numbers(made[0], *expected);
        }
      }
    }
  });
}

/// Of a view, which repeats the gradient.
Array repeated(const Array& grad, const Sizes& sizes) {
  const Array out = Array::workspace(sizes);
  test::for_each_index(sizes, [&](const Sizes& i) { out.set(i, {grad.value(i)}); });
  return out;
}

TEST(BackwardCost, OfSumsIsThatOfTheirViews) {
  const auto share = [](const Reduced& of, const Array& grad) {
    return repeated(each(test::times(1 / of.count()), grad), of.x.sizes());
  };
  const auto view = [](const Reduced& of, const Array& grad) { return repeated(grad, of.x.sizes()); };
  expect_reduction(
      "sum", [](const auto& x, const auto& dims, bool keep) { return sum(x, dims, keep); }, view);
  expect_reduction(
      "mean", [](const auto& x, const auto& dims, bool keep) { return mean(x, dims, keep); },
      [=](const Reduced& of, const Array& grad) {
        // Of one element each it is the gradient itself.
        return of.count() == 1 ? view(of, grad) : share(of, grad);
      });
}

TEST(BackwardCost, OfLogSumExp) {
  expect_reduction(
      "logsumexp", [](const auto& x, const auto& dims, bool keep) { return logsumexp(x, dims, keep); },
      [](const Reduced& of, const Array& grad) {
        const Array sums = of.broadcastable(logsumexp(of.x, of.dims));
        return each(test::kTimes, each(test::kExp, each(test::kMinus, Array(of.x), sums)), grad);
      });
}

/// Of what is divided by the number of elements - 1; `grad` of the sizes that broadcast.
Array variance_loop(const Reduced& of, const Array& grad) {
  const double divisor = of.count() - 1;
  const Array scale = each(test::times(2 / divisor), grad);
  if (divisor == 0 && (of.over_all() || of.x.dim() == 0)) return repeated(scale, of.x.sizes());
  const Array sums = whole_sum(Array(of.x), of.whole);
  test::for_each_index(of.whole, [&](const Sizes& i) { sums.set(i, {sums.value(i) / of.count()}); });
  return each(test::kTimes, each(test::kMinus, Array(of.x), sums), scale);
}

TEST(BackwardCost, OfVariances) {
  expect_reduction(
      "var", [](const auto& x, const auto& dims, bool keep) { return var(x, dims, 1, keep); }, variance_loop);
  expect_reduction(
      "std", [](const auto& x, const auto& dims, bool keep) { return std(x, dims, 1, keep); },
      [](const Reduced& of, const Array& grad) {
        const Array roots = of.broadcastable(std(of.x, of.dims));
        const Array quotients = each(test::kDivided, grad, each(test::times(2), roots));
        const Array flat = each_as(bool_, test::equals(0), roots);
        return variance_loop(of, each(test::where_true(0), flat, quotients));
      });
}

/// Of a norm with a p of its own.
Array norm_loop(double p, const Reduced& of, const Array& grad) {
  const Array in(of.x), whole = of.broadcastable(norm(of.x, p, of.dims));
  const Array vanishes = copied(each_as(bool_, test::equals(0), whole));
  // As float, from truths.
  const auto sign = [&] { return each(test::kSign, in); };
  if (p == 0) return zero(of.x.sizes());
  if (p == 1) return each(test::kTimes, sign(), grad);
  if (p == 2) return each(test::kTimes, in, each(test::kDivided, grad, each(test::kPlus, whole, vanishes)));
  if (p == test::kInfinity) {
    const Array equal = each_as(bool_, test::kEqual, each(test::kAbs, in), whole);
    const Array extremal =
        copied(each_as(bool_, test::kOr, equal, each_as(bool_, test::kIsNan, Array(of.x))));
    const Array share = each(test::kDivided, grad, whole_sum(extremal, of.whole));
    return each(test::kTimes, each(test::kTimes, sign(), extremal), share);
  }
  const Array powers = each(test::kTimes, in, each(test::to_power(p - 2), each(test::kAbs, Array(of.x))));
  const auto one_minus = [](Counted a) { return Counted{1} - a; };
  const Array divisors = each(test::to_power(p - 1), each(test::kPlus, whole, vanishes));
  const Array scale = each(test::kTimes, each(test::kDivided, grad, divisors), each(one_minus, vanishes));
  return each(test::kTimes, powers, scale);
}

TEST(BackwardCost, OfNormsOfVectors) {
  for (const double p : {0., 1., 2., 3., test::kInfinity}) {
    expect_reduction(
        "norm", [=](const auto& x, const auto& dims, bool keep) { return norm(x, p, dims, keep); },
        [=](const Reduced& of, const Array& grad) { return norm_loop(p, of, grad); });
  }
}

/// The number of truths, as an integer.
Array number_true(const Array& truths, const Sizes& whole) {
  const Array in = truths.again();
  return test::finished(
      states(in.sizes(), whole, {0}, [&](Counted sum, const Sizes& i) { return sum + in[i]; }),
      [](double sum) { return sum; }, int64);
}

/// The product of the others, correct for zeros.
Array product_loop(const Reduced& of, const Array& grad) {
  const Sizes& sizes = of.x.sizes();
  if (sizes.empty()) return grad;
  const Array in(of.x), vanishes = each_as(bool_, test::equals(0), in);
  const auto among_others = [&](const Array& which) {
    return each_as(bool_, test::kDiffers, number_true(which, of.whole), which);
  };
  const Array factors = each(test::where_true(1), vanishes, in);
  const Array infinite = each_as(bool_, test::kNot, each_as(bool_, test::kIsFinite, in));
  const Array times_zero = each(test::where_true(NAN), among_others(infinite), zero(sizes));
  const Array product = test::folded(factors, of.whole, {1}, test::kTimes);
  const Array quotients = each(test::kDivided, product, factors);
  const Array others = each(test::kChosen, among_others(vanishes), times_zero, quotients);
  const Array result = each(test::kTimes, grad, others);
  if (!of.over_all()) return result;
  const Array zeros = number_true(vanishes, Sizes::filled(sizes.size(), 1)).viewed({});
  return each(test::where_true(0), each_as(bool_, test::greater(1), zeros), result);
}

TEST(BackwardCost, OfProductsOfElements) {
  expect_reduction(
      "prod",
      [](const auto& x, const auto& dims, bool keep) {
        return dims.empty() ? prod(x) : prod(x, dims[0], keep);
      },
      product_loop, 1);
  for_each_leaf([](const Tensor& x) {
    expect_gradients(
        {x}, [&] { return prod(x); },
        [&](const Array& grad) -> Arrays {
          return {product_loop({x, {}, Sizes::filled(x.sizes().size(), 1)}, grad)};
        });
  });
  // In a row with a single 0 only that element has a gradient, as long as the others are finite.
  const Tensor factors = tensor({{2., 3., 5., 1.}, {0., 3., 4., 2.}, {0., 1., 0., 2.}}).requires_grad_();
  expect_gradients(
      {factors}, [&] { return prod(factors, 1, true); },
      [&](const Array& grad) -> Arrays {
        return {product_loop({factors, {1}, {3, 1}}, grad)};
      });
}

/// Shared by all that are the largest, or the smallest.
Array extremum_loop(const Reduced& of, const Tensor& result, const Array& grad) {
  const Array extremal = each_as(bool_, test::kEqual, Array(of.x), of.broadcastable(result));
  const Array count = copied(number_true(extremal, of.whole));
  const Array share = each(test::kDivided, grad, count);
  return each(test::kTimes, copied(extremal), share);
}

TEST(BackwardCost, OfExtrema) {
  for_each_leaf([](const Tensor& x) {
    for (const Sizes& dims : test::dim_sets(x.sizes().size())) {
      const Reduced of{x, dims, test::reduced_sizes(x.sizes(), dims, true)};
      if (of.count() == 0) continue;
      expect_gradients(
          {x}, [&] { return amax(x, dims, true); },
          [&](const Array& grad) -> Arrays { return {extremum_loop(of, amax(x, dims), grad)}; });
      expect_gradients(
          {x}, [&] { return amin(x, dims, true); },
          [&](const Array& grad) -> Arrays { return {extremum_loop(of, amin(x, dims), grad)}; });
    }
    if (x.numel() == 0) return;
    const auto of_all = [&](const Tensor& result, const Array& grad) -> Arrays {
      const Array in(x), equal = each_as(bool_, test::kEqual, in, Array(result.detach()));
      const Array extremal = each_as(bool_, test::kOr, equal, each_as(bool_, test::kIsNan, in));
      const Array count = number_true(extremal, Sizes::filled(x.sizes().size(), 1)).viewed({});
      return {each(test::where_false(0), extremal, each(test::kDivided, grad, copied(count)))};
    };
    expect_gradients(
        {x}, [&] { return max(x); }, [&](const Array& grad) { return of_all(max(x), grad); });
    expect_gradients(
        {x}, [&] { return min(x); }, [&](const Array& grad) { return of_all(min(x), grad); });
  });
}

TEST(BackwardCost, OfExtremaWithPositions) {
  for_each_leaf([](const Tensor& x) {
    for (std::int64_t dim = 0; dim < x.dim(); ++dim) {
      if (x.size(dim) == 0) continue;
      const auto scattered = [&](const Tensor& positions) {
        return [&, positions](const Array& grad) -> Arrays {
          const Array out = zero(x.sizes()), index(positions);
          test::for_each_index(positions.sizes(), [&](const Sizes& i) {
            Sizes to = i;
            to[static_cast<std::size_t>(dim)] = static_cast<std::int64_t>(index[i].value);
            out.put(to, grad[i]);
          });
          return {out};
        };
      };
      expect_gradients(
          {x}, [&] { return max(x, dim, true).values; }, scattered(max(x, dim, true).indices));
      expect_gradients(
          {x}, [&] { return min(x, dim, true).values; }, scattered(min(x, dim, true).indices));
    }
  });
}

/// The sums from the end of each line.
Array sums_from_end(const Array& of, std::size_t dim) {
  const Sizes& sizes = of.sizes();
  const Array in = of.again(), out = Array::made(sizes);
  states(sizes, test::with_one(sizes, static_cast<std::int64_t>(dim)), {0}, [&](Counted sum, Sizes i) {
    if (!sizes.empty()) i[dim] = sizes[dim] - 1 - i[dim];
    sum = sum + in[i];
    out.set(i, sum);
    return sum;
  });
  return out;
}

/// Before the first 0 of a line, at it, and after it.
Array cumprod_loop(const Array& grad, const Tensor& x, std::size_t dim) {
  const Sizes whole = test::with_one(x.sizes(), static_cast<std::int64_t>(dim));
  const auto scanned = [&](const Array& of, double start, const auto& combine, Dtype dtype) {
    const Array in = of.again(), out = Array::made(x.sizes(), dtype);
    states(x.sizes(), whole, {start}, [&](Counted state, const Sizes& i) {
      state = combine(state, in[i]);
      out.set(i, state);
      return state;
    });
    return out;
  };
  const Array factors(x), result(cumprod(x.detach(), static_cast<std::int64_t>(dim)));
  const Array vanishes = each_as(bool_, test::equals(0), factors);
  const Array zeros = scanned(vanishes, 0, test::kPlus, int64);
  const Array before = each_as(bool_, test::equals(0), zeros);
  const Array until_second = each_as(bool_, test::equals(1), zeros);
  const Array terms = each(test::where_false(0), before, each(test::kTimes, grad, result));
  const Array others = scanned(each(test::where_true(1), vanishes, factors), 1, test::kTimes, float32);
  const Array first =
      whole_sum(each(test::where_false(0), until_second, each(test::kTimes, grad, others)), whole);
  const Array quotients = each(test::kDivided, sums_from_end(terms, dim), factors);
  const Array is_first = each_as(bool_, test::kAnd, until_second, vanishes);
  return each(test::kChosen, before, quotients, each(test::where_false(0), is_first, first));
}

TEST(BackwardCost, OfScans) {
  for_each_leaf([](const Tensor& x) {
    for (std::int64_t dim = 0; dim < std::max<std::int64_t>(1, x.dim()); ++dim) {
      const auto at = static_cast<std::size_t>(dim);
      expect_gradients(
          {x}, [&] { return cumsum(x, dim); },
          [&](const Array& grad) -> Arrays { return {sums_from_end(grad, at)}; });
      if (x.numel() > 500) continue;  // a product of so many is 0
      expect_gradients(
          {x}, [&] { return cumprod(x, dim); },
          [&](const Array& grad) -> Arrays { return {cumprod_loop(grad, x, at)}; });
    }
  });
}

}  // namespace
}  // namespace lectern
