// Several threads that compute at once: what is global (generators, plans of products, sequence numbers,
// memory) is shared, what is a thread's own (modes, counters) stays its own.
#include <algorithm>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "autograd/backward.h"
#include "device/counters.h"
#include "ops/cross_entropy.h"
#include "ops/dropout.h"
#include "ops/einops/einops.h"
#include "ops/einops/einsum.h"
#include "ops/elementwise.h"
#include "ops/embedding.h"
#include "ops/layer_norm.h"
#include "ops/linear.h"
#include "ops/losses.h"
#include "ops/random.h"
#include "ops/reductions.h"
#include "ops/tensors.h"
#include "tensor/creation.h"

namespace lectern {
namespace {

constexpr int kThreads = 4;

/// work(i) on a thread of its own for each i, all at once.
template <typename Work>
void run_at_once(const Work& work) {
  std::vector<std::thread> threads;
  threads.reserve(kThreads);
  for (int i = 0; i < kThreads; ++i) threads.emplace_back([&work, i] { work(i); });
  for (std::thread& thread : threads) thread.join();
}

struct Trained {
  std::vector<Tensor> parameters;
  Counters cost;
};

/// A few training steps with a generator of this seed.
Trained train(int seed) {
  const CountScope scope;
  Generator generator;
  generator.manual_seed(seed);
  const auto parameter = [&](const Sizes& sizes) {
    return randn(sizes, {.device = cpu}, &generator).requires_grad_();
  };
  const std::vector<Tensor> parameters{parameter({7, 6}), parameter({6, 6}), parameter({6}),
                                       parameter({5, 6})};
  for (int step = 0; step < 20; ++step) {
    const Tensor tokens = randint(7, {8}, {.device = cpu}, &generator);
    const Tensor read = layer_norm(embedding(tokens, parameters[0]), {6}, parameters[2]);
    const Tensor mixed = einsum(read, parameters[1], "b i, i j -> b j").relu();
    const Tensor kept = dropout(rearrange(mixed, "(a b) i -> a (b i)", {{"a", 4}}), 0.2, true, &generator);
    const Tensor logits = linear(kept.view({8, 6}), parameters[3]);
    cross_entropy(logits, tokens.remainder(5)).backward();
    const NoGradGuard no_grad;
    for (const Tensor& p : parameters) {
      p.sub_(p.grad() * 0.1);
      p.mutable_grad() = Tensor();
    }
  }
  return {parameters, scope.counted()};
}

TEST(Threads, TrainAtOnceAsTheyDoAlone) {
  std::vector<Trained> alone(kThreads), at_once(kThreads);
  const auto train_into = [](std::vector<Trained>& all, int i) {
    all[static_cast<std::size_t>(i)] = train(i);
  };
  for (int i = 0; i < kThreads; ++i) std::thread([&] { train_into(alone, i); }).join();
  run_at_once([&](int i) { train_into(at_once, i); });
  for (std::size_t i = 0; i < kThreads; ++i) {
    EXPECT_EQ(at_once[i].cost, alone[i].cost);
    for (std::size_t p = 0; p < alone[i].parameters.size(); ++p) {
      EXPECT_TRUE(test::same_bits(at_once[i].parameters[p], alone[i].parameters[p])) << i << ", " << p;
    }
  }
}

TEST(Threads, DrawFromTheDefaultGeneratorInTurns) {
  constexpr std::size_t kDraws = 50, kNumbers = 32;
  const auto numbers_of = [](const Tensor& drawn, std::vector<float>& all) {
    all.insert(all.end(), drawn.data<float>(), drawn.data<float>() + drawn.numel());
  };
  manual_seed(3);
  std::vector<float> drawn[kThreads], all, expected;
  run_at_once([&](int i) {
    for (std::size_t n = 0; n < kDraws; ++n) numbers_of(rand({kNumbers}, {.device = cpu}), drawn[i]);
  });
  for (const auto& numbers : drawn) all.insert(all.end(), numbers.begin(), numbers.end());
  manual_seed(3);
  for (std::size_t n = 0; n < kThreads * kDraws; ++n) numbers_of(rand({kNumbers}, {.device = cpu}), expected);
  std::sort(all.begin(), all.end());
  std::sort(expected.begin(), expected.end());
  EXPECT_EQ(all, expected);
}

TEST(Threads, HaveModesOfTheirOwn) {
  run_at_once([](int i) {
    const Tensor x = ones({4}, {.device = cpu, .requires_grad = true});
    for (int n = 0; n < 200; ++n) {
      if (i % 2 == 0) {
        const NoGradGuard no_grad;
        EXPECT_FALSE((x * x).requires_grad());
      } else {
        EXPECT_TRUE((x * x).requires_grad());
      }
    }
  });
}

TEST(Threads, ReadAndDropOneTensorTogether) {
  Tensor shared = full({64, 64}, 0.5, {.device = cpu});
  const Tensor views[kThreads] = {shared, shared.t(), shared[0].expand({64, 64}), shared.view({4096})};
  shared = Tensor();
  run_at_once([&](int i) {
    for (int n = 0; n < 100; ++n) {
      const Tensor own = views[i];
      const Tensor weight = full({1}, 2., {.device = cpu, .requires_grad = true});
      (own * weight).sum().backward();
      EXPECT_EQ(weight.grad().item<double>(), 2048);
    }
  });
}

}  // namespace
}  // namespace lectern
