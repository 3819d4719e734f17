#include <cmath>

#include <gtest/gtest.h>

#include "device/threads.h"
#include "ops/compare.h"
#include "ops/cross_entropy.h"
#include "ops/elementwise.h"
#include "ops/expect_error.h"
#include "ops/gradients_of.h"
#include "ops/layer_norm.h"
#include "ops/reductions.h"
#include "ops/softmax.h"
#include "ops/tensors.h"

// Softmax, norms and cross-entropies where PyTorch has no say: narrow dtypes, determinism, errors, costs.

namespace lectern {
namespace {

using test::expect_error;
using test::kInfinity;
using test::uniform;

/// Of a result in `dtype` and the same in float64: one rounding apart, and what the computation in float
/// adds.
void expect_rounded(const Tensor& got, const Tensor& exact, Dtype dtype) {
  ASSERT_EQ(got.dtype(), dtype);
  const double epsilon = dtype == float8_e5m2     ? 0.25
                         : dtype == float8_e4m3fn ? 0.125
                         : dtype == bfloat16      ? 0.008
                                                  : 1e-3;
  EXPECT_TRUE(allclose(got.to(float64), exact, 0.51 * epsilon + 1e-5, 0.02 * epsilon)) << name(dtype);
}

TEST(Rows, NarrowDtypesAreComputedInFloat) {
  for (const Dtype dtype : {float16, bfloat16, float8_e4m3fn, float8_e5m2}) {
    for (const test::Laid& laid :
         test::layouts({5, 37}, dtype, [](const Sizes&s, Dtype d) { return uniform(s, d); })) {
      SCOPED_TRACE(laid.how);
      const Tensor& x = laid.tensor;
      const Tensor wide = x.to(float64), grad = uniform({5, 37}, dtype, 2);
      expect_rounded(softmax(x, 1), softmax(wide, 1), dtype);
      expect_rounded(softmax(x, 0), softmax(wide, 0), dtype);
      expect_rounded(log_softmax(x, 1), log_softmax(wide, 1), dtype);
      const Tensor y = softmax(x, 1);
      expect_rounded(softmax_backward(grad, y, 1), softmax_backward(grad.to(float64), y.to(float64), 1),
                     dtype);
      expect_rounded(rms_norm(x, {37}, {}, 1e-3), rms_norm(wide, {37}, {}, 1e-3), dtype);
      expect_rounded(layer_norm(x, {37}, {}, {}, 1e-3), layer_norm(wide, {37}, {}, {}, 1e-3), dtype);
      const Tensor target = tensor({0, 36, 5, 5, 9});
      const ClassLossOptions each{.reduction = LossReduction::unreduced};
      expect_rounded(cross_entropy(x, target, each), cross_entropy(wide, target, each), dtype);
    }
  }
}

TEST(Rows, LengthsAroundVectorsAndGroups) {
  for (const std::int64_t length : {1, 2, 31, 32, 33, 63, 64, 65, 255, 1000, 1023, 1024, 1025, 2600}) {
    const Tensor x = uniform({3, length}, float32).mul(5);
    const Tensor wide = x.to(float64);
    const Tensor powers = wide.exp();
    const Tensor expected = powers / sum(powers, {1}, true);
    EXPECT_TRUE(softmax(x, 1).to(float64).allclose(expected, 3e-6, 1e-12)) << length;
    EXPECT_TRUE(softmax(x.t(), 0).to(float64).allclose(expected.t(), 3e-6, 1e-12)) << length;
    EXPECT_TRUE(log_softmax(x, 1).to(float64).allclose(expected.log(), 1e-5, 1e-5)) << length;
    const Tensor centered = wide - wide.mean({1}, true);
    const Tensor normal = centered / (centered.square().mean({1}, true) + 1e-5).sqrt();
    EXPECT_TRUE(layer_norm(x, {length}).to(float64).allclose(normal, 1e-4, 1e-5)) << length;
  }
}

TEST(Rows, SurviveExtremes) {
  const Tensor x = tensor({{1e4, -1e4, 0., 1e4}, {-kInfinity, 0., -kInfinity, 0.}});
  for (const Tensor& rows : {x, x.to(float32), x.to(float16), x.t().contiguous().t()}) {
    EXPECT_TRUE(softmax(rows, 1).to(float64).equal(tensor({{0.5, 0., 0., 0.5}, {0., 0.5, 0., 0.5}})));
  }
  for (const double lone : {kInfinity, -kInfinity, std::nan("")}) {
    const Tensor row = full({1, 50}, -kInfinity);
    if (lone != -kInfinity) row[0].fill_(0);
    row[0][7].fill_(lone);
    for (const Tensor& result : {softmax(row, 1), log_softmax(row, 1)}) {
      EXPECT_TRUE(ne(result, result).to(int64).sum().item<int>() > 0) << lone;
    }
  }
  // A large mean costs no digits.
  const Tensor offset = uniform({4, 300}, float64).to(float32) + 1000;
  const Tensor expected = layer_norm(offset.to(float64), {300});
  EXPECT_TRUE(layer_norm(offset, {300}).to(float64).allclose(expected, 1e-5, 1e-4));
}

TEST(Rows, ThreadsChangeNoBit) {
  const int before = get_num_threads();
  const Tensor x = uniform({1000, 130}, float32), grad = uniform({1000, 130}, float32, 2);
  const Tensor weight = uniform({130}, float32, 3), bias = uniform({130}, float32, 4);
  const Tensor target = (uniform({1000}, float32, 5).abs() * 129).to(int64);
  const auto all = [&] {
    const auto norm = [](const std::vector<Tensor>& in) { return layer_norm(in[0], {130}, in[1], in[2]); };
    const std::vector<Tensor> norm_grads = test::gradients_of(norm, {x, weight, bias}, grad);
    const auto loss = [&](const Tensor& logits) { return cross_entropy(logits, target); };
    return std::vector<Tensor>{softmax(x, 1),
                               softmax(x, 0),
                               log_softmax(x, 1),
                               softmax_backward(grad, x, 1),
                               softmax(x.to(bfloat16), 1),
                               norm({x, weight, bias}),
                               norm_grads[0],
                               norm_grads[1],
                               norm_grads[2],
                               loss(x),
                               test::gradient_of(loss, x, ones({}))};
  };
  set_num_threads(1);
  const auto alone = all();
  for (const int threads : {2, 3}) {
    set_num_threads(threads);
    const auto together = all();
    for (std::size_t i = 0; i < alone.size(); ++i) EXPECT_TRUE(test::same_bits(alone[i], together[i])) << i;
  }
  set_num_threads(before);
}

TEST(Rows, LayoutsChangeNoNumber) {
  const Tensor x = uniform({30, 70, 3}, float32);
  for (const std::int64_t dim : {0, 1, 2}) {
    const Tensor expected = softmax(x, dim);
    for (const Tensor& same : {x.permute({2, 0, 1}).contiguous().permute({1, 2, 0}),
                               x.transpose(0, 1).contiguous().transpose(0, 1)}) {
      EXPECT_TRUE(softmax(same, dim).allclose(expected, 1e-6, 0)) << dim;
      EXPECT_TRUE(
          softmax_backward(same, expected, dim).allclose(softmax_backward(x, expected, dim), 1e-5, 1e-6));
    }
  }
}

TEST(CrossEntropy, OfSegmentsEqualsThatOfRows) {
  const Tensor x = uniform({2, 50, 3, 4}, float32);
  const Tensor target = (uniform({2, 3, 4}, float32, 2).abs() * 49).to(int64);
  const Tensor rows = x.permute({0, 2, 3, 1}).reshape({24, 50});
  EXPECT_TRUE(cross_entropy(x, target).allclose(cross_entropy(rows, target.reshape({24}))));
  const ClassLossOptions each{.reduction = LossReduction::unreduced};
  const Tensor transposed = x.permute({3, 1, 0, 2});
  EXPECT_TRUE(cross_entropy(transposed, target.permute({2, 0, 1}), each)
                  .allclose(cross_entropy(x, target, each).permute({2, 0, 1})));
}

TEST(CrossEntropy, AConfidentRowLosesNothing) {
  const Tensor x = full({1, 100}, -1e4);
  x[0][3].fill_(1e4);
  EXPECT_EQ(cross_entropy(x, tensor({3})).item<double>(), 0);
  EXPECT_EQ(cross_entropy(x, tensor({4})).item<double>(), 2e4);
}

TEST(CrossEntropy, TheMeanOfTargetsWithoutWeightIsNaN) {
  const Tensor x = uniform({2, 3}, float32), target = tensor({0, 1}), weight = tensor({0., 0., 1.});
  for (const double smoothing : {0.0, 0.1}) {
    const ClassLossOptions options{.weight = weight, .label_smoothing = smoothing};
    EXPECT_TRUE(std::isnan(cross_entropy(x, target, options).item<float>())) << smoothing;
  }
}

TEST(CrossEntropy, LargeLogitsCostNoDigits) {
  const Tensor near = uniform({5, 100}, float64).to(float32), x = near + 4096;
  const Tensor target = tensor({0, 99, 50, 3, 7});
  for (const double smoothing : {0.0, 0.1}) {
    const ClassLossOptions options{.label_smoothing = smoothing};
    const auto gradient = [&](const Tensor& logits, Dtype dtype) {
      const auto loss = [&](const Tensor& in) { return cross_entropy(in, target, options); };
      return test::gradient_of(loss, logits, ones({}, {.dtype = dtype})).to(float64);
    };
    const Tensor wide = x.to(float64);
    EXPECT_TRUE(gradient(x, float32).allclose(gradient(wide, float64), 2e-6, 1e-9)) << smoothing;
    EXPECT_TRUE(cross_entropy(x, target, options)
                    .to(float64)
                    .allclose(cross_entropy(wide, target, options), 1e-6, 0));
  }
}

TEST(Rows, RefuseWhatDoesNotFit) {
  const Tensor x = ones({2, 3});
  expect_error([&] { softmax(x.to(int64), 1); },
               "softmax: the dtype must be floating, not int64; convert with to()");
  EXPECT_THROW(softmax(x, 2), TensorError);
  expect_error([&] { softmax_backward(ones({3}), x, 1); },
               "softmax_backward: the gradient's shape must be [2, 3], not [3]");
  expect_error([&] { layer_norm(x, {2}); },
               "layer_norm: the last dimensions of x must be [2], not those of [2, 3]");
  expect_error([&] { layer_norm(x, {3}, ones({2})); }, "layer_norm: weight must be of shape [3], not [2]");
  expect_error([&] { rms_norm(x.to(bool_), {3}); },
               "rms_norm: the dtype must be floating, not bool; convert with to()");
  EXPECT_THROW(layer_norm(x, {}), TensorError);
  expect_error(
      [&] {
        cross_entropy(x, tensor({0., 1.}));
      },
      "cross_entropy: the target's dtype must be int64: class indices, not float32");
  expect_error(
      [&] {
        cross_entropy(x, tensor({0, 1, 2}));
      },
      "cross_entropy: the target's shape must be [2] for an input [2, 3], not [3]");
  expect_error(
      [&] {
        cross_entropy(x, tensor({0, 1}), {.weight = ones({2})});
      },
      "cross_entropy: the weight's shape must be [3], not [2]");
  expect_error(
      [&] {
        cross_entropy(x, tensor({0, 1}), {.label_smoothing = 2});
      },
      "cross_entropy: label_smoothing must be in [0, 1], not 2");
  if (default_device().is_cuda()) {
    EXPECT_TRUE(std::isnan(cross_entropy(x, tensor({0, 3})).item<double>()));
    EXPECT_TRUE(std::isnan(nll_loss(x, tensor({0, 3})).item<double>()));
  } else {
    expect_error(
        [&] {
          cross_entropy(x, tensor({0, 3}));
        },
        "cross_entropy: a target must be a class from 0 to 2, not 3");
    expect_error(
        [&] {
          nll_loss(x, tensor({-1, 0}));
        },
        "nll_loss: a target must be a class from 0 to 2, not -1");
  }
}

}  // namespace
}  // namespace lectern
