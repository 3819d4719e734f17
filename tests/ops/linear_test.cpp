#include "ops/linear.h"

#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

#include "autograd/backward.h"
#include "ops/compare.h"
#include "ops/elementwise.h"
#include "ops/reductions.h"
#include "ops/tensors.h"
#include "tensor/creation.h"

namespace lectern {
namespace {

/// The relative error of a sum that is rounded once.
double once_rounded_error(Dtype dtype) {
  return dtype == bfloat16 ? 1. / 256 : dtype == float16 ? 1. / 2048 : 1e-5;
}

/// x, weight and bias.
std::vector<Tensor> linear_operands(const Sizes& x, std::int64_t out, Dtype dtype) {
  return {test::uniform(x, dtype), test::uniform({out, x.back()}, dtype, 2), test::uniform({out}, dtype, 3)};
}

/// The result and the gradients of all operands.
std::vector<Tensor> result_and_gradients(const std::vector<Tensor>& operands, const Tensor& grad) {
  std::vector<Tensor> leaves;
  for (const Tensor& operand : operands) leaves.push_back(operand.detach().requires_grad_());
  const Tensor out = linear(leaves[0], leaves[1], leaves[2]);
  std::vector<Tensor> all = autograd::grad({out}, leaves, {grad});
  all.push_back(out.detach());
  return all;
}

void expect_once_rounded(const Tensor& made, const Tensor& exact, Dtype dtype) {
  ASSERT_EQ(made.sizes(), exact.sizes());
  ASSERT_EQ(made.dtype(), dtype);
  if (made.numel() == 0) return;
  const double largest = std::max(1., exact.abs().amax().item<double>());
  EXPECT_LE((made.cpu().to(float64) - exact).abs().amax().item<double>(),
            once_rounded_error(dtype) * largest);
}

void expect_as_in_float64(const std::vector<Tensor>& operands, const Tensor& grad) {
  const Dtype dtype = grad.dtype();
  std::vector<Tensor> wide;
  for (const Tensor& operand : operands) wide.push_back(operand.cpu().to(float64));
  const std::vector<Tensor> made = result_and_gradients(operands, grad);
  const std::vector<Tensor> exact = result_and_gradients(wide, grad.cpu().to(float64));
  for (std::size_t i = 0; i < made.size(); ++i) expect_once_rounded(made[i], exact[i], dtype);
}

// Small sizes and large ones, with rows at multiples of 16 bytes and without; a GPU has several ways.
TEST(Linear, AndItsGradientsAreRoundedOnce) {
  const Sizes inputs[] = {{1, 1}, {3, 5}, {64, 96}, {2, 3, 8}, {257, 256}, {0, 4}};
  for (const Dtype dtype : {float32, float16, bfloat16}) {
    for (const Sizes& x : inputs) {
      for (const std::int64_t out : {std::int64_t{1}, std::int64_t{7}, std::int64_t{256}}) {
        SCOPED_TRACE(std::string(name(dtype)) + " " + to_string(x) + " to " + std::to_string(out));
        Sizes result = x;
        result[result.size() - 1] = out;
        expect_as_in_float64(linear_operands(x, out, dtype), test::uniform(result, dtype, 4));
      }
    }
  }
}

TEST(Linear, OfOperandsThatLieAnyhow) {
  for (const Dtype dtype : {float32, bfloat16}) {
    const Tensor grad = test::uniform({6, 16}, dtype, 4);
    const auto whole = linear_operands({6, 8}, 16, dtype);
    const Tensor shifted = test::uniform({17}, dtype, 3).slice(0, 1, 17),
                 apart = test::uniform({32}, dtype, 3).slice(0, 0, 32, 2);
    for (const Tensor& bias : {shifted, apart, test::uniform({1}, dtype, 3).expand({16})})
      expect_as_in_float64({whole[0], whole[1], bias}, grad);
    expect_as_in_float64({whole[0].t().contiguous().t(), whole[1].t().contiguous().t(), whole[2]}, grad);
    expect_as_in_float64({test::uniform({49}, dtype).slice(0, 1, 49).view({6, 8}), whole[1], whole[2]}, grad);
    expect_as_in_float64(whole, grad.t().contiguous().t());
    expect_as_in_float64(whole, test::uniform({16}, dtype, 4).expand({6, 16}));
  }
}

}  // namespace
}  // namespace lectern
