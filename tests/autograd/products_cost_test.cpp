// What gradients of products, and of attention, count, beside loops that count what they do.
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "autograd/gradient_cost.h"
#include "ops/attention.h"
#include "ops/cost_functions.h"
#include "ops/einops/einsum.h"
#include "ops/linear.h"
#include "ops/matmul.h"

namespace lectern {
namespace {

using test::Array;
using test::Arrays;
using test::cost;
using test::Counted;
using test::each;
using test::expect_gradients;
using test::product;
using test::random_leaf;
using test::sum_along;
using test::sum_back;
using test::uniform;

struct FactorSizes {
  Sizes a, b;
};
const FactorSizes kFactorSizes[] = {
    {{4}, {4}},
    {{3, 4}, {4}},
    {{4}, {4, 5}},
    {{3, 4}, {4, 5}},
    {{2, 3, 4}, {4, 5}},
    {{2, 3, 4}, {4}},
    {{4}, {2, 4, 5}},
    {{3, 4}, {2, 4, 5}},
    {{2, 3, 4}, {2, 4, 5}},
    {{2, 1, 3, 4}, {3, 4, 5}},
    {{1}, {1}},
    {{1, 1}, {1, 1}},
    {{3, 1}, {1, 5}},
    {{1031}, {1031}},
    {{1, 131}, {131, 2}},
    {{0, 4}, {4, 5}},
    {{3, 4}, {4, 0}},
    {{3, 0}, {0, 5}},
    {{2, 3, 0}, {2, 0, 5}},
};

/// check(a, b) for leaves in all layouts.
template <typename Check>
void for_all_leaves(const FactorSizes& of, const Check& check) {
  const auto make = [](unsigned seed) {
    return [=](const Sizes& s, Dtype d) { return uniform(s, d, seed); };
  };
  for (const test::Laid& left : test::layouts(of.a, float32, make(1))) {
    for (const test::Laid& right : test::layouts(of.b, float32, make(2))) {
      SCOPED_TRACE(left.how + " " + to_string(of.a) + " times " + right.how + " " + to_string(of.b));
      check(test::leaf_like(left.tensor), test::leaf_like(right.tensor));
    }
  }
}

/// All dimensions but the last as one, if a view can have it.
Tensor rows_in_memory(const Tensor& x) {
  const Tensor rows = x.flatten(0, -2);
  return rows.storage() == x.storage() ? rows : x;
}

/// Products of the gradient with the other factor, summed where that was repeated. A batch times one matrix
/// is one product, if its rows are evenly spaced.
Arrays matmul_loop(const Array& grad, const Tensor& left, const Tensor& right) {
  Tensor a = left.detach(), b = right.detach();
  if (a.dim() == 1) a = a.unsqueeze(0);
  if (b.dim() == 1) b = b.unsqueeze(1);
  if (a.dim() > 2 && b.dim() == 2) a = rows_in_memory(a);
  const Sizes batch = broadcast_sizes("", test::leading(a.sizes(), a.sizes().size() - 2),
                                      test::leading(b.sizes(), b.sizes().size() - 2));
  const Array g = grad.reshaped(concat(batch, {a.size(-2), b.size(-1)}));
  return {sum_back(product(g, Array(b).mT()), a.sizes()).viewed(left.sizes()),
          sum_back(product(Array(a).mT(), g), b.sizes()).viewed(right.sizes())};
}

TEST(BackwardCost, OfProducts) {
  for (const FactorSizes& of : kFactorSizes) {
    for_all_leaves(of, [](const Tensor& a, const Tensor& b) {
      const auto loop = [&](const Array& grad) { return matmul_loop(grad, a, b); };
      expect_gradients(
          {a, b}, [&] { return matmul(a, b); }, loop);
      // No gradient is computed for what requires none.
      if (a.dim() == 2 && b.dim() == 2) {
        expect_gradients(
            {a, b}, [&] { return mm(a, b); }, loop);
        expect_gradients(
            {a}, [&] { return matmul(a, b.detach()); },
            [&](const Array& grad) -> Arrays { return {product(grad, Array(b).mT())}; });
        expect_gradients(
            {b}, [&] { return matmul(a.detach(), b); },
            [&](const Array& grad) -> Arrays { return {product(Array(a).mT(), grad)}; });
      }
      if (a.dim() == 3 && b.dim() == 3)
        expect_gradients(
            {a, b}, [&] { return bmm(a, b); }, loop);
      if (a.dim() != 1 || b.dim() != 1 || a.numel() > 100) return;
      expect_gradients(
          {a, b}, [&] { return dot(a, b); }, loop);
      expect_gradients(
          {a, b}, [&] { return outer(a, b); },
          [&](const Array& grad) -> Arrays {
            const Array column(a.detach().unsqueeze(1));
            const Sizes sizes = column.sizes();
            return {sum_back(each(test::kTimes, grad, Array(b)), sizes).viewed(a.sizes()),
                    sum_back(each(test::kTimes, grad, column), b.sizes())};
          });
    });
  }
}

TEST(BackwardCost, OfEinsum) {
  for (const FactorSizes& of : {FactorSizes{{3, 4}, {4, 5}}, {{1, 1}, {1, 1}}}) {
    const Tensor a = random_leaf(of.a), b = random_leaf(of.b, 2);
    expect_gradients(
        {a, b}, [&] { return einsum(a, b, "i k, k j -> i j"); },
        [&](const Array& grad) { return matmul_loop(grad, a, b); });
  }
  const Tensor a = random_leaf({2, 3, 4}), b = random_leaf({2, 4, 5}, 2), c = random_leaf({2, 3, 4}, 3);
  expect_gradients(
      {a, b}, [&] { return einsum(a, b, "n i k, n k j -> n i j"); },
      [&](const Array& grad) { return matmul_loop(grad, a, b); });
  expect_gradients(
      {a, c}, [&] { return einsum(a, c, "n i k, n i k -> n i k"); },
      [&](const Array& grad) -> Arrays {
        return {each(test::kTimes, grad, Array(c)), each(test::kTimes, grad, Array(a))};
      });
  test::expect_gradient_is_view(a, [&] { return einsum(a, "n i k -> k"); });
}

TEST(BackwardCost, OfLinear) {
  for (const Sizes& sizes :
       {Sizes{4}, Sizes{3, 4}, Sizes{2, 3, 4}, Sizes{1, 131}, Sizes{3, 1}, Sizes{0, 4}, Sizes{2, 0, 4}}) {
    for_all_leaves({sizes, {5, sizes.back()}}, [](const Tensor& x, const Tensor& w) {
      const Tensor b = random_leaf({5}, 3);
      const std::int64_t rows = x.numel() / x.size(-1);
      const auto loop = [&](const Array& grad) -> Arrays {
        const Array g = grad.reshaped({rows, 5});
        Arrays gradients{product(g, Array(w)).viewed(x.sizes())};
        // Of x the elements in memory are read, however they lie.
        const Array in = x.dim() == 1 ? Array(x.detach().unsqueeze(0)) : Array(x);
        const Array of_w = Array::made({5, x.size(-1)}), out = g.again();
        test::for_each_index(of_w.sizes(), [&](const Sizes& at) {
          Counted sum;
          std::int64_t row = 0;
          test::for_each_index(test::leading(in.sizes(), in.sizes().size() - 1), [&](const Sizes& i) {
            sum = sum + out[{row++, at[0]}] * in[concat(i, {at[1]})];
          });
          of_w.set(at, sum);
        });
        gradients.push_back(of_w);
        return gradients;
      };
      expect_gradients(
          {x, w}, [&] { return linear(x, w); }, loop);
      expect_gradients(
          {x, w, b}, [&] { return linear(x, w, b); },
          [&](const Array& grad) -> Arrays {
            Arrays all = loop(grad);
            all.push_back(x.dim() == 1 ? grad : sum_back(grad, {5}));
            return all;
          });
      expect_gradients(
          {b}, [&] { return linear(x.detach(), w.detach(), b); },
          [&](const Array& grad) -> Arrays { return {sum_back(grad, {5})}; });
    });
  }
}

TEST(BackwardCost, OfAddmm) {
  for (const FactorSizes& of :
       {FactorSizes{{3, 4}, {4, 5}}, {{1, 1}, {1, 1}}, {{0, 4}, {4, 5}}, {{3, 0}, {0, 5}}}) {
    for_all_leaves(of, [](const Tensor& a, const Tensor& b) {
      for (const Sizes& sizes :
           {Sizes{b.size(1)}, Sizes{a.size(0), 1}, Sizes{}, Sizes{a.size(0), b.size(1)}}) {
        const Tensor x = random_leaf(sizes, 3);
        for (const auto& [beta, alpha] : {std::pair(1., 1.), {0.5, 2.}}) {
          expect_gradients(
              {x, a, b}, [&, beta = beta, alpha = alpha] { return addmm(x, a, b, beta, alpha); },
              [&, beta = beta, alpha = alpha](const Array& grad) -> Arrays {
                Arrays all = matmul_loop(grad, a, b);
                all.insert(all.begin(), sum_back(grad, sizes));
                if (beta == 1) return all;
                return {each(test::times(beta), all[0]), each(test::times(alpha), all[1]),
                        each(test::times(alpha), all[2])};
              });
        }
      }
    });
  }
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

/// Queries, keys and values of one batch; `added` is a mask, or undefined.
struct Attended {
  Tensor q, k, v, added;
  bool is_causal;
};

/// What one query adds to the gradients.
class AttentionRow {
 public:
  AttentionRow(const Attended& of, const Sizes& batch, std::int64_t row)
      : of_(of),
        batch_(batch),
        row_(row),
        seen_(of.is_causal ? std::min(row + 1, of.k.size(-2)) : of.k.size(-2)) {}

  void add(const Arrays& in, const Array& grad, const Arrays& sums) const {
    const Array &queries = in[0], &keys = in[1], &values = in[2];
    const std::int64_t width = of_.q.size(-1), columns = of_.v.size(-1);
    const Counted scale{1 / std::sqrt(static_cast<double>(width))};
    std::vector<Counted> query, weights, slopes;
    for (std::int64_t e = 0; e < width; ++e) query.push_back(queries[at(row_, e)] * scale);
    Counted most{-HUGE_VAL}, total, both;
    for (std::int64_t j = 0; j < seen_; ++j) {
      Counted score;
      for (std::int64_t e = 0; e < width; ++e)
        score = score + query[static_cast<std::size_t>(e)] * keys[at(j, e)];
      if (of_.added.defined()) score = score + in[3][at(row_, j)];
      weights.push_back(score);
      most = max(most, score);
    }
    for (Counted& weight : weights) total = total + (weight = exp(weight - most));
    for (Counted& weight : weights) weight = weight / total;
    for (std::int64_t j = 0; j < seen_; ++j) {
      Counted slope;
      for (std::int64_t e = 0; e < columns; ++e) slope = slope + grad[at(row_, e)] * values[at(j, e)];
      both = both + slope * weights[static_cast<std::size_t>(j)];
      slopes.push_back(slope);
    }
    for (std::int64_t j = 0; j < seen_; ++j) {
      const Counted weight = weights[static_cast<std::size_t>(j)];
      const Counted slope = (slopes[static_cast<std::size_t>(j)] - both) * weight;
      for (std::int64_t e = 0; e < width; ++e) {
        sums[0].set(at(row_, e), sums[0][at(row_, e)] + slope * keys[at(j, e)]);
        sums[1].set(at(j, e), sums[1][at(j, e)] + slope * query[static_cast<std::size_t>(e)]);
      }
      for (std::int64_t e = 0; e < columns; ++e)
        sums[2].set(at(j, e), sums[2][at(j, e)] + weight * grad[at(row_, e)]);
      if (of_.added.defined()) sums[3].set(at(row_, j), slope);
    }
    for (std::int64_t e = 0; e < width; ++e) sums[0].set(at(row_, e), sums[0][at(row_, e)] * scale);
  }

 private:
  Sizes at(std::int64_t row, std::int64_t column) const { return concat(batch_, {row, column}); }

  const Attended& of_;
  Sizes batch_;
  std::int64_t row_, seen_;
};

Arrays attention_gradients(const Attended& of, const Array& grad) {
  const std::vector<Tensor> given =
      of.added.defined() ? std::vector{of.q, of.k, of.v, of.added} : std::vector{of.q, of.k, of.v};
  const Arrays in(given.begin(), given.end());
  const Sizes batch = test::leading(grad.sizes(), grad.sizes().size() - 2);
  Arrays sums, gradients;
  for (const Tensor& tensor : given)
    sums.push_back(Array::workspace(concat(batch, {tensor.size(-2), tensor.size(-1)})));
  test::for_each_index(concat(batch, {of.q.size(-2)}), [&](const Sizes& i) {
    AttentionRow(of, test::leading(i, batch.size()), i.back()).add(in, grad, sums);
  });
  // All that was given is read, and all gradients are written, of a batch for each of its own.
  for (const Array& array : in) test::for_each_index(array.sizes(), [&](const Sizes& i) { (void)array[i]; });
  for (std::size_t i = 0; i < given.size(); ++i) {
    const Array whole = test::finished(sums[i], [](double sum) { return sum; });
    gradients.push_back(sum_back(whole, given[i].sizes()));
  }
  return gradients;
}

TEST(BackwardCost, OfAttention) {
  struct AttentionShapes {
    Sizes q, k, v;
  };
  const AttentionShapes all[] = {{{3, 4}, {5, 4}, {5, 6}},
                                 {{2, 3, 4}, {2, 5, 4}, {2, 5, 6}},
                                 {{2, 3, 4}, {5, 4}, {1, 5, 6}},
                                 {{1, 1}, {1, 1}, {1, 1}},
                                 {{70, 2}, {69, 2}, {69, 3}}};
  for (const AttentionShapes& of : all) {
    const bool is_large = of.q[0] > 50;  // more than a block of queries, in one layout
    for (unsigned kind = 0; kind < (is_large ? 1 : test::kLayouts); ++kind) {
      SCOPED_TRACE(to_string(of.q) + " in layout " + std::to_string(kind));
      const auto make = [&](const Sizes& sizes, unsigned seed) {
        const auto numbers = [=](const Sizes& s, Dtype d) { return uniform(s, d, seed); };
        return test::leaf_like(test::laid_out(kind, sizes, float32, numbers).tensor);
      };
      const Tensor q = make(of.q, 1), k = make(of.k, 2), v = make(of.v, 3);
      const Tensor mask = make({q.size(-2), k.size(-2)}, 4);
      for (const bool is_causal : {false, true}) {
        expect_gradients(
            {q, k, v}, [&] { return scaled_dot_product_attention(q, k, v, {.is_causal = is_causal}); },
            [&](const Array& grad) {
              return attention_gradients({q, k, v, {}, is_causal}, grad);
            });
      }
      expect_gradients(
          {q, k, v, mask}, [&] { return scaled_dot_product_attention(q, k, v, {.attn_mask = mask}); },
          [&](const Array& grad) {
            return attention_gradients({q, k, v, mask, false}, grad);
          });
    }
  }
}

}  // namespace
}  // namespace lectern
