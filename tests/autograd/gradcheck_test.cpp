#include "autograd/gradcheck.h"

#include <gtest/gtest.h>

#include "autograd/leaf.h"
#include "autograd/record.h"
#include "ops/elementwise.h"
#include "ops/expect_error.h"
#include "ops/reductions.h"
#include "tensor/creation.h"

namespace lectern {
namespace {

using autograd::gradcheck;
using test::expect_error;
using test::leaf;

/// x², with a gradient of `factor` · x.
Tensor square_with(double factor, const Tensor& x) {
  const Tensor out = x.detach() * x.detach();
  autograd::record("square", out, {&x},
                   [factor, x = autograd::Saved(x)](const Tensor& grad, autograd::Gradients& gradients) {
                     gradients.add(0, [&] { return grad * x.get() * factor; });
                   });
  return out;
}

TEST(Gradcheck, AcceptsDerivatives) {
  const Tensor x = leaf({{1, 2}, {3, 4}}, float64), y = leaf({5, 6}, float64);
  EXPECT_TRUE(gradcheck([](const auto& in) { return square_with(2, in[0]) * in[1]; },
                        {x.t().contiguous().detach().requires_grad_(), y}));
  EXPECT_TRUE(x.equal(tensor({{1., 2}, {3, 4}}, {.dtype = float64}))) << "as it was before";
}

TEST(Gradcheck, RefusesWhatIsNone) {
  expect_error(
      [] {
        gradcheck([](const auto& in) { return square_with(3, in[0]); }, {leaf({1, 2}, float64)});
      },
      "gradcheck: the derivative of element 0 of the result with respect to element 0 of input 0 is 2.000000 "
      "by finite "
      "differences, but backward() gives 3.000000");
  expect_error(
      [] {
        gradcheck([](const auto& in) { return in[0].detach() * 2; }, {leaf({1, 2}, float64)});
      },
      "gradcheck: the derivative of element 0 of the result with respect to element 0 of input 0 is 2.000000 "
      "by finite "
      "differences, but backward() gives 0.000000");
}

TEST(Gradcheck, TakesResultsOfEveryDtypeAndSize) {
  const Tensor x = leaf({1, 2, -3}, float64);
  EXPECT_TRUE(gradcheck([](const auto& in) { return in[0].argmax(); }, {x}));
  EXPECT_TRUE(gradcheck([](const auto& in) { return in[0].gt(0); }, {x}));
  expect_error(
      [] {
        gradcheck([](const auto& in) { return in[0].masked_select(in[0].gt(0)); },
                  {leaf({1e-7, 2}, float64)});
      },
      "gradcheck: the number of elements of the result depends on the inputs: 2 and 1");
}

TEST(Gradcheck, IsForFloat64) {
  const auto twice = [](const auto& in) { return in[0] * 2; };
  expect_error([&] { gradcheck(twice, {tensor({1.}, {.requires_grad = true})}); },
               "gradcheck: the inputs that require a gradient must be float64, not float32, too "
               "coarse for finite differences");
  expect_error([&] { gradcheck(twice, {tensor({1.})}); }, "gradcheck: no input requires a gradient");
}

}  // namespace
}  // namespace lectern
