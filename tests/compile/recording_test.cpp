// What else may happen while a compiled function records.
#include <cmath>
#include <memory>
#include <thread>

#include <gtest/gtest.h>

#include "autograd/checkpoint.h"
#include "compile/close.h"
#include "compile/compile.h"
#include "device/counters.h"
#include "device/memory.h"
#include "ops/compare.h"
#include "ops/elementwise.h"
#include "ops/flip.h"
#include "ops/index.h"
#include "ops/matmul.h"
#include "ops/random.h"
#include "ops/reductions.h"
#include "ops/selection.h"
#include "ops/sort.h"
#include "ops/tensors.h"
#include "tensor/creation.h"

namespace lectern::test {
namespace {

TEST(CompileRecording, ReducesElementsBeforeTheyAreRounded) {
  Tensor x = full({4, 64}, 70000.);  // beyond float16
  x.slice(1, 0, {}, 2).mul_(-1);
  const auto mean = [](const Tensor& in) { return (in * 1.0).mean({-1}, false, float16); };
  EXPECT_TRUE(agree(compile(mean)(x), mean(x)));
  const auto sum = [](const Tensor& in) { return (in * 3e9).sum({-1}, false, int32); };
  EXPECT_TRUE(agree(compile(sum)(ones({4, 64})), sum(ones({4, 64}))));
  const Tensor rows = uniform({30, 16}, bfloat16);
  for (const Dtype dtype : {float8_e4m3fn, float16, float32}) {
    const auto narrow = [dtype](const Tensor& in) { return (in * 1.01).sum({-1}, false, dtype); };
    EXPECT_TRUE(agree(compile(narrow)(rows), narrow(rows))) << name(dtype);
  }
}

TEST(CompileRecording, AnotherThreadReadsWhatIsNotComputedYet) {
  const auto function = [](const Tensor& x) {
    const Tensor y = x * 2 + 1;
    Tensor z;
    std::thread other([&] { z = y + 1; });
    const Tensor w = y * 3;
    w.sum().item<double>();
    other.join();
    return z + w;
  };
  const auto fast = compile(function);
  const Tensor x = uniform({30000}, float32), expected = function(x);
  for (int i = 0; i < 30; ++i) ASSERT_TRUE(agree(fast(x), expected));
}

TEST(CompileRecording, AnyNumberOfChangesInPlace) {
  const auto count = compile([](const Tensor& x) {
    const Tensor y = x * 0;
    for (int i = 0; i < 400000; ++i) y.add_(1);
    return y;
  });
  EXPECT_EQ(count(ones({10}))[3].item<float>(), 400000);
}

TEST(CompileRecording, AChangeOfNoElements) {
  const auto function = compile([](const Tensor& x) {
    const Tensor y = x * 2;
    x.narrow(0, 0, 0).add_(1);
    return y;
  });
  const Tensor x = uniform({20}, float32);
  EXPECT_TRUE(same_bits(function(x), x * 2));
}

TEST(CompileRecording, CheckpointsInside) {
  const auto copied = [](const Tensor& x) {
    return autograd::checkpoint(
               [](const Tensor& in) {
                 const Tensor t = in.clone();
                 t.add_(3);
                 return t.sin();
               },
               x * 1.5)
        .sum();
  };
  const auto expanded = [](const Tensor& x) {
    return autograd::checkpoint(
        [](const Tensor& in) {
          const Tensor t = in.expand({1, 1}) + in;
          return sin(sin(t) * t).sum();
        },
        (x * 1.5).sum());
  };
  const Tensor x = uniform({17}, float32).requires_grad_();
  copied(x).backward();
  const Tensor expected = x.grad().clone();
  x.mutable_grad() = Tensor();
  compile(copied)(x).backward();
  EXPECT_TRUE(close(x.grad(), expected));
  EXPECT_NO_THROW(compile(expanded)(x).backward());
}

TEST(CompileRecording, MaskedFillGivesContiguousTensors) {
  const auto function = [](const Tensor& x, const Tensor& mask) {
    return x.masked_fill(mask, 0.).view({-1}) * 2;
  };
  const Tensor x = uniform({4, 3}, float32).t(), mask = uniform({3, 4}, float32, 2) > 0;
  EXPECT_TRUE(same_bits(compile(function)(x, mask), function(x, mask)));
}

TEST(CompileRecording, CountsWhatIsComputedWithinOtherOperations) {
  const auto flops = [](const auto& function) {
    const Tensor x = uniform({64, 64}, float32);
    const CountScope scope;
    function(x);
    return scope.counted().flops;
  };
  const auto expect_the_same = [&](const auto& function) {
    EXPECT_EQ(flops(compile(function)), flops(function));
  };
  expect_the_same([](const Tensor& x) { return (x * 2 + 1).flip({0}); });
  expect_the_same([](const Tensor& x) { return (x * 2 + 1).argsort(); });
  expect_the_same([](const Tensor& x) { return allclose(x * 2 + 1, x * 3); });
  expect_the_same([](const Tensor& x) { return matmul((x * 2).t(), x + 1); });
}

TEST(CompileRecording, FreesWhatNothingReadsAnyMore) {
  const auto peak = [](const auto& function) {
    const Tensor x = uniform({256, 1024}, float32);
    const std::int64_t before = memory_allocated(x.device());
    reset_peak_memory_stats(x.device());
    function(x);
    return (max_memory_allocated(x.device()) - before) / x.nbytes();
  };
  const auto columns = [](const Tensor& x) {
    Tensor s = x;
    for (int i = 0; i < 30; ++i) s = s * s.sum({0}, true);
    return s;
  };
  EXPECT_LE(peak(compile(columns)), 4);
}

TEST(CompileRecording, KeepsLittleOfLongChains) {
  const Tensor x = uniform({100000}, float32).requires_grad_();
  const auto chain = compile([](const Tensor& in) {
    Tensor h = in;
    for (int i = 0; i < 200; ++i) h = tanh(h * 1.1);
    return h;
  });
  const std::int64_t before = memory_allocated(x.device());
  const Tensor y = chain(x);
  EXPECT_LE((memory_allocated(x.device()) - before) / x.nbytes(), 20);
}

TEST(CompileRecording, ExplainsFunctionsOfOtherArguments) {
  const auto one = compile([](const Tensor& x, const Tensor&) { return x * 2 + 1; });
  const Tensor x = uniform({9}, float32).requires_grad_();
  EXPECT_NE(one.explain(x, uniform({3}, float32).requires_grad_()).find("backward"), std::string::npos);
  const auto owner = compile([](std::unique_ptr<double> factor, Tensor&& in) { return in * *factor; });
  EXPECT_NE(owner.explain(std::make_unique<double>(2), uniform({9}, float32)).find("mul"), std::string::npos);
}

}  // namespace
}  // namespace lectern::test
