#include <cmath>

#include <gtest/gtest.h>

#include "ops/cross_entropy.h"
#include "ops/elementwise.h"
#include "ops/gradients_of.h"
#include "ops/layer_norm.h"
#include "ops/reductions.h"
#include "ops/softmax.h"
#include "ops/tensors.h"
#include "ops/torch_reference.h"

// Softmax, norms and cross-entropies side by side with PyTorch's, forward and gradients.

namespace lectern {
namespace {

using test::gradient_in_torch;
using test::In;
using test::kReal;
using test::Out;
using test::TorchRow;

using test::kFloating;

const std::vector<Dtype> kNotReal = {int64, uint8, bool_};

TEST(TorchRows, Softmax) {
  std::vector<TorchRow> rows;
  for (const auto& [sizes, dim] : std::initializer_list<std::pair<Sizes, std::int64_t>>{
           {{3, 5}, 1},
           {{3, 5}, 0},
           {{4, 70}, -1},
           {{70, 40}, 0},
           {{3, 33, 5}, 1},
           {{2, 3, 4}, 0},
           {{5}, 0},
           {{}, 0},
           {{1}, 0},
           {{3, 1}, 1},
           {{0, 3}, 0},
           {{3, 0}, 1},
           {{2, 1500}, 1},
           {{3}, 1},
       }) {
    const std::string arguments = "(a, " + std::to_string(dim) + ")";
    const std::int64_t along = dim;
    rows.push_back({"torch.softmax" + arguments,
                    {sizes},
                    kFloating,
                    [=](const In& in) { return Out{in[0].softmax(along)}; },
                    16});
    rows.push_back({"torch.log_softmax" + arguments,
                    {sizes},
                    kFloating,
                    [=](const In& in) { return Out{in[0].log_softmax(along)}; },
                    8,
                    4});
    rows.push_back({"torch.nn.functional.softmin" + arguments,
                    {sizes},
                    kFloating,
                    [=](const In& in) { return Out{softmin(in[0], along)}; },
                    16});
    if (dim >= std::max<std::int64_t>(1, static_cast<std::int64_t>(sizes.size()))) continue;
    const std::string of_x = "(x, " + std::to_string(dim) + ")";
    rows.push_back({gradient_in_torch("torch.softmax" + of_x, "b"),
                    {sizes, sizes},
                    kReal,
                    [=](const In& in) { return Out{softmax_backward(in[1], softmax(in[0], along), along)}; },
                    16,
                    2});
    rows.push_back(
        {gradient_in_torch("torch.log_softmax" + of_x, "b"),
         {sizes, sizes},
         kReal,
         [=](const In& in) { return Out{log_softmax_backward(in[1], log_softmax(in[0], along), along)}; },
         16,
         100});
  }
  rows.push_back({"torch.softmax(a, 1, dtype=torch.float32)",
                  {{4, 9}},
                  {float16, bfloat16, float64, int64, bool_},
                  [](const In& in) { return Out{softmax(in[0], 1, float32)}; },
                  8});
  rows.push_back({"torch.softmax(a, 1, dtype=torch.bfloat16)",
                  {{4, 9}},
                  kReal,
                  [](const In& in) { return Out{softmax(in[0], 1, bfloat16)}; },
                  8});
  rows.push_back(
      {"torch.softmax(a, 1)", {{4, 9}}, kNotReal, [](const In& in) { return Out{softmax(in[0], 1)}; }});
  // Where one number leaves nothing to the others, the gradient is made of rounding errors. What is subnormal
  // in PyTorch is 0 here.
  rows.push_back({"torch.softmax(10000 * a, 1)",
                  {{4, 40}},
                  kReal,
                  [](const In& in) { return Out{softmax(10000 * in[0], 1)}; },
                  16,
                  1e-30,
                  false});
  rows.push_back({"torch.nn.functional.softmin(a / 0, 1)", {{9, 3}}, {int64}, [](const In& in) {
                    return Out{softmin(in[0] / 0, 1)};
                  }});
  // Rows of -infinity and of infinity give NaN.
  rows.push_back({"torch.softmax(a / 0, 1)", {{9, 3}}, {int64}, [](const In& in) {
                    return Out{softmax(in[0] / 0, 1)};
                  }});
  rows.push_back({"torch.log_softmax(a / 0, 1)", {{9, 3}}, {int64}, [](const In& in) {
                    return Out{log_softmax(in[0] / 0, 1)};
                  }});
  rows.push_back({"torch.log_softmax(torch.log(a - a), 1)", {{4, 40}}, kReal, [](const In& in) {
                    return Out{log_softmax((in[0] - in[0]).log(), 1)};
                  }});
  test::expect_as_torch(rows);
}

TEST(TorchRows, LayerNorm) {
  std::vector<TorchRow> rows;
  const std::string call = "torch.nn.functional.layer_norm(";
  for (const auto& [sizes, normalized, text] : std::initializer_list<std::tuple<Sizes, Sizes, std::string>>{
           {{3, 50}, {50}, "(50,)"},
           {{2, 3, 33}, {33}, "(33,)"},
           {{4, 3, 7}, {3, 7}, "(3, 7)"},
           {{7}, {7}, "(7,)"},
           {{0, 7}, {7}, "(7,)"},
           {{40, 1100}, {1100}, "(1100,)"},
           {{3, 5}, {4}, "(4,)"},
           {{3}, {3, 3}, "(3, 3)"},
       }) {
    const Sizes shape = normalized;
    // PyTorch's mean of a constant line of bfloat16 is another number.
    rows.push_back({call + "a, " + text + ")",
                    {sizes},
                    {float64, float32, float16},
                    [=](const In& in) { return Out{layer_norm(in[0], shape)}; },
                    16,
                    400});
    rows.push_back({call + "a, " + text + ", b, c, 0.01)",
                    {sizes, shape, shape},
                    kFloating,
                    [=](const In& in) { return Out{layer_norm(in[0], shape, in[1], in[2], 0.01)}; },
                    16,
                    32});
    if (sizes.size() < shape.size() || sizes.back() != shape.back()) continue;
    rows.push_back({"(lambda x, w, b, g: torch.autograd.grad(" + call + "x, " + text +
                        ", w, b, 0.01), (x, w, b), g))(*(t.clone().requires_grad_() for t in (a, b, c)), d)",
                    {sizes, shape, shape, sizes},
                    kReal,
                    [=](const In& in) {
                      const auto norm = [=](const In& x) {
                        return layer_norm(x[0], shape, x[1], x[2], 0.01);
                      };
                      return test::gradients_of(norm, {in[0], in[1], in[2]}, in[3]);
                    },
                    64,
                    400});
  }
  rows.push_back(
      {call + "a, (3,))", {{2, 3}}, kNotReal, [](const In& in) { return Out{layer_norm(in[0], {3})}; }});
  test::expect_as_torch(rows);
}

TEST(TorchRows, RmsNorm) {
  const std::string formula = "(x * torch.rsqrt(x.square().mean(-1, keepdim=True) + 0.001) * w)";
  std::vector<TorchRow> rows;
  for (const Sizes& sizes : std::initializer_list<Sizes>{{3, 50}, {2, 3, 33}, {20, 1100}, {5}}) {
    const Sizes shape{sizes.back()};
    rows.push_back({"(lambda x, w: " + formula + ")(a, b)",
                    {sizes, shape},
                    kFloating,
                    [=](const In& in) { return Out{rms_norm(in[0], shape, in[1], 0.001)}; },
                    16,
                    64,
                    true,
                    true});
    rows.push_back({"(lambda x, w, g: torch.autograd.grad(" + formula +
                        ", (x, w), g))(a.clone().requires_grad_(), b.clone().requires_grad_(), c)",
                    {sizes, shape, sizes},
                    kReal,
                    [=](const In& in) {
                      const auto norm = [=](const In& x) { return rms_norm(x[0], shape, x[1], 0.001); };
                      return test::gradients_of(norm, {in[0], in[1]}, in[2]);
                    },
                    64,
                    400});
  }
  test::expect_as_torch(rows);
}

/// Class indices made of the numbers in b, the same way in PyTorch, and some of them 2.
const std::string kTargets = "(b.double() * 7).to(torch.int64).abs() % {}";

Tensor targets_of(const Tensor& numbers, std::int64_t classes) {
  const Tensor whole = (numbers.to(float64) * 7).to(int64).abs();
  return whole - (whole.to(float64) / static_cast<double>(classes)).to(int64) * classes;
}

std::string targets_in_torch(std::int64_t classes) {
  std::string text = kTargets;
  return text.replace(text.find("{}"), 2, std::to_string(classes));
}

void add_losses(std::vector<TorchRow>& rows, const std::string& function, bool fused) {
  const auto loss = fused ? cross_entropy : nll_loss;
  for (const Sizes& sizes :
       std::initializer_list<Sizes>{{4, 6}, {30, 5}, {3, 5, 4}, {2, 40, 3, 2}, {5}, {3, 1100}, {2, 3, 0}}) {
    const std::size_t dim = sizes.size() > 1 ? 1 : 0;
    const std::int64_t classes = sizes[dim];
    Sizes target_sizes = sizes;
    target_sizes.erase(dim);
    for (const LossReduction reduction :
         {LossReduction::unreduced, LossReduction::mean, LossReduction::sum}) {
      const std::string name = reduction == LossReduction::unreduced ? "none"
                               : reduction == LossReduction::mean    ? "mean"
                                                                     : "sum";
      for (const bool weighted : {false, true}) {
        for (const double smoothing : {0., 0.25}) {
          if (smoothing > 0 && !fused) continue;
          const std::string call =
              function + "(x, " + targets_in_torch(classes) + (weighted ? ", weight=c.detach().abs()" : "") +
              ", ignore_index=2, reduction='" + name + "'" +
              (smoothing > 0 ? ", label_smoothing=" + std::to_string(smoothing) : "") + ")";
          const auto options = [=](const In& in) {
            return ClassLossOptions{.weight = weighted ? in[2].detach().abs() : Tensor(),
                                    .ignore_index = 2,
                                    .reduction = reduction,
                                    .label_smoothing = smoothing};
          };
          // The gradient of PyTorch's nll_loss wants contiguous numbers.
          rows.push_back({"(lambda x: " + call + ")(a.contiguous())",
                          {sizes, target_sizes, {classes}},
                          {float64, float32, float16},
                          [=](const In& in) {
                            return Out{loss(in[0], targets_of(in[1].detach(), classes), options(in))};
                          },
                          60,
                          20});
          const Sizes grad_sizes = reduction == LossReduction::unreduced ? target_sizes : Sizes{};
          rows.push_back({gradient_in_torch(call, "d"),
                          {sizes, target_sizes, {classes}, grad_sizes},
                          kReal,
                          [=](const In& in) {
                            const auto of_logits = [&](const Tensor& logits) {
                              return loss(logits, targets_of(in[1], classes), options(in));
                            };
                            return Out{test::gradient_of(of_logits, in[0], in[3])};
                          },
                          60,
                          8});
        }
      }
    }
  }
}

TEST(TorchRows, CrossEntropy) {
  std::vector<TorchRow> rows;
  add_losses(rows, "torch.nn.functional.cross_entropy", true);
  rows.push_back({"torch.nn.functional.cross_entropy(10000 * a, torch.tensor([0, 3, 1]))",
                  {{3, 40}},
                  kReal,
                  [](const In& in) {
                    return Out{cross_entropy(10000 * in[0], tensor({0, 3, 1}))};
                  },
                  16,
                  0,
                  false});  // the gradient is e^x of large x: a matter of rounding
  rows.push_back({"torch.nn.functional.cross_entropy(a, torch.tensor([0, 3, -100, 1]))",
                  {{4, 40}},
                  {bfloat16},
                  [](const In& in) {
                    return Out{cross_entropy(in[0], tensor({0, 3, -100, 1}))};
                  },
                  2});
  rows.push_back(
      {"torch.nn.functional.cross_entropy(a, torch.tensor([-100, -100]))", {{2, 4}}, kReal, [](const In& in) {
         return Out{cross_entropy(in[0], tensor({-100, -100}))};
       }});
  rows.push_back(
      {"torch.nn.functional.cross_entropy(a, torch.tensor([0, 4]))", {{2, 4}}, {float32}, [](const In& in) {
         return Out{cross_entropy(in[0], tensor({0, 4}).cpu().to(in[0].device()))};
       }});
  if (default_device().is_cuda()) rows.pop_back();  // a GPU gives NaN
  rows.push_back({"torch.nn.functional.cross_entropy(a, torch.tensor([0, 1, 2]))",
                  {{2, 4}},
                  {float32},
                  [](const In& in) {
                    return Out{cross_entropy(in[0], tensor({0, 1, 2}))};
                  }});
  test::expect_as_torch(rows);
}

TEST(TorchRows, NllLoss) {
  std::vector<TorchRow> rows;
  for (const std::string loss : {"nll_loss", "cross_entropy"}) {
    for (const Dtype dtype : {uint8, int32}) {
      const auto function = loss == "nll_loss" ? nll_loss : cross_entropy;
      const std::string target = ", torch.arange(4, dtype=torch." + std::string(name(dtype)) + ").reshape(";
      const std::string call = "torch.nn.functional." + loss + "(a.contiguous()" + target;
      const auto compute = [=](const In& in) {
        Sizes sizes = in[0].sizes();
        sizes.erase(sizes.size() > 1 ? 1 : 0);
        return Out{function(in[0], arange(4, {.dtype = dtype, .device = in[0].device()}).reshape(sizes), {})};
      };
      rows.push_back({call + "4))", {{4, 5}}, kReal, compute, 16, 8});
      rows.push_back({call + "2, 2))", {{2, 5, 2}}, kReal, compute, 16, 8});
    }
  }
  rows.push_back({"torch.nn.functional.nll_loss(a.contiguous(), torch.tensor([0, 3, -100, 1]))",
                  {{4, 40}},
                  test::kWithGradients,
                  [](const In& in) {
                    return Out{nll_loss(in[0], tensor({0, 3, -100, 1}))};
                  },
                  2,
                  2});
  add_losses(rows, "torch.nn.functional.nll_loss", false);
  test::expect_as_torch(rows);
}

}  // namespace
}  // namespace lectern
