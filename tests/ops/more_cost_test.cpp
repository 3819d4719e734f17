// What operations of three tensors, padding, searching and scattering count, beside loops that count what
// they do.
#include <algorithm>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "ops/convolution.h"
#include "ops/cost_functions.h"
#include "ops/counting_loops.h"
#include "ops/index_writes.h"
#include "ops/join.h"
#include "ops/linear.h"
#include "ops/meshgrid.h"
#include "ops/nonzero.h"
#include "ops/pad.h"
#include "ops/pooling.h"
#include "ops/rotary.h"
#include "ops/scan.h"
#include "ops/scatter_reduce.h"
#include "ops/search.h"
#include "ops/shape_classes.h"
#include "ops/sort.h"
#include "ops/ternary.h"
#include "ops/triangle.h"

namespace lectern {
namespace {

using test::Array;
using test::copied;
using test::cost;
using test::Counted;
using test::each;
using test::expect_cost;
using test::for_each_shape;
using test::loop_cost;
using test::uniform;

/// One function of three elements.
constexpr auto kBetween = [](Counted a, Counted b, Counted weight) {
  return test::counted(a.value + weight.value * (b.value - a.value));
};
constexpr auto kProductAdded = [](Counted a, Counted b, Counted c) {
  return test::counted(a.value + b.value * c.value);
};
constexpr auto kQuotientAdded = [](Counted a, Counted b, Counted c) {
  return test::counted(a.value + b.value / c.value);
};

TEST(Cost, OfThreeOperands) {
  for (const test::LaidPair& pair : test::broadcast_pairs()) {
    SCOPED_TRACE(pair.how);
    const Tensor &a = pair.a, &b = pair.b, c = uniform(b.sizes(), float32, 3) + 2;
    const Array x(a), y(b), z(c);
    expect_cost([&] { return lerp(a, b, c); }, [&] { return each(kBetween, x, y, z); });
    expect_cost([&] { return addcmul(a, b, c); }, [&] { return each(kProductAdded, x, y, z); });
    expect_cost([&] { return addcdiv(a, b, c); }, [&] { return each(kQuotientAdded, x, y, z); });
    expect_cost([&] { return addcmul(a, b, c, 2); },
                [&] { return each(kProductAdded, x, each(test::times(2), y), z); });
    expect_cost([&] { return addcdiv(a, b, c, 2); },
                [&] { return each(kQuotientAdded, x, each(test::times(2), y), z); });
    if (broadcast_sizes("", a.sizes(), b.sizes()) != a.sizes()) continue;
    const auto in_place = [&](const auto& function) {
      return [&] {
        const Array out = copied(x).again();
        test::each_into(out, function, out, y, z);
        return out;
      };
    };
    expect_cost([&] { return a.clone().lerp_(b, c); }, in_place(kBetween));
    expect_cost([&] { return a.clone().addcmul_(b, c); }, in_place(kProductAdded));
    expect_cost([&] { return a.clone().addcdiv_(b, c); }, in_place(kQuotientAdded));
  }
}

TEST(Cost, OfViewsInOtherOrders) {
  for_each_shape([](const Tensor& x) {
    EXPECT_EQ(cost([&] {
                x.T();
                x.movedim(0, -1);
                x.unfold(0, 0, 1);
              }),
              Counters{});
  });
  EXPECT_EQ(cost([] { meshgrid({ones({2}), ones({3})}); }), cost([] { ones({2}), ones({3}); }));
}

TEST(Cost, OfPads) {
  for_each_shape([](const Tensor& x) {
    if (x.dim() == 0) return;
    expect_cost(
        [&] {
          return pad(x, {2, 1}, "constant", 3);
        },
        [&] {
          const Array in(x);
          Sizes sizes = x.sizes();
          sizes[sizes.size() - 1] += 3;
          const Array out = test::filled_array(3, sizes);
          test::for_each_index(x.sizes(), [&](Sizes i) {
            const Counted element = in[i];
            i[i.size() - 1] += 2;
            out.set(i, element);
          });
          return out;
        });
  });
  const Tensor x = uniform({3, 4}, float32);
  const Tensor places = tensor({1, 0, 1, 2, 3});
  EXPECT_EQ(cost([&] { pad(x, {1, 0}, "reflect"); }), cost([&] { x.index_select(1, places); }));
  EXPECT_EQ(cost([&] { pad(x, {1, 0}, "replicate"); }), cost([&] { x.index_select(1, places); }));
  const Tensor ring = x.unsqueeze(0);
  EXPECT_EQ(cost([&] {
              pad(ring, {1, 2}, "circular");
            }),
            cost([&] {
              cat({ring.narrow(2, 3, 1), ring, ring.narrow(2, 0, 2)}, 2);
            }));
}

TEST(Cost, OfDiagonalsAndPositions) {
  const Tensor matrix = uniform({3, 4}, float32), vector = uniform({3}, float32);
  EXPECT_EQ(cost([&] { diag(matrix, 1); }), cost([&] { matrix.diagonal(1).clone(); }));
  EXPECT_EQ(cost([&] { diag(vector); }), cost([&] { zeros({3, 3}).diagonal().copy_(vector); }));
  EXPECT_EQ(cost([] { tril_indices(3, 4); }).bytes, 2 * 6 * 8);
  EXPECT_EQ(cost([] { triu_indices(3, 4); }).bytes, 2 * 9 * 8);
  EXPECT_EQ(cost([&] { argwhere(matrix); }), cost([&] { nonzero(matrix); }));
}

Array convolution_loop(const Tensor& input, const Tensor& weight, const Tensor& bias) {
  const Array x(input), w(weight), b(bias);
  const Array out = Array::made({input.size(0), weight.size(0), input.size(2) - weight.size(2) + 1});
  test::for_each_index(out.sizes(), [&](const Sizes& i) {
    Counted sum{0};
    for (std::int64_t c = 0; c < weight.size(1); ++c) {
      for (std::int64_t k = 0; k < weight.size(2); ++k) sum = sum + x[{i[0], c, i[2] + k}] * w[{i[1], c, k}];
    }
    out.set(i, sum + b[{i[1]}]);
  });
  return out;
}

TEST(Cost, OfConvolutions) {
  const Tensor x = uniform({2, 3, 7}, float32), weight = uniform({4, 3, 2}, float32, 2),
               bias = uniform({4}, float32, 3);
  expect_cost([&] { return conv1d(x, weight, bias); }, [&] { return convolution_loop(x, weight, bias); });
  const Counters one = cost([&] { conv1d(x, weight); });
  EXPECT_EQ(one, cost([&] { conv2d(x.unsqueeze(2), weight.unsqueeze(2)); }));
  // By products of matrices, which other dtypes and GPUs do.
  EXPECT_EQ(one.flops, cost([&] { conv1d(x.to(float64), weight.to(float64)); }).flops);
}

/// Windows of 3 × 2 elements, a row and a column apart, of a plane that is padded with a row on either side.
Array pooling_loop(const Tensor& input) {
  const Array x(input);
  const Array out = Array::made({2, input.size(1), input.size(2) - 1});
  test::for_each_index(out.sizes(), [&](const Sizes& i) {
    Counted largest{-std::numeric_limits<double>::infinity()};
    for (std::int64_t row = i[1] - 1; row <= i[1] + 1; ++row) {
      if (row < 0 || row >= input.size(1)) continue;
      for (std::int64_t column = i[2]; column < i[2] + 2; ++column)
        largest = test::kLarger(largest, x[{i[0], row, column}]);
    }
    out.set(i, largest);
  });
  return out;
}

TEST(Cost, OfMaximaOfWindows) {
  const Tensor x = uniform({2, 5, 6}, float32);
  const MaxPoolOptions options{.stride = {1}, .padding = {1, 0}};
  expect_cost([&] { return max_pool2d(x, {3, 2}, options); }, [&] { return pooling_loop(x); });
  const Counters alone = cost([&] { max_pool2d(x, {3, 2}, options); });
  const Counters with_indices = cost([&] { max_pool2d_with_indices(x, {3, 2}, options); });
  EXPECT_EQ(with_indices.flops, alone.flops);
  EXPECT_EQ(with_indices.bytes, alone.bytes + 8 * 2 * 5 * 5);
  EXPECT_EQ(cost([&] { max_pool1d(x, {2}); }), cost([&] { max_pool2d(x, {1, 2}); }));
  EXPECT_EQ(cost([&] { max_pool1d_with_indices(x, {2}); }), cost([&] {
              max_pool2d_with_indices(x, {1, 2});
            }));
  // Windows that divide a length, without a rest.
  EXPECT_EQ(cost([&] { adaptive_max_pool2d(x, {5, 3}); }), cost([&] { max_pool2d(x, {1, 2}); }));
  EXPECT_EQ(cost([&] { adaptive_max_pool1d(x, {3}); }), cost([&] { max_pool1d(x, {2}); }));
  EXPECT_EQ(cost([&] { adaptive_max_pool1d_with_indices(x, {3}); }), cost([&] {
              adaptive_max_pool2d_with_indices(x, {5, 3});
            }));
  // With one: elements 0 to 3 and 2 to 5 of 6, twice the element in between.
  EXPECT_EQ(cost([&] { adaptive_max_pool1d(x, {4}); }).flops, 2 * 5 * 4 * 2);
}

/// The means of such windows.
Array averaging_loop(const Tensor& input) {
  const Array x(input);
  const Array out = Array::made({2, input.size(1), input.size(2) - 1});
  test::for_each_index(out.sizes(), [&](const Sizes& i) {
    Counted sum{0};
    for (std::int64_t row = i[1] - 1; row <= i[1] + 1; ++row) {
      if (row < 0 || row >= input.size(1)) continue;
      for (std::int64_t column = i[2]; column < i[2] + 2; ++column) sum = sum + x[{i[0], row, column}];
    }
    out.set(i, sum / Counted{6});
  });
  return out;
}

TEST(Cost, OfMeansOfWindows) {
  const Tensor x = uniform({2, 5, 6}, float32);
  const AvgPoolOptions options{.stride = {1}, .padding = {1, 0}};
  expect_cost([&] { return avg_pool2d(x, {3, 2}, options); }, [&] { return averaging_loop(x); });
  EXPECT_EQ(cost([&] { avg_pool1d(x, {2}); }), cost([&] { avg_pool2d(x, {1, 2}); }));
  EXPECT_EQ(cost([&] { adaptive_avg_pool2d(x, {5, 3}); }), cost([&] { avg_pool2d(x, {1, 2}); }));
  EXPECT_EQ(cost([&] { adaptive_avg_pool1d(x, {3}); }), cost([&] { avg_pool1d(x, {2}); }));
  EXPECT_EQ(cost([&] { adaptive_avg_pool1d(x, {4}); }).flops, 2 * 5 * 4 * (2 + 1));
  EXPECT_EQ(cost([&] { adaptive_avg_pool2d(x, {1}); }), cost([&] { mean(x, {-2, -1}); }));
}

TEST(Cost, OfSearches) {
  for (const auto& [rows, values] : std::initializer_list<std::pair<Sizes, Sizes>>{
           {{9}, {5}}, {{9}, {2, 3}}, {{2, 9}, {2, 3}}, {{9}, {0}}}) {
    const Tensor sorted = sort(uniform(rows, float32)).values, wanted = uniform(values, float32, 2);
    const Counters counted = cost([&] { searchsorted(sorted, wanted); });
    EXPECT_EQ(counted.flops, 0);
    EXPECT_EQ(counted.bytes, sorted.nbytes() + wanted.nbytes() + wanted.numel() * 8);
  }
}

/// Of prod, amax and amin one operation for each index.
TEST(Cost, OfScatteredReductions) {
  const Tensor x = uniform({3, 5}, float32), index = (test::counting({3, 7}) * 2).remainder(5);
  const Tensor source = uniform({3, 7}, float32, 2);
  const auto loop = [&](const auto& combine, bool include_self) {
    return [&, include_self] {
      const Array out = copied(Array(x)), at(index), given(source);
      std::vector<bool> begun(15);
      test::for_each_index(index.sizes(), [&](const Sizes& i) {
        const Sizes to{i[0], static_cast<std::int64_t>(at[i].value)};
        const auto place = static_cast<std::size_t>(to[0] * 5 + to[1]);
        const bool is_first = !include_self && !begun[place];
        begun[place] = true;
        // Where the element itself is not read, its first value counts an operation, too.
        out.put(to, is_first ? test::counted(given[i].value)
                             : combine(include_self ? out.picked(to) : Counted{out.value(to)}, given[i]));
      });
      return out;
    };
  };
  for (const bool self : {true, false}) {
    expect_cost([&] { return scatter_reduce(x, 1, index, source, "prod", self); }, loop(test::kTimes, self));
    expect_cost([&] { return scatter_reduce(x, 1, index, source, "amax", self); }, loop(test::kLarger, self));
    expect_cost([&] { return x.clone().scatter_reduce_(1, index, source, "amin", self); },
                loop(test::kSmaller, self));
  }
  EXPECT_EQ(cost([&] { scatter_reduce(x, 1, index, source, "sum"); }),
            cost([&] { x.scatter_add(1, index, source); }));
}

TEST(Cost, OfWritesAlongADimension) {
  const Tensor x = uniform({3, 5}, float32), places = tensor({4, 0}), source = uniform({3, 2}, float32, 2);
  const Tensor two = tensor(2.);
  EXPECT_EQ(cost([&] { index_fill(x, 1, places, two); }),
            cost([&] { x.clone().index_fill_(1, places, two); }));
  EXPECT_EQ(cost([&] { x.clone().index_fill_(1, places, two); }), cost([&] {
              x.clone().index_put_({Slice(), places}, two);
            }));
  EXPECT_EQ(cost([&] { index_copy(x, 1, places, source); }),
            cost([&] { x.clone().index_copy_(1, places, source); }));
  EXPECT_EQ(cost([&] { x.clone().index_copy_(1, places, source); }), cost([&] {
              x.clone().index_put_({Slice(), places}, source);
            }));
  const Tensor mask = x > 0;
  const std::int64_t chosen = mask.sum().item<std::int64_t>();
  const Tensor all = uniform({15}, float32, 3);
  const Counters by_mask = cost([&] {
    const std::vector<Tensor> at = nonzero(mask).unbind(1);
    x.clone().index_put_({at[0], at[1]}, all.narrow(0, 0, chosen));
  });
  EXPECT_EQ(cost([&] { masked_scatter(x, mask, all); }), by_mask);
  EXPECT_EQ(cost([&] { x.clone().masked_scatter_(mask, all); }), by_mask);
}

TEST(Cost, OfAddedProductsOfBatches) {
  const Tensor input = uniform({2, 3, 5}, float32), a = uniform({2, 3, 4}, float32, 2),
               b = uniform({2, 4, 5}, float32, 3);
  expect_cost([&] { return baddbmm(input, a, b); },
              [&] {
                const Array sums = test::product(Array(a), Array(b)).again();
                test::each_into(sums, test::kPlus, sums, Array(input));
                return sums;
              });
  EXPECT_EQ(cost([&] { a[0].mm(b[0]); }), cost([&] { mm(a[0], b[0]); }));
}

TEST(Cost, OfLogarithmsOfRunningSums) {
  for_each_shape([](const Tensor& x) {
    for (std::int64_t dim = 0; dim < x.dim(); ++dim) {
      const Counters counted = cost([&] { logcumsumexp(x, dim); });
      EXPECT_EQ(counted, cost([&] { cumsum(x, dim); }));
    }
  });
}

TEST(Cost, OfRotations) {
  const Tensor x = uniform({2, 3, 4, 6}, float32), table = rotary_table(8, 6);
  const auto counted = cost([&] { rotary_embedding(x, table); });
  EXPECT_EQ(counted.flops, 3 * x.numel());
  EXPECT_EQ(counted.bytes, 2 * x.nbytes() + 3 * 6 * 4);
  const Tensor places = tensor({5, 1, 2});
  EXPECT_EQ(cost([&] { rotary_embedding(x, table, places); }).bytes, counted.bytes + places.nbytes());
}

}  // namespace
}  // namespace lectern
