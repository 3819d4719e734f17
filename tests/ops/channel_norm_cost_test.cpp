// What norms of channels count, beside loops that count what they do.
#include <gtest/gtest.h>

#include "ops/channel_norm.h"
#include "ops/channel_norm_loop.h"
#include "ops/cost_functions.h"

namespace lectern {
namespace {

using test::Array;
using test::ChannelNormalization;
using test::Counted;
using test::expect_cost;
using test::uniform;

Array channels_normalized(const ChannelNormalization& of) {
  const Array in(of.x), out = Array::like(of.x);
  if (of.x.numel() == 0) return out;
  const Array weights(of.weight.defined() ? of.weight : of.x), biases(of.bias.defined() ? of.bias : of.x);
  const auto moments =
      of.mean.defined() ? test::FoundMoments{Array(of.mean), Array(of.variance)} : test::find_moments(of, in);
  test::for_each_index(of.x.sizes(), [&](const Sizes& i) {
    const Sizes set = of.set(i), channel{i[1]};
    const bool reads = of.mean.defined();
    const Counted mean = reads ? moments.mean[set] : Counted{moments.mean.value(set)};
    const Counted variance = reads ? moments.variance[set] : Counted{moments.variance.value(set)};
    Counted y = (in[i] - mean) * Counted{1 / std::sqrt(variance.value + 1e-5)};
    if (of.weight.defined()) y = y * weights[channel];
    if (of.bias.defined()) y = y + biases[channel];
    out.set(i, y);
  });
  return out;
}

TEST(Cost, OfChannelNorms) {
  for (const Sizes& sizes : {Sizes{5, 4}, Sizes{2, 4, 3}, Sizes{3, 4, 5, 2}, Sizes{0, 4, 3}}) {
    const Tensor x = uniform(sizes, float32), w = uniform({4}, float32, 2), b = uniform({4}, float32, 3);
    const Tensor mean = uniform({4}, float32, 4), variance = uniform({4}, float32, 5) * 2 + 4;
    for (const Tensor& weight : {w, Tensor()}) {
      for (const Tensor& bias : {b, Tensor()}) {
        expect_cost([&] { return group_norm(x, 2, weight, bias); },
                    [&] {
                      return channels_normalized({x, weight, bias, 2, {}, {}});
                    });
        expect_cost([&] { return batch_norm(x, {}, weight, bias, {.training = true}); },
                    [&] {
                      return channels_normalized({x, weight, bias, {}, {}, {}});
                    });
        expect_cost(
            [&] {
              return batch_norm(x, {mean, variance}, weight, bias);
            },
            [&] {
              return channels_normalized({x, weight, bias, {}, mean, variance});
            });
      }
    }
  }
}

}  // namespace
}  // namespace lectern
