// The gradients of views and copies, each compared with differences.
#include <gtest/gtest.h>

#include "autograd/gradcheck.h"
#include "ops/elementwise.h"
#include "ops/random.h"
#include "ops/reductions.h"
#include "ops/triangle.h"
#include "tensor/creation.h"

namespace lectern {
namespace {

using autograd::gradcheck;

struct ViewCase {
  const char* name;
  Sizes sizes;
  std::function<Tensor(const Tensor&)> view;
};

void PrintTo(const ViewCase& c, std::ostream* out) {
  *out << c.name;
}

class Views : public testing::TestWithParam<ViewCase> {};

TEST_P(Views, HaveTheGradientsOfDifferences) {
  const ViewCase& c = GetParam();
  manual_seed(1);
  const Tensor x = randn(c.sizes, {.dtype = float64, .requires_grad = true});
  // Another weight for each element, so that none can take another's place; and the view used twice.
  const auto weighted = [&](const std::vector<Tensor>& in) {
    const Tensor seen = c.view(in[0]);
    const Tensor weights = arange(seen.numel(), {.dtype = float64}).view(seen.sizes()) + 1;
    return seen * weights * seen;
  };
  EXPECT_TRUE(gradcheck(weighted, {x}));
  if (x.dim() < 2) return;
  const Tensor base = randn({x.size(1), x.size(0)}, {.dtype = float64, .requires_grad = true});
  if (x.dim() == 2) {
    EXPECT_TRUE(gradcheck([&](const std::vector<Tensor>& in) { return weighted({in[0].t()}); }, {base}));
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, Views,
    testing::Values(ViewCase{"view",
                             {2, 3},
                             [](const Tensor& x) {
                               return x.reshape({3, 2});
                             }},
                    ViewCase{"transpose", {2, 3}, [](const Tensor& x) { return x.transpose(0, -1); }},
                    ViewCase{"permute",
                             {2, 3, 2},
                             [](const Tensor& x) {
                               return x.permute({2, 0, 1});
                             }},
                    ViewCase{"expand",
                             {3, 1},
                             [](const Tensor& x) {
                               return x.expand({2, 3, 4});
                             }},
                    ViewCase{"expand of a number",
                             {},
                             [](const Tensor& x) {
                               return x.expand({2, 2});
                             }},
                    ViewCase{"select", {2, 3}, [](const Tensor& x) { return x.select(1, -1); }},
                    ViewCase{"slice", {2, 7}, [](const Tensor& x) { return x.slice(1, 1, 6, 2); }},
                    ViewCase{"empty slice", {2, 3}, [](const Tensor& x) { return x.slice(1, 2, 2); }},
                    ViewCase{"narrow", {5, 2}, [](const Tensor& x) { return x.narrow(0, 1, 3); }},
                    ViewCase{"index",
                             {3, 4},
                             [](const Tensor& x) {
                               return x.index({none, Slice(1), 2});
                             }},
                    ViewCase{"squeeze", {2, 1, 3, 1}, [](const Tensor& x) { return x.squeeze(); }},
                    ViewCase{"squeeze of one", {2, 1, 3}, [](const Tensor& x) { return x.squeeze(1); }},
                    ViewCase{"unsqueeze", {2, 3}, [](const Tensor& x) { return x.unsqueeze(1); }},
                    ViewCase{"flatten", {2, 3, 2}, [](const Tensor& x) { return x.flatten(1); }},
                    ViewCase{"unflatten",
                             {2, 6},
                             [](const Tensor& x) {
                               return x.unflatten(1, {2, 3});
                             }},
                    ViewCase{"diagonal", {3, 4}, [](const Tensor& x) { return x.diagonal(1); }},
                    ViewCase{
                        "diagonal of more", {2, 3, 3}, [](const Tensor& x) { return x.diagonal(-1, 1, 2); }},
                    ViewCase{"as_strided",
                             {3, 4},
                             [](const Tensor& x) {
                               return x.contiguous().as_strided({2, 2}, {5, 1}, 1);
                             }},
                    ViewCase{"overlapping as_strided",
                             {6},
                             [](const Tensor& x) {
                               return x.as_strided({4, 3}, {1, 1});
                             }},
                    ViewCase{"clone", {2, 3}, [](const Tensor& x) { return x.clone(); }},
                    ViewCase{"contiguous", {2, 3}, [](const Tensor& x) { return x.t().contiguous(); }},
                    ViewCase{"copy_",
                             {1, 3},
                             [](const Tensor& x) {
                               return zeros({2, 3}, {.dtype = float64}).copy_(x);
                             }},
                    ViewCase{"copy_ to a view",
                             {3},
                             [](const Tensor& x) {
                               const Tensor y = ones({2, 3}, {.dtype = float64});
                               y[1] = x;
                               return y;
                             }},
                    ViewCase{"sum",
                             {2, 3, 2},
                             [](const Tensor& x) {
                               return x.sum({0, 2});
                             }},
                    ViewCase{"sum that keeps", {2, 3}, [](const Tensor& x) { return x.sum({1}, true); }},
                    ViewCase{"mean", {2, 3}, [](const Tensor& x) { return x.mean({0}); }},
                    ViewCase{"mean of all", {2, 3}, [](const Tensor& x) { return x.mean(); }},
                    ViewCase{"sum of none", {0, 3}, [](const Tensor& x) { return x.sum({0}); }},
                    ViewCase{"triu", {3, 3}, [](const Tensor& x) { return x.triu(1); }},
                    ViewCase{"tril", {2, 3}, [](const Tensor& x) { return x.tril(); }}));

TEST(Copies, GradientsOfConversionsComeBackInTheOldDtype) {
  const Tensor x = tensor({1., 2}, {.dtype = bfloat16, .requires_grad = true});
  (x.to(float32) * 3).sum().backward();
  EXPECT_EQ(x.grad().dtype(), bfloat16);
  EXPECT_EQ(x.grad()[0].item<double>(), 3);
}

TEST(AsStrided, SharesTheGradientAmongElementsThatAreOneNumber) {
  const Tensor x = tensor({1., 2.}, {.requires_grad = true});
  const Tensor y = x.expand({3, 2}).as_strided({2, 2}, {0, 1}, 0);
  (y * y).sum().backward();
  EXPECT_TRUE(x.grad().equal(tensor({4., 8.})));
}

TEST(AsStrided, OfAPartOfATensorThatOverlapsItself) {
  const Tensor x = arange(6, {.dtype = float64}).requires_grad_();
  const auto windows = [](const std::vector<Tensor>& in) {
    return in[0].as_strided({4, 3}, {1, 1}, 0).as_strided({2, 3}, {2, 1}, 1) * in[0].narrow(0, 0, 3);
  };
  EXPECT_TRUE(gradcheck(windows, {x}));
}

}  // namespace
}  // namespace lectern
