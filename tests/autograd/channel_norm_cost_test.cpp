// What gradients of norms of channels count, beside loops that count what they do.
#include <gtest/gtest.h>

#include "autograd/gradient_cost.h"
#include "ops/channel_norm.h"
#include "ops/channel_norm_loop.h"

namespace lectern {
namespace {

using test::Array;
using test::Arrays;
using test::ChannelNormalization;
using test::Counted;
using test::expect_gradients;
using test::random_leaf;

struct OfParameters {
  bool weight, bias;
};

/// Sums over the channels of an index, without counting: they are what is left of the sums of the planes.
void add_to_channel(const Array& sums, const Sizes& index, double value) {
  const Sizes channel{index[1]};
  sums.set(channel, {sums.value(channel) + value});
}

Arrays parameter_gradients(const Array& weights, const Array& biases, const OfParameters& needed) {
  const auto same = [](double sum) { return sum; };
  Arrays made;
  if (needed.weight) made.push_back(test::finished(weights, same));
  if (needed.bias) made.push_back(test::finished(biases, same));
  return made;
}

/// The statistics were written by the forward pass, as many bytes as are read now.
test::FoundMoments known_moments(const ChannelNormalization& of) {
  const Counters before = test::looped;
  const auto found = test::find_moments(of, Array(of.x));
  test::looped = before;
  return {found.mean.again(), found.variance.again()};
}

Arrays channel_gradients(const ChannelNormalization& of, const OfParameters& needed, const Array& grad) {
  const Sizes& sizes = of.x.sizes();
  const Array in(of.x), out = Array::made(sizes), scales(of.weight.defined() ? of.weight : of.x);
  const bool given = of.mean.defined();
  const auto moments = given ? test::FoundMoments{Array(of.mean), Array(of.variance)} : known_moments(of);
  const auto root = [&](const Sizes& i) {
    return Counted{1 / std::sqrt(moments.variance[of.set(i)].value + 1e-5)};
  };
  const auto weighted = [&](const Sizes& i, Counted g) {
    return of.weight.defined() ? g * scales[Sizes{i[1]}] : g;
  };
  const Array weights = Array::workspace({sizes[1]}), biases = Array::workspace({sizes[1]});
  const Array grads = Array::workspace(of.sets()), products = Array::workspace(of.sets());
  const Array normal = Array::workspace(sizes);
  test::for_each_index(sizes, [&](const Sizes& i) {
    if (!given || needed.weight) {
      const Counted n = (in[i] - moments.mean[of.set(i)]) * root(i), product = grad[i] * n;
      normal.set(i, n);
      (void)(Counted{} + product);
      add_to_channel(weights, i, product.value);
    }
    if (!given || needed.bias) {
      (void)(Counted{} + grad[i]);
      add_to_channel(biases, i, grad[i].value);
    }
  });
  // Planes are weighted as a whole.
  test::for_each_index(sizes, [&](const Sizes& i) {
    if (given) return;
    const Sizes set = of.set(i);
    const double weight = of.weight.defined() ? scales.value(Sizes{i[1]}) : 1;
    grads.set(set, {grads.value(set) + weight * grad.value(i)});
    products.set(set, {products.value(set) + weight * grad.value(i) * normal.value(i)});
  });
  test::for_each_index(sizes, [&](const Sizes& i) {
    const Counted g = weighted(i, grad[i]);
    if (given) return out.set(i, g * root(i));
    const double count = of.elements_of_set();
    const Counted grad_mean{grads.value(of.set(i)) / count}, product_mean{products.value(of.set(i)) / count};
    out.set(i, (g - grad_mean - normal[i] * product_mean) * root(i));
  });
  Arrays made{out};
  for (const Array& more : parameter_gradients(weights, biases, needed)) made.push_back(more);
  return made;
}

void expect_channel_gradients(const ChannelNormalization& of, const std::function<Tensor()>& call) {
  const bool all = of.weight.defined() && of.bias.defined();
  expect_gradients({of.x}, call, [&](const Array& grad) {
    return channel_gradients(of, {false, false}, grad);
  });
  if (!all) return;
  expect_gradients({of.x, of.weight, of.bias}, call, [&](const Array& grad) {
    return channel_gradients(of, {true, true}, grad);
  });
  expect_gradients({of.x, of.bias}, call, [&](const Array& grad) {
    return channel_gradients(of, {false, true}, grad);
  });
}

TEST(BackwardCost, OfChannelNorms) {
  for (const Sizes& sizes : {Sizes{5, 4}, Sizes{2, 4, 3}, Sizes{3, 4, 5, 2}}) {
    const Tensor x = random_leaf(sizes), w = random_leaf({4}, 2), b = random_leaf({4}, 3);
    const Tensor mean = test::uniform({4}, float32, 4), variance = test::uniform({4}, float32, 5) * 2 + 4;
    for (const bool affine : {true, false}) {
      const Tensor weight = affine ? w : Tensor(), bias = affine ? b : Tensor();
      expect_channel_gradients({x, weight, bias, 2, {}, {}}, [&] { return group_norm(x, 2, weight, bias); });
      expect_channel_gradients({x, weight, bias, {}, {}, {}},
                               [&] { return batch_norm(x, {}, weight, bias, {.training = true}); });
      expect_channel_gradients({x, weight, bias, {}, mean, variance}, [&] {
        return batch_norm(x, {mean, variance}, weight, bias);
      });
    }
  }
}

TEST(BackwardCost, OfChannelNormsOfNothing) {
  const Tensor x = random_leaf({0, 4, 3}), w = random_leaf({4}, 2), b = random_leaf({4}, 3);
  expect_gradients(
      {x, w, b}, [&] { return group_norm(x, 2, w, b); },
      [&](const Array&) {
        return Arrays{Array::made({0, 4, 3}), test::zero({4}), test::zero({4})};
      });
}

}  // namespace
}  // namespace lectern
