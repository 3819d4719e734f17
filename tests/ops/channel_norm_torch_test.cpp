#include <limits>

#include <gtest/gtest.h>

#include "ops/channel_norm.h"
#include "ops/elementwise.h"
#include "ops/expect_error.h"
#include "ops/layer_norm.h"
#include "ops/torch_reference.h"
#include "tensor/creation.h"

// Norms of channels beside PyTorch's, which reads what lies behind a weight or bias that is not contiguous.

namespace lectern {
namespace {

using test::In;
using test::kFloating;
using test::kReal;
using test::kWithGradients;
using test::Out;
using test::TorchRow;

/// Channels by their own mean and variance.
Tensor by_itself(const Tensor& x) {
  return batch_norm(x, {}, {}, {}, {.training = true});
}

constexpr double kNormsRelative = 64, kNormsAbsolute = 400;

/// Channels as columns, as short and as long planes, as pictures.
const std::vector<Sizes> kChannelShapes = {{9, 6},       {4, 6, 3}, {2, 6, 70},
                                           {3, 6, 4, 5}, {0, 6, 4}, {1, 6, 33, 9}};

TEST(TorchChannelNorms, OfBatches) {
  std::vector<TorchRow> rows;
  for (const Sizes& sizes : kChannelShapes) {
    rows.push_back({"torch.nn.functional.batch_norm(a, None, None, training=True)",
                    {sizes},
                    kReal,
                    [](const In& in) { return Out{by_itself(in[0])}; },
                    kNormsRelative,
                    kNormsAbsolute});
    // Running statistics of b and of c, which is positive.
    const std::string running =
        "(lambda m, v: [torch.nn.functional.batch_norm(a, m, v, b.contiguous(), c.contiguous(), TRAINING, "
        "0.3, 0.01), m, v])"
        "(b.detach() / 2, c.detach() * c.detach() + 0.5)";
    for (const bool training : {true, false}) {
      std::string call = running;
      call.replace(call.find("TRAINING"), 8, training ? "True" : "False");
      rows.push_back({call,
                      {sizes, {6}, {6}},
                      training ? kReal : kWithGradients,
                      [=](const In& in) {
                        const RunningStatistics to{in[1].detach() / 2, in[2].detach() * in[2].detach() + 0.5};
                        const Tensor normal = batch_norm(
                            in[0], to, in[1], in[2], {.training = training, .momentum = 0.3, .eps = 0.01});
                        return Out{normal, to.mean, to.variance};
                      },
                      kNormsRelative,
                      kNormsAbsolute});
    }
  }
  rows.push_back(
      {"torch.nn.functional.batch_norm(a, None, None, training=True)", {{1, 6}}, kReal, [](const In& in) {
         return Out{by_itself(in[0])};
       }});
  rows.push_back({"torch.nn.functional.batch_norm(a, None, None)", {{3, 6, 2}}, kReal, [](const In& in) {
                    return Out{batch_norm(in[0], {})};
                  }});
  rows.push_back({"torch.nn.functional.batch_norm(a, None, None, b, training=True)",
                  {{3, 6}, {5}},
                  kReal,
                  [](const In& in) { return Out{batch_norm(in[0], {}, in[1], {}, {.training = true})}; }});
  test::expect_as_torch(rows);
}

TEST(TorchChannelNorms, OfGroups) {
  std::vector<TorchRow> rows;
  for (const Sizes& sizes : kChannelShapes) {
    for (const std::int64_t groups : {1, 2, 6, 4}) {
      if (groups == 6 && sizes.size() == 2) continue;  // of one element each
      const std::string call = "torch.nn.functional.group_norm(a, " + std::to_string(groups);
      rows.push_back({call + ")",
                      {sizes},
                      kReal,
                      [=](const In& in) { return Out{group_norm(in[0], groups)}; },
                      kNormsRelative,
                      kNormsAbsolute});
      rows.push_back({call + ", b.contiguous(), c.contiguous(), 0.01)",
                      {sizes, {6}, {6}},
                      kFloating,
                      [=](const In& in) { return Out{group_norm(in[0], groups, in[1], in[2], 0.01)}; },
                      kNormsRelative,
                      kNormsAbsolute});
    }
  }
  for (const Sizes& sizes : {Sizes{1, 6}, Sizes{1, 6, 1}}) {
    rows.push_back({"torch.nn.functional.group_norm(a, 6)", {sizes}, kReal, [](const In& in) {
                      return Out{group_norm(in[0], 6)};
                    }});
  }
  rows.push_back({"torch.nn.functional.group_norm(a, 3, b)", {{3, 6}, {5}}, kReal, [](const In& in) {
                    return Out{group_norm(in[0], 3, in[1])};
                  }});
  test::expect_as_torch(rows);
}

// A mean that is large beside the deviations costs no digits, within a plane and between planes.
TEST(ChannelNorms, OfLargeMeans) {
  const Tensor x = rand({4, 3, 50}), far = x + 1000;
  const Tensor wide = far.to(float64);
  EXPECT_TRUE(by_itself(far).to(float64).allclose(by_itself(wide), 1e-4, 1e-3));
  EXPECT_TRUE(group_norm(far, 1).to(float64).allclose(group_norm(wide, 1), 1e-4, 1e-3));
  const Tensor steps = arange(4, {.dtype = float32}).reshape({4, 1, 1}) * 10000;
  EXPECT_TRUE(by_itself(x + steps).to(float64).allclose(by_itself((x + steps).to(float64)), 1e-4, 1e-3));
}

// With given statistics an infinite element is no other's business, nor its own gradient's.
TEST(ChannelNorms, WithGivenStatisticsTakeElementsByThemselves) {
  const Tensor x = zeros({2, 1, 3}).requires_grad_();
  {
    const NoGradGuard no_grad;
    x[0][0][0].fill_(std::numeric_limits<double>::infinity());
  }
  const Tensor y = batch_norm(x, {ones({1}), full({1}, 4)}, {}, {}, {.eps = 0});
  EXPECT_TRUE(y[1].equal(full({1, 3}, -0.5)));
  y.sum().backward();
  EXPECT_TRUE(x.grad().equal(full({2, 1, 3}, 0.5)));
}

// One plane in all has no neighbours to go on to.
TEST(ChannelNorms, OfOnePlane) {
  for (const Sizes& sizes : {Sizes{1, 1, 9}, Sizes{9, 1}}) {
    const Tensor x = rand(sizes).requires_grad_(), line = x.detach().flatten().requires_grad_();
    const Tensor grad = rand(sizes);
    by_itself(x).backward(grad);
    layer_norm(line, {9}).backward(grad.flatten());
    EXPECT_TRUE(by_itself(x).flatten().allclose(layer_norm(line, {9}), 1e-4, 1e-5));
    EXPECT_TRUE(x.grad().flatten().allclose(line.grad(), 1e-4, 1e-5));
  }
  const Tensor x = rand({1, 1, 9});
  EXPECT_TRUE(group_norm(x, 1).allclose(layer_norm(x, {9}), 1e-4, 1e-5));
}

// However x lies in memory. On a GPU its layout decides how many elements an access has, and so the order of
// sums.
TEST(ChannelNorms, OfAnyLayout) {
  const Tensor x = rand({5, 4, 6, 7});
  const Tensor last = x.permute({0, 2, 3, 1}).contiguous().permute({0, 3, 1, 2});
  const Tensor columns = rand({4, 30}).t();
  const auto agree = [](const Tensor& a, const Tensor& b) {
    return a.is_cuda() ? a.allclose(b, 1e-5, 1e-6) : a.equal(b);
  };
  EXPECT_TRUE(agree(by_itself(last), by_itself(x)));
  EXPECT_TRUE(agree(group_norm(last, 2), group_norm(x, 2)));
  EXPECT_TRUE(agree(by_itself(columns), by_itself(columns.contiguous())));
  EXPECT_TRUE(by_itself(x.expand({5, 4, 6, 7}).slice(3, 0, 6, 2))
                  .allclose(by_itself(x.slice(3, 0, 6, 2).contiguous())));
}

TEST(ChannelNorms, RefuseWhatDoesNotFit) {
  const Tensor x = rand({2, 6, 3});
  test::expect_error([&] { batch_norm(zeros({4}), {}); },
                     "batch_norm: x must be of shape [N, C, …], not of shape [4]");
  test::expect_error(
      [&] {
        batch_norm(x, {zeros({5}), ones({6})});
      },
      "batch_norm: the running mean must be of shape [6], not [5]");
  test::expect_error(
      [&] {
        batch_norm(x, {zeros({6}), ones({5})});
      },
      "batch_norm: the running variance must be of shape [6], not [5]");
  test::expect_error([&] { batch_norm(x, {}); },
                     "batch_norm: the running statistics must be defined, unless in training, not undefined");
  test::expect_error([&] { group_norm(x[0].narrow(1, 0, 1).t(), 6); },
                     "group_norm: the elements of each group must be more than one, to have a variance, not "
                     "those of shape [1, 6]");
  test::expect_error([&] { group_norm(x, 4); },
                     "group_norm: the groups must be a divisor of the 6 channels, not 4");
  test::expect_error([&] { group_norm(x, 2, ones({3})); },
                     "group_norm: weight must be of shape [6], not [3]");
  test::expect_error(
      [&] {
        group_norm(zeros({2, 4}, {.dtype = int64}), 2);
      },
      "group_norm: the dtype must be floating, not int64; convert with to()");
}

}  // namespace
}  // namespace lectern
