#include "device/counters.h"

#include <gtest/gtest.h>

#include "compile/compile.h"
#include "device/memory.h"
#include "ops/elementwise.h"
#include "ops/reductions.h"
#include "ops/tensors.h"

namespace lectern::test {
namespace {

/// Eight operations.
Tensor eight(const Tensor& x) {
  return (tanh((x * x * 0.035677408 + 0.79788456) * x) + 1) * 0.5 * x;
}

TEST(CompileCounters, ReadOnceAndWriteOnce) {
  const Tensor x = uniform({100, 1000}, float32);
  const auto fast = compile(eight);
  const CountScope eager;
  eight(x);
  const Counters eagerly = eager.counted();
  const CountScope fused;
  fast(x);
  EXPECT_EQ(fused.counted().flops, eagerly.flops);
  EXPECT_EQ(eagerly.flops, 8 * x.numel());
  // Three products of two tensors, five operations on one tensor.
  EXPECT_EQ(eagerly.bytes, (3 * 3 + 5 * 2) * x.nbytes());
  EXPECT_EQ(fused.counted().bytes, 2 * x.nbytes());
}

TEST(CompileCounters, RowsAreReadOnce) {
  const Tensor x = uniform({100, 512}, float32), weight = uniform({512}, float32);
  const auto norm = compile([](const Tensor& in, const Tensor& w) {
    const Tensor centered = in - in.mean({-1}, true);
    return centered * rsqrt(centered.square().mean({-1}, true) + 1e-5) * w;
  });
  const CountScope fused;
  norm(x, weight);
  EXPECT_EQ(fused.counted().bytes, 2 * x.nbytes() + weight.nbytes());
}

TEST(CompileCounters, BackwardReadsInputsOnly) {
  const Tensor x = uniform({100, 1000}, float32).requires_grad_();
  const auto fast = compile(eight);
  const Tensor y = fast(x), grad = uniform({100, 1000}, float32, 2);
  const CountScope fused;
  y.backward(grad);
  EXPECT_EQ(fused.counted().bytes, 3 * x.nbytes());  // x, grad, the gradient
}

TEST(CompileCounters, KeepsNothingForBackward) {
  const Tensor x = uniform({100, 1000}, float32).requires_grad_();
  const auto kept = [&](const auto& function) {
    const std::int64_t before = memory_allocated(x.device());
    const Tensor y = function(x);
    return memory_allocated(x.device()) - before;
  };
  const auto fast = compile(eight);
  EXPECT_EQ(kept(fast), x.nbytes());       // the result
  EXPECT_EQ(kept(eight), 4 * x.nbytes());  // and the other factors, and what tanh gave
}

}  // namespace
}  // namespace lectern::test
