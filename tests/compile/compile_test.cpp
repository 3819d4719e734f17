#include "compile/compile.h"

#include <cmath>
#include <functional>
#include <memory>
#include <thread>
#include <tuple>

#include <gtest/gtest.h>

#include "autograd/autocast_mode.h"
#include "compile/close.h"
#include "device/cuda.h"
#include "ops/elementwise.h"
#include "ops/expect_error.h"
#include "ops/extremum.h"
#include "ops/matmul.h"
#include "ops/random.h"
#include "ops/reductions.h"
#include "ops/selection.h"
#include "ops/tensors.h"
#include "tensor/creation.h"

namespace lectern::test {
namespace {

Tensor written_gelu(const Tensor& x) {
  return x * 0.5 * (tanh((x + x * x * x * 0.044715) * 0.7978845608) + 1);
}

Tensor written_layer_norm(const Tensor& x, const Tensor& weight, const Tensor& bias) {
  const Tensor centered = x - x.mean({-1}, true);
  const Tensor variance = centered.square().mean({-1}, true);
  return centered * rsqrt(variance + 1e-5) * weight + bias;
}

Tensor written_softmax(const Tensor& x) {
  const Tensor powers = exp(x - x.amax({-1}, true));
  return powers / powers.sum({-1}, true);
}

TEST(Compile, EqualsEagerBitByBit) {
  const auto gelu = compile(written_gelu);
  for (const Sizes& sizes : {Sizes{7}, Sizes{3, 5000}, Sizes{40, 3, 17}, Sizes{100000}}) {
    const Tensor x = uniform(sizes, float32);
    EXPECT_TRUE(same_bits(gelu(x), written_gelu(x))) << to_string(sizes);
    const Tensor y = uniform(sizes, float64);
    EXPECT_TRUE(same_bits(gelu(y), written_gelu(y))) << to_string(sizes);
  }
}

/// Those of somebody else than the recorder.
class Threes final : public DeferredElements {
 public:
  void compute(const Storage& storage) override {
    for (int i = 0; i < 4; ++i) static_cast<float*>(storage.allocate_deferred())[i] = 3;
    storage.resolve();
  }
};

TEST(Compile, ReadsElementsThatComeWhenTheyAreNeeded) {
  const Storage storage(16, cpu);
  storage.evict(std::make_shared<Threes>());
  const Tensor x(storage, float32, {4}, {1});
  const auto chain = compile([](const Tensor& in) { return (in * 2 + 1).exp(); });
  EXPECT_TRUE(same_bits(chain(x), exp(full({4}, 7.))));
}

TEST(Compile, FusesReductionsOfRows) {
  const auto norm = compile(written_layer_norm);
  const auto softmax = compile(written_softmax);
  for (const Sizes& sizes : {Sizes{6, 64}, Sizes{5, 3, 700}, Sizes{3, 5000}, Sizes{2, 20000}, Sizes{900}}) {
    const Tensor x = uniform(sizes, float32);
    const Tensor weight = uniform({sizes.back()}, float32, 2), bias = uniform({sizes.back()}, float32, 3);
    EXPECT_TRUE(agree(norm(x, weight, bias), written_layer_norm(x, weight, bias))) << to_string(sizes);
    EXPECT_TRUE(agree(softmax(x), written_softmax(x))) << to_string(sizes);
  }
}

TEST(Compile, FusesWholeSums) {
  const auto mean_square = compile([](const Tensor& a, const Tensor& b) { return (a - b).square().mean(); });
  for (const std::int64_t size : {5, 1000, 70000, 300001}) {
    const Tensor a = uniform({size}, float32), b = uniform({size}, float32, 2);
    EXPECT_TRUE(agree(mean_square(a, b), (a - b).square().mean())) << size;
    const auto spread = compile([](const Tensor& x) { return (x * 2).var() + x.amax(); });
    EXPECT_TRUE(agree(spread(a), (a * 2).var() + a.amax())) << size;
  }
}

TEST(Compile, PlansOncePerShapeAndDtype) {
  const auto gelu = compile(written_gelu);
  for (int i = 0; i < 3; ++i) gelu(uniform({10, 20}, float32, 1));
  EXPECT_EQ(gelu.plans(), 1);
  gelu(uniform({10, 21}, float32));
  gelu(uniform({10, 20}, float64));
  EXPECT_EQ(gelu.plans(), 3);
}

TEST(Compile, ReadsViewsAndExpandedTensors) {
  const std::function<Tensor(const Tensor&, const Tensor&)> function = [](const Tensor& a, const Tensor& b) {
    return exp(a * 2 - b) + b.abs() * a;
  };
  const auto fast = compile(function);
  const Sizes sizes{4, 6, 5};
  for (const Dtype dtype : {float32, float64, int32, bfloat16}) {
    for (const Laid& a : layouts(sizes, dtype)) {
      for (const Laid& b : layouts(sizes, dtype)) {
        const Tensor expected = function(a.tensor, b.tensor), got = fast(a.tensor, b.tensor);
        EXPECT_EQ(got.strides(), expected.strides()) << a.how << ", " << b.how;
        EXPECT_TRUE(same_bits(got.contiguous(), expected.contiguous()))
            << name(dtype) << " " << a.how << ", " << b.how;
      }
    }
  }
  const Tensor row = uniform({1, 6, 1}, float32), column = uniform({4, 1, 5}, float32);
  EXPECT_TRUE(same_bits(fast(row, column), function(row, column)));
}

TEST(Compile, EmptyAndSingleElements) {
  const auto gelu = compile(written_gelu);
  EXPECT_EQ(gelu(zeros({0, 3})).sizes(), Sizes({0, 3}));
  const Tensor one = uniform({}, float32);
  EXPECT_TRUE(same_bits(gelu(one), written_gelu(one)));
  const auto sum = compile([](const Tensor& x) { return (x * 2).sum() * 3; });
  EXPECT_EQ(sum(zeros({0, 3})).item<double>(), 0);
}

TEST(Compile, IntegersWrapAndBoolsCompare) {
  const auto function = [](const Tensor& x) {
    const Tensor y = x * x * x + 100;
    return where((y > 3).logical_and(x < 100), y, -y);
  };
  const auto fast = compile(function);
  for (const Dtype dtype : {int64, int32, int16, int8, uint8}) {
    const Tensor x = (arange(101) - 50).to(dtype);
    EXPECT_TRUE(same_bits(fast(x), function(x))) << name(dtype);
  }
  const auto convert = [](const Tensor& x) {
    return (x * 3.7).to(int32) + (x > 0).to(int8) + (x * 2).to(bool_).to(int64);
  };
  const Tensor x = uniform({1000}, float32);
  EXPECT_TRUE(same_bits(compile(convert)(x), convert(x)));
}

TEST(Compile, RoundsEachStep) {
  const auto fast = compile(written_gelu);
  for (const Dtype dtype : {float16, bfloat16, float8_e4m3fn, float8_e5m2}) {
    const Tensor x = uniform({5000}, dtype);
    EXPECT_TRUE(same_bits(fast(x), written_gelu(x))) << name(dtype);
  }
  const auto rounded_up = [](const Tensor& x) { return (x * 1.001).to(bfloat16).to(float32) * 2; };
  const Tensor x = uniform({5000}, float32);
  EXPECT_TRUE(same_bits(compile(rounded_up)(x), rounded_up(x)));
}

TEST(Compile, FollowsBranchesOnElements) {
  const auto function = [](const Tensor& x) {
    const Tensor y = x * 2 + 1;
    if (y.sum().item<double>() > 0) return y.exp() * x;
    return y - x;
  };
  const auto fast = compile(function);
  const Tensor x = uniform({300}, float32).abs();
  for (const Tensor& in : {x, Tensor(x * -5), x}) EXPECT_TRUE(same_bits(fast(in), function(in)));
}

TEST(Compile, KeepsTheOrderOfChangesInPlace) {
  const auto function = [](const Tensor& x, const Tensor& buffer) {
    const Tensor before = buffer * 2;
    buffer.add_(x);
    const Tensor after = buffer * 2;
    Tensor own = x + 1;
    const Tensor old = own * 3;
    own.mul_(2);
    own[0].fill_(7);
    own += old;
    return before * 100 + after + own;
  };
  const auto fast = compile(function);
  const Tensor x = uniform({20, 3}, float32);
  const Tensor a = uniform({20, 3}, float32, 2), b = a.clone();
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(same_bits(fast(x, a), function(x, b)));
    EXPECT_TRUE(same_bits(a, b));
  }
}

TEST(Compile, ChangesWhatIsNotComputedYet) {
  const auto function = [](const Tensor& x) {
    Tensor y = x * 2;
    const Tensor view = y.view({-1}), was = y + 0.5;
    y.exp_();
    y.div_(3);
    y.masked_fill_(x > 0.5, -1);
    y.clamp_(Scalar(-1), Scalar(0.8));
    return view * 10 + was.view({-1});
  };
  const Tensor x = uniform({30, 4}, float32);
  EXPECT_TRUE(same_bits(compile(function)(x), function(x)));
}

TEST(Compile, ReadsCapturedTensorsAndNumbersAnew) {
  Tensor weight = uniform({50}, float32, 4);
  double scale = 2;
  const auto function = [&](const Tensor& x) { return x * weight * scale + 1; };
  const auto fast = compile(function);
  const Tensor x = uniform({6, 50}, float32);
  EXPECT_TRUE(same_bits(fast(x), function(x)));
  weight.add_(1);
  scale = 3;
  EXPECT_TRUE(same_bits(fast(x), function(x)));
  weight = weight * 2;
  EXPECT_TRUE(same_bits(fast(x), function(x)));
  EXPECT_EQ(fast.plans(), 1);
}

TEST(Compile, ResultsOutliveTheCallAndWhatTheyWereMadeFrom) {
  const auto fast = compile([](const Tensor& x) {
    const Tensor y = x + 1;
    return std::tuple(y, y * 2, std::vector<Tensor>{y * 3, x});
  });
  Tensor x = uniform({1000}, float32);
  const Tensor copy = x.clone();
  const auto [a, b, c] = fast(x);
  x.zero_();
  x = Tensor();
  EXPECT_TRUE(same_bits(a, copy + 1));
  EXPECT_TRUE(same_bits(b, (copy + 1) * 2));
  EXPECT_TRUE(same_bits(c[0], (copy + 1) * 3));
}

TEST(Compile, AssignsToCapturedVariables) {
  Tensor kept;
  const auto fast = compile([&](const Tensor& x) {
    kept = x * 5;
    return x.sum();
  });
  const Tensor x = uniform({64}, float32);
  fast(x);
  EXPECT_TRUE(same_bits(kept, x * 5));
}

TEST(Compile, ThrowsWhatTheFunctionThrows) {
  Tensor escaped;
  const auto fast = compile([&](const Tensor& x) -> Tensor {
    escaped = x * 2 + 1;
    if (x.numel() > 3) throw std::runtime_error("too many");
    return escaped;
  });
  const Tensor x = uniform({10}, float32);
  EXPECT_THROW(fast(x), std::runtime_error);
  EXPECT_TRUE(same_bits(escaped, x * 2 + 1));
  EXPECT_THROW(compile([](const Tensor& a, const Tensor& b) { return a + b; })(x, uniform({3}, float32)),
               TensorError);
  const auto after = compile(written_gelu);
  EXPECT_TRUE(same_bits(after(x), written_gelu(x)));
}

TEST(Compile, CallsCompiledFunctions) {
  const auto inner = compile(written_gelu);
  const auto outer = compile([&](const Tensor& x) { return inner(x * 2) + inner(x); });
  const Tensor x = uniform({500}, float32);
  EXPECT_TRUE(same_bits(outer(x), written_gelu(x * 2) + written_gelu(x)));
}

TEST(Compile, DrawsTheSameRandomNumbers) {
  const auto function = [](const Tensor& x) { return x * 2 + rand({100}) * x; };
  const Tensor x = uniform({100}, float32);
  manual_seed(1);
  const Tensor expected = function(x);
  manual_seed(1);
  EXPECT_TRUE(same_bits(compile(function)(x), expected));
}

TEST(Compile, RunsInSeveralThreads) {
  const auto norm = compile(written_layer_norm);
  const Tensor weight = uniform({96}, float32, 2), bias = uniform({96}, float32, 3);
  std::vector<int> equal(4);
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < equal.size(); ++t) {
    threads.emplace_back([&, t, device = default_device()] {
      set_default_device(device);
      for (unsigned i = 0; i < 5; ++i) {
        const Tensor x = uniform({8 + i, 96}, float32, t);
        equal[t] += agree(norm(x, weight, bias), written_layer_norm(x, weight, bias)) ? 1 : 0;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(equal, std::vector<int>(4, 5));
}

TEST(Compile, FollowsAutocast) {
  const auto function = [](const Tensor& x, const Tensor& w) { return (x.matmul(w) * 2).exp().sum({-1}); };
  const auto fast = compile(function);
  const Tensor x = uniform({8, 16}, float32), w = uniform({16, 32}, float32, 2);
  EXPECT_TRUE(agree(fast(x, w), function(x, w)));
  const AutocastGuard autocast(x.device(), bfloat16);
  const Tensor expected = function(x, w), got = fast(x, w);
  EXPECT_TRUE(agree(got, expected));
}

TEST(Compile, SaysWhatRunsAtOnce) {
  const auto fast = compile([](const Tensor& x) { return (x.t() + 1).sum({0}) * x.sum({0}); });
  const std::string text = fast.explain(uniform({6, 6}, float32));
  EXPECT_NE(text.find("add: its result is not contiguous"), std::string::npos) << text;
  EXPECT_NE(text.find("sum: it reduces other dimensions than the last"), std::string::npos) << text;
}

TEST(Compile, SaysWhatChangesAtOnce) {
  const auto fast = compile([](const Tensor& x) {
    x.add_(1);
    const Tensor y = x * 2;
    y.narrow(0, 0, 3).relu_();
    return y;
  });
  const std::string text = fast.explain(uniform({6, 6}, float32));
  EXPECT_NE(text.find("add: it changes a tensor that is in memory"), std::string::npos) << text;
  EXPECT_NE(text.find("relu: it changes a part of a tensor"), std::string::npos) << text;
}

/// Elements that a backward pass computes again are no more bytes eagerly.
TEST(Compile, CountsWhatEagerOperationsMove) {
  const auto fast = compile([](const Tensor& x) { return (x * 2).sin(); });
  const std::string text = fast.explain(uniform({100}, float32).requires_grad_());
  EXPECT_NE(text.find("pass 2  mul sin_backward mul_backward"), std::string::npos) << text;
  EXPECT_NE(text.find("eagerly 3608\n"), std::string::npos) << text;
}

TEST(Compile, ConvertsOneElementOfAResult) {
  const auto expect = [](const auto& function) {
    for (const Dtype dtype : {float32, bfloat16, int64}) {
      const Tensor x = (arange(10).to(float32) * 3 + 1.5).to(dtype);
      EXPECT_TRUE(same_bits(compile(function)(x), function(x))) << name(dtype);
    }
  };
  expect([](const Tensor& x) { return (x * 2).select(0, 3).clone(); });
  expect([](const Tensor& x) { return (x * 2).select(0, 3).to(float64); });
  expect([](const Tensor& x) { return (x * 2).narrow(0, 3, 1).to(bfloat16) + 1; });
  expect([](const Tensor& x) { return (x * 2).narrow(0, 3, 1).unsqueeze(0).to(float32).expand({2, 1}) * 3; });
}

TEST(Compile, SaysWhichTensorWasChanged) {
  const Tensor x = uniform({4, 3}, float32).requires_grad_(), w = uniform({3}, float32, 2);
  const Tensor y = compile([](const Tensor& a, const Tensor& b) { return (a * (b + 1)).sum(); })(x, w);
  w.mul_(2);
  EXPECT_PROBLEM(y.backward(),
                 "a tensor of shape [3], from which a gradient is computed again, was modified");
}

TEST(Compile, Explains) {
  const auto fast = compile([](const Tensor& x, const Tensor& w) { return (tanh(x) * 2).matmul(w) + 1; });
  const Tensor x = uniform({4, 8}, float32).requires_grad_(), w = uniform({8, 8}, float32);
  const std::string text = fast.explain(x, w);
  EXPECT_NE(text.find("tanh mul"), std::string::npos) << text;
  EXPECT_NE(text.find("matmul"), std::string::npos) << text;
  EXPECT_NE(text.find("backward"), std::string::npos) << text;
  EXPECT_NE(text.find("tanh_backward"), std::string::npos) << text;
  EXPECT_FALSE(x.grad().defined());
}

}  // namespace
}  // namespace lectern::test
