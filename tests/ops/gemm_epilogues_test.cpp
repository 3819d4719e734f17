// That a GPU adds biases, and sums their gradients, within products: how often that launches a kernel of
// ours, which a simulated GPU counts, and that the results are the CPU's.
#include <gtest/gtest.h>

#include "autograd/backward.h"
#include "device/counters.h"
#include "ops/compare.h"
#include "ops/elementwise.h"
#include "ops/linear.h"
#include "ops/reductions.h"
#include "ops/tensors.h"
#include "simulated_gpu/launch.h"
#include "tensor/creation.h"

namespace lectern {
namespace {

using test::uniform;

template <typename Work>
std::int64_t launches_of(const Work& work) {
  const std::int64_t before = kernels::cuda::launches;
  work();
  return kernels::cuda::launches - before;
}

/// Small products, and one from which on cuBLASLt is asked without a bias, too (kernels/cuda/gemm.cpp).
const Sizes kFusedSizes[] = {{1, 1, 1}, {3, 5, 7}, {16, 8, 24}, {257, 256, 256}};

double fused_tolerance(Dtype dtype) {
  return dtype == bfloat16 ? 1. / 128 : dtype == float16 ? 1. / 1024 : 1e-6;
}

void expect_near_cpu(const Tensor& made, const Tensor& of_cpu) {
  ASSERT_EQ(made.dtype(), of_cpu.dtype());
  ASSERT_EQ(made.sizes(), of_cpu.sizes());
  const Tensor a = made.cpu().to(float64), b = of_cpu.to(float64);
  const double largest = std::max(1., b.abs().amax().item<double>());
  EXPECT_LE((a - b).abs().amax().item<double>(), fused_tolerance(made.dtype()) * largest);
}

TEST(FusedProducts, AddABiasWithoutALaunch) {
  if (!default_device().is_cuda()) GTEST_SKIP() << "LECTERN_TEST_DEVICE=cuda runs it";
  for (const Dtype dtype : {float32, float16, bfloat16}) {
    for (const Sizes& s : kFusedSizes) {
      SCOPED_TRACE(std::string(name(dtype)) + " " + to_string(s));
      const Tensor x = uniform({s[0], s[1]}, dtype), weight = uniform({s[2], s[1]}, dtype, 2);
      const Tensor bias = uniform({s[2]}, dtype, 3);
      Tensor fused, added;
      EXPECT_EQ(launches_of([&] { fused = linear(x, weight, bias); }), 0);
      EXPECT_EQ(launches_of([&] { added = addmm(bias, x, weight.t()); }), 0);
      EXPECT_TRUE(fused.equal(added));
      expect_near_cpu(fused, linear(x.cpu(), weight.cpu(), bias.cpu()));
    }
  }
}

TEST(FusedProducts, CountWhatTheCpuCounts) {
  if (!default_device().is_cuda()) GTEST_SKIP() << "LECTERN_TEST_DEVICE=cuda runs it";
  for (const Dtype dtype : {float32, bfloat16}) {
    const auto counted = [&](Device device) {
      const auto leaf = [&](const Sizes& sizes) {
        return uniform(sizes, dtype).to(device).detach().requires_grad_();
      };
      const Tensor x = leaf({2, 3, 8}), weight = leaf({16, 8}), bias = leaf({16});
      const Tensor grad = uniform({2, 3, 16}, dtype).to(device);
      const CountScope scope;
      autograd::grad({linear(x, weight, bias)}, {x, weight, bias}, {grad});
      return scope.counted();
    };
    EXPECT_EQ(counted(default_device()), counted(cpu)) << name(dtype);
  }
}

TEST(FusedProducts, FallBackWhereThereIsNoAlgorithm) {
  if (!default_device().is_cuda()) GTEST_SKIP() << "LECTERN_TEST_DEVICE=cuda runs it";
  const Tensor wide = uniform({9}, bfloat16, 3), x = uniform({4, 8}, bfloat16),
               weight = uniform({8, 8}, bfloat16, 2);
  const Tensor apart = uniform({16}, bfloat16, 4).slice(0, 0, 16, 2);
  for (const Tensor& bias : {wide.slice(0, 1, 9), apart}) {
    Tensor made;
    EXPECT_GT(launches_of([&] { made = linear(x, weight, bias); }), 0);
    expect_near_cpu(made, linear(x.cpu(), weight.cpu(), bias.cpu()));
  }
  // Operands that lie at no multiple of 16 bytes.
  const Tensor shifted = uniform({33}, bfloat16).slice(0, 1, 33).view({4, 8}),
               bias = uniform({8}, bfloat16, 3);
  expect_near_cpu(linear(shifted, weight, bias), linear(shifted.cpu(), weight.cpu(), bias.cpu()));
  // Rows of a column, and whole matrices, are no biases.
  for (const Sizes& sizes : {Sizes{4, 1}, Sizes{4, 8}, Sizes{}}) {
    const Tensor summand = uniform(sizes, bfloat16, 5);
    expect_near_cpu(addmm(summand, x, weight.t()), addmm(summand.cpu(), x.cpu(), weight.cpu().t()));
  }
  const Tensor d = uniform({4, 8}, float64), w = uniform({8, 8}, float64, 2), b = uniform({8}, float64, 3);
  expect_near_cpu(linear(d, w, b), linear(d.cpu(), w.cpu(), b.cpu()));
}

TEST(FusedProducts, SumTheGradientOfTheBias) {
  if (!default_device().is_cuda()) GTEST_SKIP() << "LECTERN_TEST_DEVICE=cuda runs it";
  for (const Dtype dtype : {float32, bfloat16}) {
    for (const Sizes& s : kFusedSizes) {
      SCOPED_TRACE(std::string(name(dtype)) + " " + to_string(s));
      const auto gradients = [&](Device device) {
        const Tensor x = uniform({s[0], s[1]}, dtype).to(device).detach().requires_grad_();
        const Tensor weight = uniform({s[2], s[1]}, dtype, 2).to(device).detach().requires_grad_();
        const Tensor bias = uniform({s[2]}, dtype, 3).to(device).detach().requires_grad_();
        const Tensor out = linear(x, weight, bias), grad = uniform({s[0], s[2]}, dtype, 4).to(device);
        std::vector<Tensor> made;
        const std::int64_t launches = launches_of([&] {
          made = autograd::grad({out}, {x, weight, bias}, {grad});
        });
        if (device.is_cuda()) {
          EXPECT_EQ(launches, 0);
        }
        return made;
      };
      const std::vector<Tensor> ours = gradients(default_device()), of_cpu = gradients(cpu);
      for (std::size_t i = 0; i < ours.size(); ++i) expect_near_cpu(ours[i], of_cpu[i]);
    }
  }
}

}  // namespace
}  // namespace lectern
