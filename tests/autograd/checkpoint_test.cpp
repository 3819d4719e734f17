#include "autograd/checkpoint.h"

#include <gtest/gtest.h>

#include "autograd/backward.h"
#include "device/memory.h"
#include "ops/compare.h"
#include "ops/elementwise.h"
#include "ops/matmul.h"
#include "ops/random.h"
#include "ops/sum.h"
#include "tensor/creation.h"

namespace lectern {
namespace {

using autograd::checkpoint;

struct Layers {
  Tensor w1 = randn({8, 8}, {.requires_grad = true}), w2 = randn({8, 8}, {.requires_grad = true});

  Tensor operator()(const Tensor& x) const { return matmul(matmul(x, w1).square().square(), w2); }
};

TEST(Checkpoint, GivesTheSameGradientsToInputsAndToWhatIsCaptured) {
  manual_seed(2);
  const Layers layers;
  const Tensor x = randn({4, 8}, {.requires_grad = true});
  layers(x).sum().backward();
  const Tensor expected[] = {x.grad(), layers.w1.grad(), layers.w2.grad()};
  for (const Tensor* t : {&x, &layers.w1, &layers.w2}) t->mutable_grad() = Tensor();
  checkpoint(layers, x).sum().backward();
  EXPECT_TRUE(x.grad().equal(expected[0]));
  EXPECT_TRUE(layers.w1.grad().equal(expected[1]));
  EXPECT_TRUE(layers.w2.grad().equal(expected[2]));
}

TEST(Checkpoint, KeepsTheInputsOnly) {
  const Layers layers;
  const Tensor x = randn({1000, 8});
  const std::int64_t before = memory_allocated(default_device());
  const Tensor plain = layers(x);
  const std::int64_t all = memory_allocated(default_device()) - before;
  const Tensor kept = checkpoint(layers, x);
  const std::int64_t less = memory_allocated(default_device()) - before - all;
  EXPECT_EQ(less, kept.nbytes());
  EXPECT_GT(all, 2 * less);
}

TEST(Checkpoint, DropsTheSameTheSecondTime) {
  manual_seed(3);
  const Tensor x = ones({100}, {.requires_grad = true});
  Tensor mask;
  const auto dropped = [&](const Tensor& in) {
    mask = bernoulli(full({100}, 0.5));
    return in * mask;
  };
  const Tensor y = checkpoint(dropped, x);
  const Tensor first = mask;
  const Tensor after = rand({3});
  y.sum().backward();
  EXPECT_TRUE(mask.equal(first));
  EXPECT_FALSE(mask.is_same(first)) << "computed again";
  EXPECT_TRUE(x.grad().equal(first));
  manual_seed(3);
  bernoulli(full({100}, 0.5));
  EXPECT_TRUE(rand({3}).equal(after));
}

TEST(Checkpoint, RandomNumbersGoOnAsIfThereHadBeenNoSecondTime) {
  manual_seed(4);
  const Tensor x = ones({10}, {.requires_grad = true});
  checkpoint([](const Tensor& in) { return in * bernoulli(full({10}, 0.5)); }, x).sum().backward();
  const Tensor after = rand({5});
  manual_seed(4);
  bernoulli(full({10}, 0.5));
  EXPECT_TRUE(rand({5}).equal(after));
}

TEST(Checkpoint, OfSeveralInputsOneInsideAnother) {
  const Tensor a = tensor({1., 2}, {.requires_grad = true}), b = tensor({3., 4}, {.requires_grad = true});
  const auto inner = [](const Tensor& x, const Tensor& y) { return x * y; };
  const auto outer = [&](const Tensor& x, const Tensor& y) { return checkpoint(inner, x, y) * x; };
  checkpoint(outer, a, b).sum().backward();
  EXPECT_TRUE(a.grad().equal(tensor({6., 16})));
  EXPECT_TRUE(b.grad().equal(tensor({1., 4})));
}

TEST(Checkpoint, WithoutGradModeNothingIsKept) {
  const NoGradGuard no_grad;
  const Tensor x = ones({2}, {.requires_grad = true});
  EXPECT_FALSE(checkpoint([](const Tensor& in) { return in * 2; }, x).requires_grad());
}

}  // namespace
}  // namespace lectern
