#include "accounting/scope.h"

#include <memory>

#include <gtest/gtest.h>

#include "nn/linear.h"
#include "ops/elementwise.h"
#include "ops/matmul.h"
#include "ops/reductions.h"
#include "optim/adam.h"
#include "tensor/creation.h"

namespace lectern::accounting {
namespace {

using enum MemoryCategory;

std::int64_t bytes(MemoryCategory category) {
  return memory_by_category()[category];
}

TEST(MemoryCategories, AddUpToWhatIsAllocated) {
  const MemoryByCategory before = memory_by_category();
  EXPECT_EQ(before.total(), memory_allocated());
  const Tensor x = zeros({100});
  EXPECT_EQ(bytes(temporary), before[temporary] + 400);
  x.storage().set_category(optimizer);
  EXPECT_EQ(bytes(temporary), before[temporary]);
  EXPECT_EQ(bytes(optimizer), before[optimizer] + 400);
  EXPECT_EQ(memory_by_category().total(), memory_allocated());
}

TEST(MemoryCategories, EndWithTheirTensors) {
  const MemoryByCategory before = memory_by_category();
  {
    const nn::Parameter weight(zeros({8, 8}));
    const Tensor view = weight.detach().view({64});
    EXPECT_EQ(bytes(parameter), before[parameter] + 256);
  }
  EXPECT_EQ(memory_by_category(), before);
}

TEST(MemoryCategories, LeaveOutExternalMemory) {
  float elements[4] = {};
  const MemoryByCategory before = memory_by_category();
  const Storage storage(elements, sizeof elements, cpu, {});
  storage.set_category(parameter);
  EXPECT_EQ(memory_by_category(), before);
  EXPECT_EQ(storage.category(), temporary);
}

TEST(MemoryCategories, ActivationsAreWhatAGraphKeeps) {
  const MemoryByCategory before = memory_by_category();
  const nn::Parameter weight(ones({4, 4}));
  const Tensor x = ones({2, 4});
  Tensor y = x.matmul(weight).exp();  // keeps x and the result of exp
  EXPECT_EQ(bytes(activation), before[activation] + x.nbytes() + y.nbytes());
  EXPECT_EQ(bytes(parameter), before[parameter] + weight.nbytes()) << "kept as well, but a parameter";
  y.sum().backward();
  EXPECT_EQ(bytes(activation), before[activation]);
  EXPECT_EQ(bytes(gradient), before[gradient] + weight.nbytes());
  EXPECT_EQ(bytes(temporary), before[temporary] + x.nbytes() + y.nbytes()) << "what is still there";
}

TEST(MemoryCategories, FollowAModelThroughTraining) {
  const MemoryByCategory before = memory_by_category();
  nn::Linear model(32, 64);
  constexpr std::int64_t kParameters = 4 * (32 * 64 + 64);
  optim::Adam optimizer(model.parameters());
  for (int i = 0; i < 2; ++i) {
    optimizer.zero_grad();
    model(ones({2, 32})).sum().backward();
    optimizer.step();
  }
  EXPECT_EQ(bytes(parameter) - before[parameter], kParameters);
  EXPECT_EQ(bytes(gradient) - before[gradient], kParameters);
  EXPECT_EQ(bytes(MemoryCategory::optimizer) - before[MemoryCategory::optimizer], 2 * kParameters + 2 * 4)
      << "and two step counts";
  model.to(float64);
  EXPECT_EQ(bytes(parameter) - before[parameter], 2 * kParameters) << "converted ones are parameters, too";
}

TEST(Scope, KnowsWhatWasAliveAtThePeak) {
  nn::Linear model(16, 16);
  const Tensor x = ones({1024, 16});
  const Scope scope;
  model(x).exp().exp().sum().backward();
  const RegionCost cost = scope.cost();
  EXPECT_GT(cost.counters.flops, 2 * 2 * 1024 * 16 * 16);
  EXPECT_GT(cost.counters.bytes, 0);
  EXPECT_GT(cost.seconds, 0);
  EXPECT_EQ(cost.peak.total(), max_memory_allocated());
  EXPECT_GE(cost.peak[activation], 2 * x.nbytes())
      << "x and what the first exp gave, when the backward pass begins";
  EXPECT_EQ(cost.now[activation], cost.before[activation]);
  EXPECT_EQ(cost.now[gradient] - cost.before[gradient], 4 * (16 * 16 + 16));
  EXPECT_NE(to_string(cost).find("activations"), std::string::npos);
}

TEST(Scope, NestsAndLeavesTheOuterPeak) {
  const Scope outer;
  { const Tensor large = zeros({1 << 20}); }
  const std::int64_t peak = outer.cost().peak.total();
  {
    const Scope inner;
    const Tensor small = zeros({1 << 10});
    EXPECT_EQ(inner.cost().peak.total() - inner.cost().before.total(), 4 << 10);
    EXPECT_LT(inner.cost().peak.total(), peak);
  }
  EXPECT_EQ(outer.cost().peak.total(), peak);
  { const Tensor larger = zeros({1 << 21}); }
  EXPECT_GT(outer.cost().peak.total(), peak);
}

}  // namespace
}  // namespace lectern::accounting
