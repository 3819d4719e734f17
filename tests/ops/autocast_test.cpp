#include "ops/autocast.h"

#include <functional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "autograd/backward.h"
#include "autograd/checkpoint.h"
#include "ops/attention.h"
#include "ops/compare.h"
#include "ops/cross_entropy.h"
#include "ops/einops/einsum.h"
#include "ops/elementwise.h"
#include "ops/expect_error.h"
#include "ops/gather.h"
#include "ops/join.h"
#include "ops/layer_norm.h"
#include "ops/linear.h"
#include "ops/losses.h"
#include "ops/matmul.h"
#include "ops/random.h"
#include "ops/reductions.h"
#include "ops/scan.h"
#include "ops/similarity.h"
#include "ops/softmax.h"
#include "ops/ternary.h"
#include "tensor/creation.h"

namespace lectern {
namespace {

/// What an operation on float32, on the scope's dtype, and on both gives.
struct AutocastCase {
  std::string name;
  std::function<Tensor(const Tensor& a, const Tensor& b)> operation;
};

using Operation = std::function<Tensor(const Tensor&, const Tensor&)>;

const std::vector<AutocastCase> kAutocastProducts = {
    {"matmul", [](const Tensor& a, const Tensor& b) { return matmul(a, b); }},
    {"mm", [](const Tensor& a, const Tensor& b) { return mm(a, b); }},
    {"bmm", [](const Tensor& a, const Tensor& b) { return bmm(a.unsqueeze(0), b.unsqueeze(0)); }},
    {"linear", [](const Tensor& a, const Tensor& b) { return linear(a, b, zeros({4})); }},
    {"addmm", [](const Tensor& a, const Tensor& b) { return addmm(zeros({4}), a, b); }},
    {"baddbmm",
     [](const Tensor& a, const Tensor& b) { return baddbmm(zeros({4}), a.unsqueeze(0), b.unsqueeze(0)); }},
    {"einsum",
     [](const Tensor& a, const Tensor& b) {
       return einsum({a, b}, "i j, j k -> i k");
     }},
    {"attention",
     [](const Tensor& a, const Tensor& b) {
       return scaled_dot_product_attention(a.unsqueeze(0), b.unsqueeze(0), a.unsqueeze(0));
     }},
};

const std::vector<AutocastCase> kInFloat32 = {
    {"exp", [](const Tensor& a, const Tensor&) { return exp(a); }},
    {"expm1", [](const Tensor& a, const Tensor&) { return expm1(a); }},
    {"log", [](const Tensor& a, const Tensor&) { return log(a); }},
    {"log10", [](const Tensor& a, const Tensor&) { return log10(a); }},
    {"log1p", [](const Tensor& a, const Tensor&) { return log1p(a); }},
    {"log2", [](const Tensor& a, const Tensor&) { return log2(a); }},
    {"acos", [](const Tensor& a, const Tensor&) { return acos(a); }},
    {"asin", [](const Tensor& a, const Tensor&) { return asin(a); }},
    {"erfinv", [](const Tensor& a, const Tensor&) { return erfinv(a); }},
    {"cosh", [](const Tensor& a, const Tensor&) { return cosh(a); }},
    {"sinh", [](const Tensor& a, const Tensor&) { return sinh(a); }},
    {"tan", [](const Tensor& a, const Tensor&) { return tan(a); }},
    {"reciprocal", [](const Tensor& a, const Tensor&) { return reciprocal(a); }},
    {"a number divided", [](const Tensor& a, const Tensor&) { return 3 / a; }},
    {"rsqrt", [](const Tensor& a, const Tensor&) { return rsqrt(a); }},
    {"square", [](const Tensor& a, const Tensor&) { return square(a); }},
    {"softplus", [](const Tensor& a, const Tensor&) { return softplus(a); }},
    {"pow", [](const Tensor& a, const Tensor& b) { return pow(a, b); }},
    {"pow of a number", [](const Tensor& a, const Tensor&) { return pow(a, 2); }},
    {"a number's pow", [](const Tensor& a, const Tensor&) { return pow(2, a); }},
    {"softmax", [](const Tensor& a, const Tensor&) { return softmax(a, 1); }},
    {"softmin", [](const Tensor& a, const Tensor&) { return softmin(a, 1); }},
    {"log_softmax", [](const Tensor& a, const Tensor&) { return log_softmax(a, 1); }},
    {"logsumexp", [](const Tensor& a, const Tensor&) { return logsumexp(a, {1}); }},
    {"sum", [](const Tensor& a, const Tensor&) { return sum(a); }},
    {"prod", [](const Tensor& a, const Tensor&) { return prod(a, 1); }},
    {"cumprod", [](const Tensor& a, const Tensor&) { return cumprod(a, 1); }},
    {"cumsum", [](const Tensor& a, const Tensor&) { return cumsum(a, 1); }},
    {"norm", [](const Tensor& a, const Tensor&) { return norm(a); }},
    {"norm of 3", [](const Tensor& a, const Tensor&) { return norm(a, 3); }},
    {"layer_norm", [](const Tensor& a, const Tensor&) { return layer_norm(a, {4}, ones({4})); }},
    {"rms_norm", [](const Tensor& a, const Tensor&) { return rms_norm(a, {4}, ones({4})); }},
    {"cross_entropy",
     [](const Tensor& a, const Tensor&) { return cross_entropy(a, zeros({4}, {.dtype = int64})); }},
    {"nll_loss", [](const Tensor& a, const Tensor&) { return nll_loss(a, zeros({4}, {.dtype = int64})); }},
    {"cosine_similarity", [](const Tensor& a, const Tensor& b) { return cosine_similarity(a, b); }},
    {"cross_entropy of probabilities",
     [](const Tensor& a, const Tensor& b) { return cross_entropy(a, softmax(b, 1)); }},
    {"mse_loss", [](const Tensor& a, const Tensor& b) { return mse_loss(a, b); }},
    {"l1_loss", [](const Tensor& a, const Tensor& b) { return l1_loss(a, b); }},
    {"huber_loss", [](const Tensor& a, const Tensor& b) { return huber_loss(a, b); }},
    {"smooth_l1_loss", [](const Tensor& a, const Tensor& b) { return smooth_l1_loss(a, b); }},
    {"kl_div", [](const Tensor& a, const Tensor& b) { return kl_div(a, b, KlDivReduction::sum, true); }},
    {"binary_cross_entropy", [](const Tensor& a, const Tensor& b) { return binary_cross_entropy(a, b); }},
    {"bce", [](const Tensor& a, const Tensor& b) { return binary_cross_entropy_with_logits(a, b); }},
};

const std::vector<AutocastCase> kByTheirOperands = {
    {"add", [](const Tensor& a, const Tensor& b) { return a + b; }},
    {"mul", [](const Tensor& a, const Tensor& b) { return a * b; }},
    {"div", [](const Tensor& a, const Tensor& b) { return a / b; }},
    {"div by a number", [](const Tensor& a, const Tensor&) { return a / 3; }},
    {"relu", [](const Tensor& a, const Tensor&) { return relu(a); }},
    {"gelu", [](const Tensor& a, const Tensor&) { return gelu(a); }},
    {"sigmoid", [](const Tensor& a, const Tensor&) { return sigmoid(a); }},
    {"logsigmoid", [](const Tensor& a, const Tensor&) { return logsigmoid(a); }},
    {"logcumsumexp", [](const Tensor& a, const Tensor&) { return logcumsumexp(a, 1); }},
    {"addcmul", [](const Tensor& a, const Tensor& b) { return addcmul(a, a, b); }},
    {"addcdiv", [](const Tensor& a, const Tensor& b) { return addcdiv(a, b, b); }},
    {"sqrt", [](const Tensor& a, const Tensor&) { return sqrt(a); }},
    {"mean", [](const Tensor& a, const Tensor&) { return mean(a); }},
    {"cat",
     [](const Tensor& a, const Tensor& b) {
       return cat({a, b}, 0);
     }},
};

class Autocast : public testing::Test {
 protected:
  void SetUp() override { manual_seed(8); }

  const Tensor full_ = rand({4, 4}), half_ = rand({4, 4}).to(bfloat16), wide_ = rand({4, 4}).to(float64);
};

TEST_F(Autocast, ProductsTurnTheirOperandsIntoTheDtype) {
  for (const Dtype dtype : {bfloat16, float16}) {
    const AutocastGuard autocast(default_device(), dtype);
    for (const auto& [name, operation] : kAutocastProducts) {
      const Tensor out = operation(full_, half_);
      EXPECT_EQ(out.dtype(), dtype) << name;
      const AutocastGuard off(default_device(), dtype, false);
      if (name == "linear" || name == "addmm" || name == "baddbmm") continue;
      EXPECT_TRUE(out.equal(operation(full_.to(dtype), half_.to(dtype)))) << name;
    }
  }
}

TEST_F(Autocast, WhatLosesDigitsIsComputedInFloat32) {
  const AutocastGuard autocast(default_device(), bfloat16);
  for (const auto& [name, operation] : kInFloat32) {
    EXPECT_EQ(operation(half_, half_).dtype(), float32) << name;
    // A GPU adds up in an order that depends on how many elements 16 bytes hold.
    EXPECT_TRUE(
        allclose(operation(half_, half_), operation(half_.to(float32), half_.to(float32)), 1e-6, 1e-6))
        << name;
  }
  EXPECT_EQ(softmax(half_, 0, bfloat16).dtype(), bfloat16) << "the dtype that was asked for";
  EXPECT_EQ(half_.clone().exp_().dtype(), bfloat16) << "in place";
}

TEST_F(Autocast, OthersGoByTheirOperands) {
  const AutocastGuard autocast(default_device(), bfloat16);
  for (const auto& [name, operation] : kByTheirOperands) {
    EXPECT_EQ(operation(half_, half_).dtype(), bfloat16) << name;
    EXPECT_EQ(operation(full_, full_).dtype(), float32) << name;
  }
  const Tensor index = zeros({4, 4}, {.dtype = int64});
  EXPECT_EQ(scatter_add(full_, 0, index, half_).dtype(), float32);
  EXPECT_EQ(scatter_add(half_, 0, index, half_).dtype(), bfloat16);
  EXPECT_EQ(dot(full_[0], half_[0]).dtype(), float32);
  EXPECT_EQ(dot(half_[0], half_[0]).dtype(), bfloat16);
}

TEST_F(Autocast, LeavesFloat64AndOtherDevicesAlone) {
  const AutocastGuard autocast(default_device(), bfloat16);
  for (const auto* cases : {&kInFloat32, &kByTheirOperands}) {
    for (const auto& [name, operation] : *cases) {
      if (name.ends_with("_norm")) continue;  // its weight is float32
      EXPECT_EQ(operation(wide_, wide_).dtype(), float64) << name;
    }
  }
  EXPECT_EQ(matmul(wide_, wide_).dtype(), float64);
  const AutocastGuard off(default_device(), bfloat16, false);
  const AutocastGuard elsewhere(default_device().is_cpu() ? Device("cuda") : cpu, bfloat16);
  EXPECT_EQ(matmul(full_, full_).dtype(), float32);
}

TEST_F(Autocast, ScopesNestAndEnd) {
  {
    const AutocastGuard outer(default_device(), float16);
    EXPECT_EQ(matmul(full_, full_).dtype(), float16);
    {
      const AutocastGuard inner(default_device(), bfloat16);
      EXPECT_EQ(matmul(full_, full_).dtype(), bfloat16);
      const AutocastGuard off(default_device(), bfloat16, false);
      EXPECT_EQ(matmul(full_, full_).dtype(), float32);
    }
    EXPECT_EQ(matmul(full_, full_).dtype(), float16);
  }
  EXPECT_EQ(matmul(full_, full_).dtype(), float32);
  test::expect_error([] { const AutocastGuard wrong(cpu, float32); },
                     "AutocastGuard: dtype must be float16 or bfloat16, not float32");
}

TEST_F(Autocast, GradientsHaveTheDtypesOfForward) {
  const Tensor w = rand({4, 4}, {.requires_grad = true});
  Tensor loss;
  {
    const AutocastGuard autocast(default_device(), bfloat16);
    loss = mse_loss(matmul(full_, w), full_);
    EXPECT_EQ(loss.dtype(), float32);
    loss.backward({}, true);
  }
  EXPECT_EQ(w.grad().dtype(), float32);
  const Tensor inside = w.grad().clone();
  w.mutable_grad() = Tensor();
  loss.backward();
  EXPECT_TRUE(w.grad().equal(inside)) << "inside of a scope as outside of it";
  // By hand.
  const Tensor v = w.detach().to(bfloat16).requires_grad_();
  mse_loss(matmul(full_.to(bfloat16), v).to(float32), full_).backward();
  EXPECT_TRUE(v.grad().to(float32).equal(inside));
}

TEST_F(Autocast, AWeightIsConvertedOnce) {
  const Tensor w = rand({4, 4}, {.requires_grad = true});
  const AutocastGuard autocast(default_device(), bfloat16);
  const Tensor once = autocast_operand(w, autocast_mode());
  EXPECT_TRUE(autocast_operand(w, autocast_mode()).is_same(once));
  EXPECT_FALSE(autocast_operand(full_, autocast_mode()).is_same(autocast_operand(full_, autocast_mode())));
  (matmul(full_, w) + matmul(full_, w)).sum().backward();
  const Tensor both = w.grad();
  w.mutable_grad() = Tensor();
  matmul(full_, w).sum().backward();
  EXPECT_TRUE(both.equal(w.grad() * 2));
  {
    const NoGradGuard no_grad;
    w.fill_(2);
  }
  EXPECT_TRUE(autocast_operand(w, autocast_mode()).equal(full({4, 4}, 2, {.dtype = bfloat16})));
}

TEST_F(Autocast, ACheckpointComputesAgainAsBefore) {
  const Tensor w = rand({4, 4}, {.requires_grad = true});
  const auto layer = [&](const Tensor& x) { return matmul(matmul(x, w), w).exp(); };
  const auto gradient = [&](bool checkpointed) {
    Tensor loss;
    {
      const AutocastGuard autocast(default_device(), bfloat16);
      loss = (checkpointed ? autograd::checkpoint(layer, full_) : layer(full_)).sum();
    }
    loss.backward();
    return std::exchange(w.mutable_grad(), Tensor());
  };
  EXPECT_TRUE(gradient(true).equal(gradient(false)));
}

}  // namespace
}  // namespace lectern
