// What gradients of operations of three tensors, of padding and of rotation count, beside loops that count
// what they do.
#include <gtest/gtest.h>

#include "autograd/gradient_cost.h"
#include "ops/convolution.h"
#include "ops/cost_functions.h"
#include "ops/elementwise.h"
#include "ops/meshgrid.h"
#include "ops/pad.h"
#include "ops/pooling.h"
#include "ops/rotary.h"
#include "ops/ternary.h"
#include "ops/triangle.h"

namespace lectern {
namespace {

using test::Array;
using test::Arrays;
using test::Counted;
using test::each;
using test::expect_gradient_is_view;
using test::expect_gradients;
using test::for_each_leaf;
using test::random_leaf;
using test::uniform;

TEST(BackwardCost, OfThreeOperands) {
  for (const Sizes& sizes : {Sizes{3, 4}, Sizes{}, Sizes{0, 2}, Sizes{1031}}) {
    const Tensor a = random_leaf(sizes), b = random_leaf(sizes, 2), c = random_leaf(sizes, 3);
    const Array x(a), y(b), z(c);
    const auto from_one = [](Counted weight) { return test::counted(1 - weight.value); };
    expect_gradients(
        {a, b, c}, [&] { return lerp(a, b, c); },
        [&](const Array& grad) -> Arrays {
          return {each(test::kTimes, grad, each(from_one, z)), each(test::kTimes, grad, z),
                  each(test::kTimes, grad, each(test::kMinus, y, x))};
        });
    expect_gradients(
        {a, b, c}, [&] { return addcmul(a, b, c); },
        [&](const Array& grad) -> Arrays {
          return {grad, each(test::kTimes, grad, z), each(test::kTimes, grad, y)};
        });
    expect_gradients(
        {a, b, c}, [&] { return addcdiv(a, b, c); },
        [&](const Array& grad) -> Arrays {
          return {grad, each(test::kDivided, grad, z),
                  each(test::kNegative,
                       each(test::kDivided, each(test::kTimes, grad, y), each(test::kSquared, z)))};
        });
  }
}

TEST(BackwardCost, OfTransposes) {
  for_each_leaf([](const Tensor& x) {
    expect_gradient_is_view(x, [&] { return x.T(); });
    expect_gradient_is_view(x, [&] { return x.movedim(0, -1); });
  });
}

TEST(BackwardCost, OfPads) {
  for_each_leaf([](const Tensor& x) {
    if (x.dim() == 0) return;
    expect_gradients(
        {x},
        [&] {
          return pad(x, {2, 1});
        },
        [&](const Array& grad) -> Arrays {
          const Array in = grad.again(), out = Array::made(x.sizes());
          test::for_each_index(x.sizes(), [&](const Sizes& i) {
            Sizes from = i;
            from[from.size() - 1] += 2;
            out.set(i, in[from]);
          });
          return {out};
        });
  });
}

TEST(BackwardCost, OfConvolutions) {
  const Tensor x = random_leaf({2, 3, 7}), weight = random_leaf({4, 3, 2}, 2), bias = random_leaf({4}, 3);
  const auto loop = [&](const Array& grad) -> Arrays {
    const Array in(x), w(weight), again = grad.again(), once_more = grad.again();
    std::vector<Counted> of_input(42, Counted{0}), of_weight(24, Counted{0}), of_bias(4, Counted{0});
    test::for_each_index({2, 4, 6}, [&](const Sizes& i) {
      for (std::int64_t c = 0; c < 3; ++c) {
        for (std::int64_t k = 0; k < 2; ++k) {
          Counted& dx = of_input[static_cast<std::size_t>((i[0] * 3 + c) * 7 + i[2] + k)];
          Counted& dw = of_weight[static_cast<std::size_t>((i[1] * 3 + c) * 2 + k)];
          dx = dx + grad[i] * w[{i[1], c, k}];
          dw = dw + again[i] * in[{i[0], c, i[2] + k}];
        }
      }
      Counted& db = of_bias[static_cast<std::size_t>(i[1])];
      db = db + once_more[i];
    });
    const auto filled = [](const Sizes& sizes, const std::vector<Counted>& sums) {
      const Array made = Array::made(sizes);
      std::size_t at = 0;
      test::for_each_index(sizes, [&](const Sizes& i) { made.set(i, sums[at++]); });
      return made;
    };
    return {filled({2, 3, 7}, of_input), filled({4, 3, 2}, of_weight), filled({4}, of_bias)};
  };
  expect_gradients(
      {x, weight, bias}, [&] { return conv1d(x, weight, bias); }, loop);
  const auto squeezed = [&](const auto& call) {
    const Tensor result = call();
    return test::cost([&] {
      autograd::grad({result}, {x, weight, bias}, {uniform(result.sizes(), float32)});
    });
  };
  EXPECT_EQ(squeezed([&] { return conv1d(x, weight, bias); }),
            squeezed([&] { return conv2d(x.unsqueeze(2), weight.unsqueeze(2), bias).squeeze(2); }));
}

TEST(BackwardCost, OfMaximaOfWindows) {
  const Tensor x = random_leaf({2, 5, 6});
  const auto loop_over = [&](const Tensor& indices) {
    return [&x, indices](const Array& grad) -> Arrays {
      const Array places(indices);
      std::vector<Counted> sums(static_cast<std::size_t>(x.numel()), Counted{0});
      test::for_each_index(indices.sizes(), [&](const Sizes& i) {
        Counted& sum = sums[static_cast<std::size_t>(i[0] * 30 + static_cast<std::int64_t>(places[i].value))];
        sum = sum + grad[i];
      });
      const Array made = Array::made(x.sizes());
      std::size_t at = 0;
      test::for_each_index(x.sizes(), [&](const Sizes& i) { made.set(i, sums[at++]); });
      return {made};
    };
  };
  const MaxPoolOptions options{.stride = {1, 2}, .padding = {1}};
  expect_gradients(
      {x},
      [&] {
        return max_pool2d(x, {3, 2}, options);
      },
      loop_over(max_pool2d_with_indices(x.detach(), {3, 2}, options).indices));
  expect_gradients(
      {x},
      [&] {
        return adaptive_max_pool2d(x, {3, 4});
      },
      loop_over(adaptive_max_pool2d_with_indices(x.detach(), {3, 4}).indices));
  const auto of_rows = [&](const auto& call) {
    const Tensor result = call();
    return test::cost([&] { autograd::grad({result}, {x}, {uniform(result.sizes(), float32)}); });
  };
  const Counters rows = of_rows([&] { return max_pool2d(x, {1, 2}); });
  EXPECT_EQ(rows, of_rows([&] { return max_pool1d(x, {2}); }));
  EXPECT_EQ(rows, of_rows([&] { return max_pool1d_with_indices(x, {2}).values; }));
  EXPECT_EQ(rows, of_rows([&] { return max_pool2d_with_indices(x, {1, 2}).values; }));
  EXPECT_EQ(rows, of_rows([&] { return adaptive_max_pool1d(x, {3}); }));
  EXPECT_EQ(rows, of_rows([&] { return adaptive_max_pool1d_with_indices(x, {3}).values; }));
  EXPECT_EQ(rows, of_rows([&] { return adaptive_max_pool2d_with_indices(x, {5, 3}).values; }));
}

TEST(BackwardCost, OfMeansOfWindows) {
  const Tensor x = random_leaf({2, 5, 6});
  expect_gradients(
      {x},
      [&] {
        return avg_pool2d(x, {2, 3}, {.stride = {1, 3}});
      },
      [&](const Array& grad) -> Arrays {
        std::vector<Counted> sums(static_cast<std::size_t>(x.numel()), Counted{0});
        test::for_each_index({2, 4, 2}, [&](const Sizes& i) {
          const Counted share = grad[i] / Counted{6};
          for (std::int64_t row = i[1]; row < i[1] + 2; ++row) {
            for (std::int64_t column = 3 * i[2]; column < 3 * i[2] + 3; ++column) {
              Counted& sum = sums[static_cast<std::size_t>(i[0] * 30 + row * 6 + column)];
              sum = sum + share;
            }
          }
        });
        const Array made = Array::made(x.sizes());
        std::size_t at = 0;
        test::for_each_index(x.sizes(), [&](const Sizes& i) { made.set(i, sums[at++]); });
        return {made};
      });
  const auto of_rows = [&](const auto& call) {
    const Tensor result = call();
    return test::cost([&] { autograd::grad({result}, {x}, {uniform(result.sizes(), float32)}); });
  };
  const Counters rows = of_rows([&] { return avg_pool2d(x, {1, 2}); });
  EXPECT_EQ(rows, of_rows([&] { return avg_pool1d(x, {2}); }));
  EXPECT_EQ(rows, of_rows([&] { return adaptive_avg_pool1d(x, {3}); }));
  EXPECT_EQ(rows, of_rows([&] { return adaptive_avg_pool2d(x, {5, 3}); }));
}

TEST(BackwardCost, OfRotations) {
  const Tensor x = random_leaf({2, 3, 4, 6}), table = rotary_table(8, 6);
  const Tensor result = rotary_embedding(x, table);
  const Counters counted = test::cost([&] {
    autograd::grad({result}, {x}, {uniform({2, 3, 4, 6}, float32)});
  });
  EXPECT_EQ(counted.flops, 3 * x.numel());
}

}  // namespace
}  // namespace lectern
