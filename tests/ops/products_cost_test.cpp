// What products, and attention, count, beside loops that count what they do.
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "ops/attention.h"
#include "ops/cost_functions.h"
#include "ops/counting_loops.h"
#include "ops/einops/einsum.h"
#include "ops/elementwise.h"
#include "ops/float8_matmul.h"
#include "ops/linear.h"
#include "ops/matmul.h"
#include "ops/shape_classes.h"

namespace lectern {
namespace {

using test::Array;
using test::Counted;
using test::each;
using test::expect_cost;
using test::kInfinity;
using test::Laid;
using test::laid_out;
using test::uniform;

/// check(a, b) for both in all layouts.
template <typename Check>
void for_all_layouts(const Sizes& a, const Sizes& b, const Check& check) {
  const auto make = [](unsigned seed) {
    return [=](const Sizes& s, Dtype d) { return uniform(s, d, seed); };
  };
  for (const Laid& left : test::layouts(a, float32, make(1))) {
    for (const Laid& right : test::layouts(b, float32, make(2))) {
      SCOPED_TRACE(left.how + " " + to_string(a) + " times " + right.how + " " + to_string(b));
      check(left.tensor, right.tensor);
    }
  }
}

/// With vectors as rows on the left and as columns on the right.
Array product_of_any(const Tensor& a, const Tensor& b) {
  const Array made =
      test::product(Array(a.dim() == 1 ? a.unsqueeze(0) : a), Array(b.dim() == 1 ? b.unsqueeze(1) : b));
  Sizes sizes = made.sizes();
  if (b.dim() == 1) sizes.erase(sizes.size() - 1);
  if (a.dim() == 1) sizes.erase(sizes.size() - (b.dim() == 1 ? 1 : 2));
  return made.viewed(sizes);
}

struct Factors {
  Sizes a, b;
};
const Factors kFactors[] = {
    {{4}, {4}},
    {{3, 4}, {4}},
    {{4}, {4, 5}},
    {{3, 4}, {4, 5}},
    // Batches, also broadcast.
    {{2, 3, 4}, {4, 5}},
    {{2, 3, 4}, {4}},
    {{4}, {2, 4, 5}},
    {{3, 4}, {2, 4, 5}},
    {{2, 3, 4}, {2, 4, 5}},
    {{2, 1, 3, 4}, {3, 4, 5}},
    // Single elements, rows and columns, and long ones.
    {{1}, {1}},
    {{1, 1}, {1, 1}},
    {{3, 1}, {1, 5}},
    {{1, 4}, {4, 1}},
    {{1031}, {1031}},
    {{1, 1031}, {1031, 2}},
    // No elements, also with something to write.
    {{0, 4}, {4, 5}},
    {{3, 4}, {4, 0}},
    {{0, 3, 4}, {4, 5}},
    {{0}, {0}},
    {{3, 0}, {0, 5}},
    {{2, 3, 0}, {0, 5}},
    {{2, 3, 0}, {2, 0, 5}},
};

TEST(Cost, OfProducts) {
  for (const Factors& of : kFactors) {
    for_all_layouts(of.a, of.b, [](const Tensor& a, const Tensor& b) {
      const auto loop = [&] { return product_of_any(a, b); };
      expect_cost([&] { return matmul(a, b); }, loop);
      if (a.dim() == 2 && b.dim() == 2) expect_cost([&] { return mm(a, b); }, loop);
      if (a.dim() == 3 && b.dim() == 3) expect_cost([&] { return bmm(a, b); }, loop);
      if (a.dim() == 1 && b.dim() == 1) expect_cost([&] { return dot(a, b); }, loop);
      if (a.dim() != 1 || b.dim() != 1 || a.numel() > 100) return;
      expect_cost([&] { return outer(a, b); },
                  [&] { return each(test::kTimes, Array(a.unsqueeze(1)), Array(b)); });
    });
  }
}

TEST(Cost, OfFloat8Products) {
  for (const Factors& of : kFactors) {
    for (const Dtype dtype : {float8_e4m3fn, float8_e5m2}) {
      const Tensor a = test::filled(of.a, float8_e4m3fn), b = test::filled(of.b, dtype);
      expect_cost([&] { return float8_matmul(a, b); }, [&] { return product_of_any(a, b); });
    }
  }
}

/// Sums start with the summand.
Array product_plus_loop(const Tensor& a, const Tensor& b, const Tensor& summand) {
  Sizes sizes = a.sizes();
  sizes[sizes.size() - 1] = b.size(1);
  const Array start = Array::made(sizes), given(summand);
  test::for_each_index(sizes, [&](const Sizes& i) { start.set(i, given[i]); });
  if (checked_numel("", sizes) == 0) return start;
  const Array sums = start.again(), x(a), y(b), out = sums.again();
  const std::size_t last = sizes.size() - 1;
  test::for_each_index(sizes, [&](const Sizes& at) {
    Counted sum = sums[at], products;
    Sizes from = at;
    for (std::int64_t k = 0; k < b.size(0); ++k) {
      from[last] = k;
      products = products + x[from] * y[{k, at[last]}];
    }
    out.set(at, sum + products);
  });
  return out;
}

TEST(Cost, OfLinear) {
  const Sizes shapes[] = {{4},    {3, 4}, {2, 3, 4}, {2, 1, 3, 4}, {1, 131}, {3, 1},
                          {1, 1}, {0, 4}, {2, 0, 4}, {3, 0},       {2, 3, 0}};
  for (const Sizes& shape : shapes) {
    for_all_layouts(shape, {5, shape.back()}, [](const Tensor& x, const Tensor& weight) {
      const Tensor bias = uniform({5}, float32, 3), repeated = uniform({1}, float32, 4).expand({5});
      expect_cost([&] { return linear(x, weight); }, [&] { return product_of_any(x, weight.t()); });
      for (const Tensor& b : {bias, repeated})
        expect_cost([&] { return linear(x, weight, b); },
                    [&] { return product_plus_loop(x, weight.t(), b); });
    });
  }
}

TEST(Cost, OfAddmm) {
  const Factors factors[] = {{{3, 4}, {4, 5}}, {{1, 131}, {131, 2}}, {{1, 1}, {1, 1}},
                             {{0, 4}, {4, 5}}, {{3, 0}, {0, 5}},     {{3, 4}, {4, 0}}};
  for (const Factors& of : factors) {
    for_all_layouts(of.a, of.b, [](const Tensor& a, const Tensor& b) {
      const Tensor whole = uniform({a.size(0), b.size(1)}, float32, 3);
      for (const Tensor& x : {whole, uniform({b.size(1)}, float32, 4), uniform({a.size(0), 1}, float32, 5),
                              uniform({}, float32, 6), whole.t().contiguous().t()}) {
        expect_cost([&] { return addmm(x, a, b); }, [&] { return product_plus_loop(a, b, x); });
        const auto scaled = [&](double beta, double alpha) {
          Array sums = test::product(Array(a), Array(b));
          if (alpha != 1) sums = each(test::times(alpha), sums);
          if (beta == 0) return sums;
          const Array summand = beta == 1 ? Array(x) : each(test::times(beta), Array(x));
          return each(test::kPlus, sums, summand);
        };
        for (const auto& factor : {std::pair(0.5, 2.), {1., 2.}, {0.5, 1.}, {0., 1.}, {0., 2.}}) {
          const double beta = factor.first, alpha = factor.second;
          expect_cost([&] { return addmm(x, a, b, beta, alpha); }, [&] { return scaled(beta, alpha); });
        }
      }
    });
  }
}

/// Sums over the dimensions from `rank` on.
Array sum_last(const Tensor& x, std::size_t rank) {
  Sizes whole = x.sizes();
  for (std::size_t d = rank; d < whole.size(); ++d) whole[d] = 1;
  return test::whole_sum(Array(x), whole).viewed(test::leading(x.sizes(), rank));
}

TEST(Cost, OfEinsumOfOneTensor) {
  for (const Laid& laid :
       test::layouts({3, 4}, float32, [](const Sizes&s, Dtype d) { return uniform(s, d); })) {
    const Tensor& x = laid.tensor;
    expect_cost([&] { return einsum(x, "i j -> i"); }, [&] { return sum_last(x, 1); });
    expect_cost([&] { return einsum(x, "i j ->"); }, [&] { return sum_last(x, 0); });
    EXPECT_EQ(test::cost([&] { einsum(x, "i j -> j i"); }), Counters{}) << "a view";
  }
  const Tensor square = uniform({4, 4}, float32);
  EXPECT_EQ(test::cost([&] { einsum(square, "i i -> i"); }), Counters{}) << "a view";
  expect_cost([&] { return einsum(square, "i i ->"); }, [&] { return sum_last(square.diagonal(), 0); });
}

TEST(Cost, OfEinsumOfTwoTensors) {
  const Sizes lefts[] = {{3, 4}, {3, 0}, {0, 4}, {1, 1}};
  for (const Sizes& left : lefts) {
    for_all_layouts(left, {left[1], 5}, [](const Tensor& a, const Tensor& b) {
      expect_cost([&] { return einsum(a, b, "i k, k j -> i j"); }, [&] { return product_of_any(a, b); });
      expect_cost([&] { return einsum(a, b.t(), "i k, j k -> j i"); },
                  [&] { return product_of_any(b.t(), a.t()); });
    });
    for_all_layouts(left, {5}, [](const Tensor& a, const Tensor& c) {
      expect_cost([&] { return einsum(a, c, "i k, j -> i j"); },
                  [&] {
                    return each(test::kTimes, sum_last(a, 1).viewed({a.size(0), 1}), Array(c));
                  });
    });
    for_all_layouts(left, left, [](const Tensor& a, const Tensor& b) {
      expect_cost([&] { return einsum(a, b, "i j, i j -> i j"); },
                  [&] { return each(test::kTimes, Array(a), Array(b)); });
    });
  }
  for_all_layouts({5}, {5}, [](const Tensor& a, const Tensor& b) {
    expect_cost([&] { return einsum(a, b, "i, i ->"); }, [&] { return product_of_any(a, b); });
  });
  for_all_layouts({2, 3, 4}, {2, 4, 5}, [](const Tensor& a, const Tensor& b) {
    expect_cost([&] { return einsum(a, b, "b i k, b k j -> b i j"); }, [&] { return product_of_any(a, b); });
    expect_cost([&] { return einsum(a, b.mT(), "... i k, ... j k -> ... i j"); },
                [&] { return product_of_any(a, b); });
  });
  for_all_layouts({2, 3, 4}, {4, 5}, [](const Tensor& a, const Tensor& b) {
    expect_cost([&] { return einsum(a, b, "... k, k j -> ... j"); }, [&] { return product_of_any(a, b); });
  });
}

TEST(Cost, OfEinsumOfThreeTensors) {
  const Tensor v = uniform({1, 3}, float32), a = uniform({3, 4}, float32, 2), b = uniform({4, 5}, float32, 3);
  // From the left, which is cheapest.
  expect_cost([&] { return einsum(v, a, b, "one i, i j, j k -> one k"); },
              [&] { return test::product(test::product(Array(v), Array(a)), Array(b)); });
}

// Attention.

Sizes all_but_two(const Tensor& x) {
  return test::leading(x.sizes(), x.sizes().size() - 2);
}
Sizes common_batch(const Tensor& q, const Tensor& k, const Tensor& v) {
  return broadcast_sizes("", broadcast_sizes("", all_but_two(q), all_but_two(k)), all_but_two(v));
}
void read_all(const Array& x) {
  test::for_each_index(x.sizes(), [&](const Sizes& at) { (void)x[at]; });
}

/// One query after the other. Keys that no query sees are among what attention is given.
Array attention_loop(const Tensor& q, const Tensor& k, const Tensor& v, const AttentionOptions& options) {
  const bool is_added = options.attn_mask.defined();
  const Array queries(q), keys(k), values(v), added(is_added ? options.attn_mask : q);
  const std::int64_t width = q.size(-1), columns = v.size(-1);
  const Sizes batch = common_batch(q, k, v);
  const Array out = Array::made(concat(batch, {q.size(-2), columns}));
  const Counted scale{1 / std::sqrt(static_cast<double>(width))};
  test::for_each_index(concat(batch, {q.size(-2)}), [&](const Sizes& at) {
    const Sizes n = test::leading(at, batch.size());
    const auto place = [&](std::int64_t row, std::int64_t column) { return concat(n, {row, column}); };
    const std::int64_t i = at.back(), seen = options.is_causal ? std::min(i + 1, k.size(-2)) : k.size(-2);
    std::vector<Counted> scaled, scores, sums(static_cast<std::size_t>(columns));
    for (std::int64_t e = 0; e < width; ++e) scaled.push_back(queries[place(i, e)] * scale);
    Counted most{-kInfinity}, total;
    for (std::int64_t j = 0; j < seen; ++j) {
      Counted score;
      for (std::int64_t e = 0; e < width; ++e)
        score = score + scaled[static_cast<std::size_t>(e)] * keys[place(j, e)];
      if (is_added) score = score + added[place(i, j)];
      scores.push_back(score);
      most = max(most, score);
    }
    for (Counted& score : scores) total = total + (score = exp(score - most));
    for (std::int64_t j = 0; j < seen; ++j) {
      const Counted weight = scores[static_cast<std::size_t>(j)] / total;
      for (std::int64_t e = 0; e < columns; ++e) {
        Counted& sum = sums[static_cast<std::size_t>(e)];
        sum = sum + weight * values[place(j, e)];
      }
    }
    for (std::int64_t e = 0; e < columns; ++e) out.set(place(i, e), sums[static_cast<std::size_t>(e)]);
  });
  read_all(keys), read_all(values);
  if (is_added) read_all(added);
  return out;
}

TEST(Cost, OfAttention) {
  struct AttentionShapes {
    Sizes q, k, v;
  };
  const AttentionShapes all[] = {
      {{3, 4}, {5, 4}, {5, 6}}, {{2, 3, 4}, {2, 5, 4}, {2, 5, 6}}, {{2, 1, 3, 4}, {3, 5, 4}, {5, 6}},
      {{1, 1}, {1, 1}, {1, 1}}, {{5, 4}, {3, 4}, {3, 1}},          {{70, 2}, {69, 2}, {69, 3}},
      {{0, 4}, {5, 4}, {5, 6}}, {{0, 3, 4}, {0, 5, 4}, {5, 6}},
  };
  for (const AttentionShapes& of : all) {
    const bool is_large = of.q[0] > 50;  // more than a block of queries, in one layout
    for (unsigned kind = 0; kind < (is_large ? 1 : test::kLayouts); ++kind) {
      const auto make = [&](const Sizes& sizes, unsigned seed) {
        return laid_out(kind, sizes, float32, [=](const Sizes& s, Dtype d) { return uniform(s, d, seed); })
            .tensor;
      };
      const Tensor q = make(of.q, 1), k = make(of.k, 2), v = make(of.v, 3);
      const Tensor mask = make({q.size(-2), k.size(-2)}, 4), row = make({1, k.size(-2)}, 5);
      SCOPED_TRACE(to_string(of.q) + " in layout " + std::to_string(kind));
      for (const AttentionOptions& options :
           {AttentionOptions{}, AttentionOptions{.is_causal = true}, AttentionOptions{.attn_mask = mask},
            AttentionOptions{.attn_mask = row}}) {
        expect_cost([&] { return scaled_dot_product_attention(q, k, v, options); },
                    [&] { return attention_loop(q, k, v, options); });
      }
    }
  }
}

TEST(Cost, OfAttentionWithAMask) {
  const Tensor q = uniform({3, 4}, float32), k = uniform({5, 4}, float32, 2), v = uniform({5, 6}, float32, 3);
  const Tensor mask = uniform({3, 5}, float32, 4) > 0;
  // Masked pairs count, and so does the mask.
  const Counters unmasked = test::loop_cost([&] { attention_loop(q, k, v, {}); });
  EXPECT_EQ(test::cost([&] { scaled_dot_product_attention(q, k, v, {.attn_mask = mask}); }),
            (Counters{unmasked.flops, unmasked.bytes + 15}));
}

}  // namespace
}  // namespace lectern
