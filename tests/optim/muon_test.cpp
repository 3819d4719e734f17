#include "optim/muon.h"

#include <gtest/gtest.h>

#include "device/memory.h"
#include "ops/compare.h"
#include "ops/counting_loops.h"
#include "ops/expect_error.h"
#include "ops/matmul.h"
#include "ops/reductions.h"
#include "optim/training.h"
#include "tensor/creation.h"

namespace lectern {
namespace {

using test::parameter;
using test::uniform;

/// What one step without decay subtracts, at a rate of 1.
Tensor first_update(const Sizes& sizes, Dtype dtype, const optim::MuonOptions& options) {
  const Tensor p = zeros(sizes, {.dtype = dtype, .requires_grad = true});
  optim::Muon optimizer({p}, options);
  p.mutable_grad() = uniform(sizes, dtype, 5);
  optimizer.step();
  return p.detach().neg();
}

// The coefficients bring singular values to about 0.7 to 1.2.
TEST(Muon, UpdatesAreNearlyOrthogonal) {
  for (const Dtype dtype : {float64, float32, bfloat16, float16}) {
    for (const Sizes& sizes : {Sizes{8, 40}, Sizes{40, 8}}) {
      const Tensor update = first_update(sizes, dtype, {.lr = 1, .weight_decay = 0}).to(float64);
      const Tensor wide = sizes[0] > sizes[1] ? update.t() / std::sqrt(5.) : update;
      const Tensor gram = matmul(wide, wide.t()), diagonal = gram * eye(8, {}, {.dtype = float64});
      EXPECT_GT(sum(diagonal, {0}).min().item<double>(), 0.3);
      EXPECT_LT(sum(diagonal, {0}).max().item<double>(), 1.7);
      EXPECT_LT((gram - diagonal).abs().max().item<double>(), 0.5);
    }
  }
}

TEST(Muon, ComputesInBfloat16UnlessAsked) {
  const Tensor exact = first_update({6, 9}, float32, {.lr = 1, .weight_decay = 0, .ns_dtype = float32});
  const Tensor rounded = first_update({6, 9}, float32, {.lr = 1, .weight_decay = 0});
  EXPECT_FALSE(rounded.equal(exact));
  EXPECT_TRUE(rounded.allclose(exact, 0, 0.1));
  EXPECT_TRUE(rounded.equal(rounded.to(bfloat16).to(float32)));
}

TEST(Muon, AZeroGradientChangesNothing) {
  const Tensor p = parameter({3, 4}), before = p.detach().clone();
  optim::Muon optimizer({p}, {.weight_decay = 0});
  p.mutable_grad() = zeros({3, 4});
  optimizer.step();
  EXPECT_TRUE(p.equal(before));
}

TEST(Muon, EmptyMatricesAndSkippedSteps) {
  const Tensor p = parameter({3, 4}), none = parameter({0, 4}), before = p.detach().clone();
  optim::Muon optimizer({p, none});
  p.mutable_grad() = ones({3, 4});
  none.mutable_grad() = zeros({0, 4});
  const auto flag = [](double value) { return full({}, value, {.dtype = float32}); };
  static_cast<optim::Optimizer&>(optimizer).step({flag(0.5), flag(1)});
  EXPECT_TRUE(p.equal(before));
  static_cast<optim::Optimizer&>(optimizer).step({flag(0.5), flag(0)});
  EXPECT_FALSE(p.equal(before));
}

// Products of 4 k² n + 2 k³ operations a step, for k rows and n columns, and what is elementwise.
TEST(Muon, CountsWhatItDoes) {
  constexpr std::int64_t kRows = 16, kColumns = 40, kSteps = 5;
  const Tensor p = parameter({kRows, kColumns});
  optim::Muon optimizer({p}, {.ns_dtype = float32});
  p.mutable_grad() = ones({kRows, kColumns});
  optimizer.step();
  const std::int64_t flops = test::cost([&] { optimizer.step(); }).flops;
  const std::int64_t products = kSteps * (4 * kRows * kRows * kColumns + 2 * kRows * kRows * kRows);
  // Of each step 2 per number and 3 per square; once the momentum 5, the norm 2, the quotient 1, the update
  // 3, and the clamp of the norm.
  const std::int64_t elementwise =
      kSteps * (2 * kRows * kColumns + 3 * kRows * kRows) + 11 * kRows * kColumns + 1;
  EXPECT_EQ(flops, products + elementwise);
}

TEST(Muon, KeepsOneNumberForEach) {
  const Tensor p = parameter({64, 32});
  optim::Muon optimizer({p});
  p.mutable_grad() = ones({64, 32});
  const std::int64_t before = memory_allocated(default_device());
  optimizer.step();
  EXPECT_EQ(memory_allocated(default_device()) - before, 64 * 32 * 4);
}

TEST(Muon, Refuses) {
  const Tensor p = parameter({3, 4});
  EXPECT_PROBLEM(optim::Muon({parameter({3})}), "Muon: a parameter must be a matrix, not of shape [3]");
  EXPECT_PROBLEM(optim::Muon({p}, {.lr = -1}), "lr must be at least 0");
  EXPECT_PROBLEM(optim::Muon({p}, {.ns_steps = 100}), "ns_steps must be in [0, 100), not 100");
  optim::Muon optimizer({p});
  EXPECT_PROBLEM(optimizer.add_param_group({{parameter({2, 2, 2})}}), "must be a matrix");
  p.mutable_grad() = ones({3, 4});
  optimizer.state(p)["momentum_buffer"] = zeros({4, 3});
  EXPECT_PROBLEM(optimizer.step(), "momentum_buffer must be like its parameter");
}

}  // namespace
}  // namespace lectern
