#include "autograd/checkpoint.h"

#include <utility>

#include <gtest/gtest.h>

#include "autograd/autocast_mode.h"
#include "autograd/backward.h"
#include "device/memory.h"
#include "ops/compare.h"
#include "ops/elementwise.h"
#include "ops/expect_error.h"
#include "ops/matmul.h"
#include "ops/random.h"
#include "ops/reductions.h"
#include "tensor/creation.h"
#include "tensor/generator.h"

namespace lectern {
namespace {

using autograd::checkpoint;
using test::expect_error;

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

/// That `checkpointed` has the gradient of `plain`, and that its backward() leaves the generator alone.
template <typename Plain, typename Checkpointed>
void expect_same_draws(Generator& generator, const Plain& plain, const Checkpointed& checkpointed) {
  const Tensor x = full({64}, 3., {.requires_grad = true});
  generator.manual_seed(5);
  plain(x).sum().backward();
  const Tensor expected = std::exchange(x.mutable_grad(), Tensor());
  const auto after = generator.get_state();
  generator.manual_seed(5);
  const Tensor y = checkpointed(x);
  EXPECT_EQ(generator.get_state(), after);
  generator.random();
  const auto further = generator.get_state();
  y.sum().backward();
  EXPECT_TRUE(x.grad().equal(expected));
  EXPECT_EQ(generator.get_state(), further);
}

TEST(Checkpoint, AGeneratorOfOnesOwnDrawsTheSameTheSecondTime) {
  Generator mine;
  const auto dropping = [&](const Tensor& in) {
    return (in * bernoulli(full({64}, 0.5, {.device = cpu}), &mine).to(in.device())).pow(2);
  };
  const auto kept = [&](const Tensor& in) { return checkpoint(dropping, in); };
  expect_same_draws(mine, dropping, kept);
  expect_same_draws(
      mine, [&](const Tensor& in) { return dropping(dropping(dropping(in))); },
      [&](const Tensor& in) {
        return checkpoint([&](const Tensor& inner) { return kept(dropping(kept(inner))); }, in);
      });
}

TEST(Checkpoint, GeneratorsMayLiveInTheFunctionOnly) {
  Generator mine;
  const auto scaling = [&](Tensor out) {
    for (int i = 0; i < 3; ++i) {
      Generator copy = mine;
      copy.manual_seed(copy.random() + mine.random());
      out = (out * rand({64}, {.device = cpu}, &copy).to(out.device())).pow(2);
    }
    return out;
  };
  expect_same_draws(mine, scaling, [&](const Tensor& in) { return checkpoint(scaling, in); });
}

TEST(Checkpoint, OfSeveralInputsOneInsideAnother) {
  const Tensor a = tensor({1., 2}, {.requires_grad = true}), b = tensor({3., 4}, {.requires_grad = true});
  const auto inner = [](const Tensor& x, const Tensor& y) { return x * y; };
  const auto outer = [&](const Tensor& x, const Tensor& y) { return checkpoint(inner, x, y) * x; };
  checkpoint(outer, a, b).sum().backward();
  EXPECT_TRUE(a.grad().equal(tensor({6., 16})));
  EXPECT_TRUE(b.grad().equal(tensor({1., 4})));
}

TEST(Checkpoint, OnlyWhatIsAskedForGetsAGradient) {
  const Layers layers;
  const Tensor x = randn({4, 8}, {.requires_grad = true});
  const Tensor expected = autograd::grad({layers(x).sum()}, {x})[0];
  EXPECT_TRUE(autograd::grad({checkpoint(layers, x).sum()}, {x})[0].equal(expected));
  EXPECT_FALSE(layers.w1.grad().defined());
  EXPECT_FALSE(layers.w2.grad().defined());
}

TEST(Checkpoint, RequiresAGradientWhenTheFunctionsResultDoes) {
  const auto twice = [](const Tensor& in) { return in * 2; };
  EXPECT_FALSE(checkpoint(twice, ones({2})).requires_grad());
  EXPECT_TRUE(checkpoint(twice, ones({2}, {.requires_grad = true})).requires_grad());
}

TEST(Checkpoint, GoesThroughItsGraphTwice) {
  const Tensor x = tensor({2., 3}, {.requires_grad = true});
  const Tensor y = checkpoint([](const Tensor& in) { return in.square(); }, x).sum();
  y.backward({}, true);
  y.backward();
  EXPECT_TRUE(x.grad().equal(tensor({8., 12})));
  EXPECT_THROW(y.backward(), TensorError);
}

TEST(Checkpoint, OneInsideAnotherComputesInPlaceAndDropsTheSame) {
  manual_seed(5);
  const Tensor x = randn({64}, {.requires_grad = true}), w = randn({64}, {.requires_grad = true});
  const auto inner = [&](const Tensor& in) { return (in * w).mul_(bernoulli(full({64}, 0.5))).sigmoid(); };
  const auto outer = [&](const Tensor& in) { return checkpoint(inner, in.exp()) * in; };
  manual_seed(6);
  (inner(x.exp()) * x).sum().backward();
  const Tensor expected[] = {x.grad(), w.grad()};
  x.mutable_grad() = w.mutable_grad() = Tensor();
  manual_seed(6);
  checkpoint(outer, x).sum().backward();
  EXPECT_TRUE(x.grad().equal(expected[0]));
  EXPECT_TRUE(w.grad().equal(expected[1]));
}

TEST(Checkpoint, FreesAsTheGraphGoes) {
  const Tensor x = randn({1000, 8}, {.requires_grad = true});
  const Device device = default_device();
  std::int64_t most = 0;
  const auto six_times = [&](Tensor in) {
    for (int i = 0; i < 6; ++i) in = in.square();
    return in;
  };
  const std::int64_t before = memory_allocated(device);
  {
    const Tensor y = checkpoint(six_times, x);
    EXPECT_EQ(memory_allocated(device) - before, y.nbytes());
    reset_peak_memory_stats(device);
    y.sum().backward();
    most = max_memory_allocated(device) - before;
  }
  EXPECT_EQ(memory_allocated(device) - before, x.nbytes()) << "x.grad()";
  EXPECT_LE(most, 10 * x.nbytes());
}

TEST(Checkpoint, NoticesWhatDiffersTheSecondTime) {
  const Tensor x = ones({2}, {.requires_grad = true}), w = ones({2});
  const Tensor scaled = checkpoint([&](const Tensor& in) { return in * w; }, x);
  w.fill_(3);
  EXPECT_THROW(scaled.sum().backward(), TensorError) << "a captured tensor was changed";

  int calls = 0;
  const auto changing = [&](const Tensor& in) { return ++calls == 1 ? in.exp() : in + 1; };
  expect_error([&] { checkpoint(changing, x).sum().backward(); },
               "checkpoint: the recomputation differs from the first run: it saved no tensor of shape [2] "
               "where the first run did");
}

TEST(Checkpoint, NoticesThatWhatItCapturesWasChanged) {
  const Tensor x = ones({3, 2}, {.requires_grad = true}), w = ones({2, 2}, {.requires_grad = true});
  const Tensor shift = ones({2});
  const auto change = [](const Tensor& tensor) {
    const NoGradGuard no_grad;
    tensor.sub_(3);
  };
  const auto layer = [&](const Tensor& in) { return (matmul(in, w) + shift).sigmoid(); };
  const auto shifted = [&](const Tensor& in) { return in + shift; };
  for (const Tensor* changed : {&w, &shift}) {
    const Tensor y = checkpoint(layer, x).sum();
    change(*changed);
    EXPECT_THROW(y.backward(), TensorError);
  }
  const Tensor outer = checkpoint([&](const Tensor& in) { return checkpoint(shifted, in).square(); }, x);
  change(shift);
  EXPECT_THROW(outer.sum().backward(), TensorError) << "one inside another, which itself keeps nothing";

  const Tensor y = checkpoint(layer, x).sum();
  change(w[0]);
  expect_error([&] { y.backward(); },
               "backward: a tensor of shape [2, 2] saved for the gradient of sigmoid was modified in place: "
               "it is at version 3, not 2; change a clone() of it, or use the operation that returns a "
               "new tensor");
}

TEST(Checkpoint, NoticesThatAWeightOfAnAutocastScopeWasChanged) {
  const Tensor x = ones({3, 2}), w = ones({2, 2}, {.requires_grad = true});
  Tensor y;
  {
    const AutocastGuard autocast(default_device(), bfloat16);
    (void)matmul(x, w);
    y = checkpoint([&](const Tensor& in) { return matmul(in, w).sigmoid(); }, x).sum();
  }
  {
    const NoGradGuard no_grad;
    w.sub_(3);
  }
  EXPECT_THROW(y.backward(), TensorError);
}

TEST(Checkpoint, TheFunctionMayChangeWhatItCaptures) {
  const Tensor x = full({4}, 2., {.requires_grad = true}), zero = zeros({1});
  const auto cube = [&](const Tensor& in) {
    {
      const NoGradGuard no_grad;
      zero.mul_(2);
    }
    return (in + zero).square().mul_(in);
  };
  checkpoint([&](const Tensor& in) { return cube(cube(in)); }, x).sum().backward();
  EXPECT_TRUE(x.grad().equal(full({4}, 9. * 256)));
}

TEST(Checkpoint, AnInputMayBeUndefined) {
  const Tensor x = tensor({2., 3}, {.requires_grad = true});
  const auto biased = [](const Tensor& in, const Tensor& bias) {
    const Tensor y = in.square();
    return bias.defined() ? y + bias : y;
  };
  checkpoint(biased, x, Tensor()).sum().backward();
  EXPECT_TRUE(x.grad().equal(tensor({4., 6})));
}

TEST(Checkpoint, WithoutGradModeNothingIsKept) {
  const NoGradGuard no_grad;
  const Tensor x = ones({2}, {.requires_grad = true});
  EXPECT_FALSE(checkpoint([](const Tensor& in) { return in * 2; }, x).requires_grad());
}

}  // namespace
}  // namespace lectern
