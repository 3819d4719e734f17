#include "optim/clip_grad.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "device/threads.h"
#include "ops/compare.h"
#include "ops/expect_error.h"
#include "ops/torch_reference.h"
#include "optim/training.h"

namespace lectern {
namespace {

using nn::utils::clip_grad_norm_;
using nn::utils::clip_grad_value_;
using test::In;
using test::Out;
using test::parameter;
using test::uniform;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

std::vector<Tensor> with_gradients(const In& gradients) {
  std::vector<Tensor> parameters;
  for (const Tensor& gradient : gradients) {
    parameters.push_back(zeros_like(gradient).requires_grad_());
    parameters.back().mutable_grad() = gradient.clone();
  }
  return parameters;
}

Out clipped(const In& in, const Tensor& total, const std::vector<Tensor>& parameters) {
  Out out{total};
  for (std::size_t i = 0; i < in.size(); ++i) out.push_back(parameters[i].grad());
  return out;
}

/// PyTorch accumulates in float32.
test::TorchRow row(const std::string& arguments, double max_norm, double norm_type, double factor = 64) {
  return {
      "(lambda ps: ("
      "[setattr(p, 'grad', g.clone()) for p, g in zip(ps, (a, b, c))], "
      "[torch.nn.utils.clip_grad_norm_(ps" +
          arguments +
          ")] + [p.grad for p in ps])[1])"
          "([torch.zeros_like(g).requires_grad_() for g in (a, b, c)])",
      {{40, 30}, {}, {17}},
      test::kReal,
      [=](const In& in) {
        const auto parameters = with_gradients(in);
        return clipped(in, clip_grad_norm_(parameters, max_norm, norm_type), parameters);
      },
      factor,
      factor,
      false};
}

TEST(TorchClipGrad, Norm) {
  test::expect_as_torch({
      row(", 0.5", 0.5, 2),
      row(", 1e6", 1e6, 2),
      row(", 2.5, 1", 2.5, 1),
      row(", 0.1, inf", 0.1, kInfinity),
      row(", 3, 3", 3, 3),
      row(", 3, 0.5", 3, 0.5, 256),
      row(", 0, 2", 0, 2),
  });
}

TEST(ClipGrad, NormOfWhatIsThere) {
  EXPECT_EQ(clip_grad_norm_({}, 1).item<double>(), 0);
  const Tensor without = parameter({3});
  EXPECT_EQ(clip_grad_norm_({without}, 1).item<double>(), 0);
  EXPECT_FALSE(without.grad().defined());
  const Tensor empty = parameter({0}), p = parameter({2});
  empty.mutable_grad() = zeros({0});
  p.mutable_grad() = tensor({3., 4.});
  for (int times = 0; times < 2; ++times) {
    const Tensor total = clip_grad_norm_({empty, without, p}, 100);
    EXPECT_EQ(total.item<double>(), 5);
    EXPECT_EQ(total.sizes(), Sizes{});
    EXPECT_EQ(total.device(), p.device());
  }
  EXPECT_TRUE(p.grad().equal(tensor({3., 4.})));
  EXPECT_EQ(clip_grad_norm_({empty}, 1).item<double>(), 0);
}

TEST(ClipGrad, AnyLayoutAndDtype) {
  for (const Dtype dtype : {float64, float32, float16, bfloat16}) {
    for (const auto& [how, gradient] : test::layouts({30, 20}, dtype)) {
      if (how.starts_with("expanded")) continue;
      SCOPED_TRACE(how);
      const Tensor p = zeros({30, 20}, {.dtype = dtype, .requires_grad = true});
      p.mutable_grad() = gradient;
      const Tensor before = gradient.to(float64).clone();
      const double norm = (before * before).sum().sqrt().item<double>();
      const Tensor total = clip_grad_norm_({p}, 1);
      EXPECT_EQ(total.dtype(), dtype);
      EXPECT_NEAR(total.item<double>(), norm, dtype == bfloat16 ? 0.2 : 0.02);
      EXPECT_TRUE(gradient.to(float64).allclose(before / norm, 1e-2, 1e-3));
    }
  }
}

TEST(ClipGrad, FarNumbersAddUpAsWell) {
  const Tensor p = parameter({1000});
  p.mutable_grad() = full({1000}, 1e30);
  EXPECT_NEAR(clip_grad_norm_({p}, 1).item<double>(), 1e30 * std::sqrt(1000), 1e25);
  EXPECT_TRUE(p.grad().allclose(full({1000}, 1 / std::sqrt(1000.))));
  p.mutable_grad() = full({1000}, 1e-30);
  EXPECT_NEAR(clip_grad_norm_({p}, 1).item<double>(), 1e-30 * std::sqrt(1000), 1e-35);
}

TEST(ClipGrad, WhatIsNotFinite) {
  const Tensor p = parameter({2});
  for (const double bad : {kInfinity, std::nan("")}) {
    for (const double norm_type : {1., 2., kInfinity, 3.}) {
      const Tensor gradient = tensor({1., bad});
      p.mutable_grad() = gradient.clone();
      EXPECT_PROBLEM(clip_grad_norm_({p}, 1, norm_type, true), "is not finite");
      EXPECT_EQ(p.grad()[0].item<double>(), 1);
      EXPECT_FALSE(std::isfinite(clip_grad_norm_({p}, 1, norm_type).item<double>()));
      EXPECT_TRUE(std::isnan(p.grad()[1].item<double>()));
    }
  }
  p.mutable_grad() = ones({2}, {.dtype = float32});
  EXPECT_NEAR(clip_grad_norm_({p}, 1, 2, true).item<double>(), std::sqrt(2), 1e-6);
}

TEST(ClipGrad, IsOfFloatingNumbers) {
  EXPECT_PROBLEM(nn::utils::get_total_norm({ones({2}), arange(5)}), "not int64");
  EXPECT_PROBLEM(nn::utils::get_total_norm({ones({2}).to(float8_e5m2)}, 3), "not float8_e5m2");
}

TEST(ClipGrad, ThreadsChangeNoBit) {
  const Tensor p = parameter({300'000}), q = parameter({5});
  for (const Tensor& of : {p, q}) of.mutable_grad() = uniform(of.sizes(), float32, 3);
  const int before = get_num_threads();
  std::vector<Tensor> totals;
  for (const int threads : {1, 2, 3}) {
    set_num_threads(threads);
    totals.push_back(clip_grad_norm_({p, q}, 1e9).cpu());
  }
  set_num_threads(before);
  for (const Tensor& total : totals) EXPECT_TRUE(test::same_bits(total, totals[0]));
}

TEST(ClipGrad, Value) {
  const Tensor p = parameter({4}), without = parameter({3});
  p.mutable_grad() = tensor({-3., -0.5, 0.5, 3.});
  clip_grad_value_({p, without}, 1);
  EXPECT_TRUE(p.grad().equal(tensor({-1., -0.5, 0.5, 1.})));
}

}  // namespace
}  // namespace lectern
