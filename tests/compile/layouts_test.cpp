#include <array>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "compile/close.h"
#include "compile/compile.h"
#include "device/cuda.h"
#include "device/stream.h"
#include "ops/elementwise.h"
#include "ops/extremum.h"
#include "ops/gradients_of.h"
#include "ops/matmul.h"
#include "ops/reductions.h"
#include "ops/selection.h"
#include "ops/tensors.h"
#include "tensor/creation.h"
#include "tensor/cuda_graph.h"
#include "tensor/item.h"

// How compiled functions read and write memory, on the CPU or, where the tests are run there, on a GPU: which
// way a pass takes there, kernels/cuda/fused_source.h says.

namespace lectern::test {
namespace {

/// Compiled, a function gives the same; of two tensors.
template <typename Function>
void expect_fused(const Function& function, const Tensor& x, const Tensor& y) {
  EXPECT_TRUE(close(compile(function)(x, y), function(x, y)))
      << name(x.dtype()) << to_string(x.sizes()) << " " << name(y.dtype()) << to_string(y.sizes());
}

TEST(CompileLayouts, OfAnyAlignmentAndLength) {
  const auto function = [](const Tensor& x, const Tensor& y) { return (x * y + 1).tanh() - x; };
  for (const Dtype dtype : {float32, bfloat16, float64}) {
    const Tensor x = uniform({1031}, dtype), y = uniform({1031}, dtype, 2);
    for (const std::int64_t begin : {0, 1, 4}) {
      for (const std::int64_t length : {2, 1024, 1027})
        expect_fused(function, x.narrow(0, begin, length), y.narrow(0, 0, length));
    }
  }
}

TEST(CompileLayouts, OfStridesAndBroadcasts) {
  const auto function = [](const Tensor& x, const Tensor& y) { return exp(x * 0.5) + y * 2; };
  const Tensor x = uniform({6, 5, 40}, float32);
  for (const Tensor& y :
       {uniform({40}, float32, 2), uniform({6, 1, 1}, float32, 2), uniform({5, 1}, float32, 2), full({}, 3.0),
        uniform({40, 5, 6}, float32, 2).transpose(0, 2), uniform({6, 5, 80}, float32, 2).slice(2, 1, {}, 2)})
    expect_fused(function, x, y);
  expect_fused(function, uniform({40, 6}, float32).t(), uniform({6, 40}, float32, 2));
}

TEST(CompileLayouts, StridesOfDimensionsOfSizeOne) {
  const auto functions = std::to_array<std::function<Tensor(const Tensor&, const Tensor&)>>({
      [](const Tensor& x, const Tensor& y) { return x * y; },
      [](const Tensor& x, const Tensor& y) { return (x + 1).exp() - y; },
      [](const Tensor& x, const Tensor& y) { return where(x > y, x, y).to(float64); },
      [](const Tensor& x, const Tensor& y) { return (x * y).amax({-1}, true); },
      [](const Tensor& x, const Tensor& y) { return masked_fill(x, y > 0, 2); },
  });
  const Tensor number = full({}, 0.5), one = uniform({1, 1, 1}, float32, 8), row = uniform({3}, float32, 7);
  std::vector<Tensor> operands;
  for (const auto& [sizes, strides] : std::initializer_list<std::pair<Sizes, Sizes>>{
           {{2, 1, 3}, {3, 3, 1}}, {{2, 1, 3}, {3, 7, 1}}, {{1, 4, 3}, {1, 3, 1}}, {{1, 1, 3}, {7, 1, 1}}})
    operands.push_back(uniform({12}, float32, 9).as_strided(sizes, strides));
  for (const auto& function : functions) {
    for (const Tensor& x : operands) {
      for (const Tensor& y : {number, one, row, x}) {
        const std::string title = to_string(x.sizes()) + to_string(x.strides()) + " and " +
                                  to_string(y.sizes()) + to_string(y.strides());
        const Tensor expected = function(x, y), got = compile(function)(x, y);
        EXPECT_EQ(got.strides(), expected.strides()) << title;
        EXPECT_TRUE(close(got, expected)) << title;
      }
    }
  }
}

TEST(CompileLayouts, OfDifferentDtypes) {
  const auto sum = [](const Tensor& x, const Tensor& y) { return (x + y) * y; };
  const auto compared = [](const Tensor& x, const Tensor& y) { return where(x > y, x - 1, y).to(float16); };
  for (const Dtype a : {float32, bfloat16, float16, int64, uint8, bool_}) {
    for (const Dtype b : {float64, bfloat16, int32}) {
      expect_fused(sum, filled({4, 33}, a), filled({4, 33}, b, 2));
      if (a != bool_) expect_fused(compared, filled({4, 33}, a), filled({33}, b, 2));
    }
  }
}

TEST(CompileLayouts, RowsOfAnyLength) {
  const auto softmax = [](const Tensor& x, const Tensor& y) {
    const Tensor powers = exp(x * y - (x * y).amax({-1}, true));
    return powers / powers.sum({-1}, true);
  };
  const auto spread = [](const Tensor& x, const Tensor& y) {
    return (x + y).var({-1}) + (x * y).logsumexp({-1}) + x.norm(2, {-1});
  };
  for (const std::int64_t length : {2, 31, 257, 1024, 1028, 5000}) {
    for (const Dtype dtype : {float32, bfloat16}) {
      const Tensor x = uniform({3, length}, dtype), y = uniform({3, length}, dtype, 2);
      expect_fused(softmax, x, y);
      if (dtype == float32) expect_fused(spread, x, y);
    }
  }
}

/// Every block of rows reads the same elements, also those that the operation before could overwrite.
TEST(CompileLayouts, RowsThatShareOperands) {
  const auto function = [](const Tensor& x, const Tensor& y) {
    const Tensor scaled = (x - x.amax({-1}, true)) * y;
    return scaled * (y + 1) + (y.exp() - scaled.sum({-1}, true)) * y.square();
  };
  for (const std::int64_t length : {2, 60, 1024, 3000})
    expect_fused(function, uniform({53, length}, float32), uniform({length}, float32, 2));
  const std::int64_t length = 100;
  const Tensor x = uniform({53, length}, float32), deep = uniform({3, 7, length}, float32);
  for (const Dtype dtype : {bfloat16, float64}) expect_fused(function, x, uniform({length}, dtype, 2));
  for (const Sizes& sizes : {Sizes{1}, Sizes{}, Sizes{1, length}})
    expect_fused(function, x, uniform(sizes, bfloat16, 2));
  expect_fused(function, x, uniform({2 * length}, float32, 2).slice(0, 1, {}, 2));
  expect_fused(function, uniform({length, 53}, float32).t(), uniform({length}, float32, 2));
  for (const Sizes& sizes : {Sizes{1, length}, Sizes{7, length}, Sizes{3, 1, length}})
    expect_fused(function, deep, uniform(sizes, float32, 2));
}

TEST(CompileLayouts, LongRowsAndWholeTensors) {
  const auto means = [](const Tensor& x, const Tensor& y) { return (x * y).square().mean({-1}); };
  const auto whole = [](const Tensor& x, const Tensor& y) { return (x - y).abs().sum() + (x * y).amax(); };
  const auto both = [](const Tensor& x, const Tensor& y) {
    const Tensor products = (x * y).exp();
    return products.sum({-1}, true) * 0 + products;
  };
  for (const std::int64_t length : {16385, 50001, 65536}) {
    const Tensor x = uniform({3, length}, float32), y = uniform({3, length}, float32, 2);
    expect_fused(means, x, y);
    expect_fused(whole, x, y);
    expect_fused(both, x, y);
  }
}

/// Of a row and its columns at once: the gradients of a norm written out.
TEST(CompileLayouts, ColumnsInAnyNumber) {
  const auto norm = [](const std::vector<Tensor>& in) {
    const Tensor centered = in[0] - in[0].mean({-1}, true);
    return centered * rsqrt(centered.square().mean({-1}, true) + 1e-5) * in[1] + in[2];
  };
  const auto fast = compile(norm);
  for (const Sizes& sizes : {Sizes{3, 33}, Sizes{700, 64}, Sizes{5, 7, 260}}) {
    const std::vector<Tensor> inputs{uniform(sizes, float32), uniform({sizes.back()}, float32, 2),
                                     uniform({sizes.back()}, float32, 3)};
    const Tensor grad = uniform(sizes, float32, 4);
    const auto wanted = gradients_of(norm, inputs, grad);
    const auto got = gradients_of([&](const std::vector<Tensor>& in) { return fast(in); }, inputs, grad);
    for (std::size_t k = 0; k < wanted.size(); ++k)
      EXPECT_TRUE(got[k].allclose(wanted[k], 1e-4, 1e-4)) << to_string(sizes) << " gradient " << k;
  }
}

TEST(CompileLayouts, ColumnsOfManyRows) {
  const auto fast = compile([](const Tensor& x) { return (x * 0.5).sum({0}); });
  for (const Sizes& sizes :
       {Sizes{40000, 2}, Sizes{3000, 160}, Sizes{20000, 130}, Sizes{1, 131}, Sizes{100, 9000}}) {
    const Tensor x = uniform(sizes, float32) + 3;
    const Tensor expected = (x.to(float64) * 0.5).sum({0}).to(float32);
    EXPECT_TRUE(fast(x).allclose(expected, 1e-6, 0)) << to_string(sizes);
  }
}

/// The mean of such rows, rounded, is far from it.
TEST(CompileLayouts, SpreadsFarFromZero) {
  const auto spread = compile([](const Tensor& x) { return (x * 1).var({-1}); });
  for (const std::int64_t length : {100, 1000, 20000}) {
    const Tensor x = (uniform({2, length}, float64) * 3 + 1e7).to(float32);
    EXPECT_TRUE(spread(x).allclose(x.to(float64).var({-1}).to(float32), 1e-5, 0)) << length;
    EXPECT_TRUE(x.var({-1}).allclose(x.to(float64).var({-1}).to(float32), 1e-5, 0)) << length;
  }
}

/// As operations do one by one, operands are rounded to the dtype that is computed in.
TEST(CompileLayouts, OperandsAreRoundedFirst) {
  const auto halves = [](const Tensor& x, const Tensor& y) { return x * (y + 0) - 6000; };
  const Tensor x = full({5}, 3, {.dtype = float16}), y = full({5}, 2049, {.dtype = int32});
  EXPECT_TRUE(same_bits(compile(halves)(x, y), halves(x, y)));
  const auto less = [](const Tensor& a, const Tensor& b) { return a < b * 300; };
  const Tensor a = full({5}, 50, {.dtype = int8}), b = full({}, 1, {.dtype = int64});
  EXPECT_TRUE(same_bits(compile(less)(a, b), less(a, b)));
  const auto product = [](const Tensor& p, const Tensor& q) { return p * q; };
  const Tensor p = full({8}, 1.5, {.dtype = bfloat16}), q = full({}, 301, {.dtype = int64});
  EXPECT_TRUE(same_bits(compile(product)(p, q), product(p, q)));
}

/// What was recorded for a stream is enqueued before the thread goes on to another one.
TEST(CompileLayouts, FollowsStreams) {
  if (!default_device().is_cuda()) GTEST_SKIP() << "for the tests on a GPU";
  const Tensor x = uniform({64, 64}, float32);
  const cuda::Stream here = cuda::current_stream(), side;
  const auto function = [&](const Tensor& in) {
    const Tensor y = in * 2, z = in.exp();
    side.wait_stream(here);
    Tensor w;
    {
      const cuda::StreamGuard guard(side);
      w = y.matmul(in) + 1;
    }
    here.wait_stream(side);
    return w + z;
  };
  EXPECT_TRUE(close(compile(function)(x), function(x)));
}

TEST(CompileLayouts, ChangesInPlace) {
  const auto function = [](const Tensor& x, const Tensor& y) {
    Tensor z = x * 2;
    z.add_(y).mul_(z).clamp_(Scalar(-1), Scalar(2));
    return z;
  };
  expect_fused(function, uniform({40, 7}, float32), uniform({7}, float32, 2));
}

TEST(CompileLayouts, AreCapturedInAGraph) {
  if (!default_device().is_cuda()) GTEST_SKIP() << "for the tests on a GPU";
  const auto function = [](const Tensor& x) { return (x * 2 - x.mean({-1}, true)).exp().sum({0}); };
  const auto fast = compile(function);
  const Tensor x = uniform({6, 64}, float32);
  fast(x);
  Tensor y;
  cuda::CUDAGraph graph;
  graph.capture([&] { y = fast(x); });
  x.copy_(uniform({6, 64}, float32, 2));
  graph.replay();
  EXPECT_TRUE(close(y, function(x)));
}

/// What is recorded when a capture ends is part of it.
TEST(CompileLayouts, CapturesWithinAFunction) {
  if (!default_device().is_cuda()) GTEST_SKIP() << "for the tests on a GPU";
  cuda::CUDAGraph graph;
  const auto captured = compile([&](const Tensor& x) {
    Tensor y;
    graph.capture([&] { y = x * 3 + 1; });
    return y;
  });
  const Tensor x = ones({50}), y = captured(x);
  x.fill_(7);
  graph.replay();
  EXPECT_TRUE(y.eq(22).all().item<bool>());
}

TEST(CompileLayouts, SaysThatAGpuComputesPasses) {
  if (!default_device().is_cuda()) GTEST_SKIP() << "for the tests on a GPU";
  const auto fast = compile([](const Tensor& x) { return (x * 2).exp() + 1; });
  const std::string text = fast.explain(uniform({6, 64}, float32));
  EXPECT_NE(text.find("pass 1  mul exp add"), std::string::npos) << text;
}

/// On the CPU and on a GPU in one call.
TEST(CompileLayouts, OnTwoDevices) {
  if (!cuda::is_available()) GTEST_SKIP() << "there is no GPU";
  const Tensor x = uniform({50}, float32).to(cpu), y = uniform({50}, float32, 2).to(Device("cuda"));
  const auto function = [](const Tensor& a, const Tensor& b) {
    return std::vector<Tensor>{(a * 2).exp(), (b * 2).exp(), b * (a.sum() + 1)};
  };
  const std::vector<Tensor> got = compile(function)(x, y), expected = function(x, y);
  for (std::size_t i = 0; i < got.size(); ++i) EXPECT_TRUE(close(got[i], expected[i])) << i;
}

}  // namespace
}  // namespace lectern::test
