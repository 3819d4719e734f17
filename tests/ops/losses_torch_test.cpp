#include <gtest/gtest.h>

#include "ops/elementwise.h"
#include "ops/linear_cross_entropy.h"
#include "ops/losses.h"
#include "ops/random.h"
#include "ops/torch_reference.h"
#include "tensor/creation.h"
#include "tensor/generator.h"

// Losses that compare numbers, and dropout, side by side with PyTorch's, with the gradients of all inputs.

namespace lectern {
namespace {

using test::In;
using test::kReal;
using test::Out;
using test::TorchRow;

// A few functions of each number, and sums of up to 20 such.
constexpr double kLosses = 16, kLossSums = 40;
const std::vector<std::pair<std::string, LossReduction>> kReductions = {
    {"none", LossReduction::unreduced}, {"mean", LossReduction::mean}, {"sum", LossReduction::sum}};

TEST(TorchLosses, OfNumbers) {
  std::vector<TorchRow> rows;
  const std::string binary = "torch.nn.functional.binary_cross_entropy_with_logits(4 * a, b.sigmoid()";
  for (const auto& [name, how] : kReductions) {
    const LossReduction reduction = how;
    const std::string rest = ", reduction='" + name + "')";
    const auto add = [&](const std::string& call, const std::vector<Sizes>& shapes,
                         const test::Operation& operation, const std::vector<Dtype>& dtypes) {
      rows.push_back({call + rest, shapes, dtypes, operation, kLosses, kLossSums});
    };
    const auto squares = [=](const In& in) { return Out{mse_loss(in[0], in[1], reduction)}; };
    for (const auto& shapes : std::vector<std::vector<Sizes>>{{{4, 5}, {4, 5}}, {{}, {}}, {{0, 3}, {0, 3}}})
      add("torch.nn.functional.mse_loss(a, b", shapes, squares, test::kFloating);
    add("torch.nn.functional.mse_loss(a, b", {{4, 5}, {5}}, squares, kReal);
    add("torch.nn.functional.mse_loss(a, b", {{4, 5}, {4}}, squares, kReal);
    for (const Dtype other : {float64, float16, int64, uint8, bool_}) {
      rows.push_back(
          {"torch.nn.functional.mse_loss(a, b.to(torch." + std::string(lectern::name(other)) + ")" + rest,
           {{4, 5}, {4, 5}},
           {float64, float32, int64, bool_},
           [=](const In& in) { return Out{mse_loss(in[0], in[1].to(other), reduction)}; },
           kLosses,
           kLossSums,
           false});  // PyTorch 1.13 has none of two dtypes
    }
    const auto logits = [=](const In& in) {
      return Out{binary_cross_entropy_with_logits(4 * in[0], in[1].sigmoid(), {}, reduction)};
    };
    const std::vector<Dtype> wide_and_half = {float64, float32, float16};
    for (const auto& shapes : std::vector<std::vector<Sizes>>{{{4, 5}, {4, 5}}, {{}, {}}, {{3}, {4}}})
      add(binary, shapes, logits, wide_and_half);
    // Logits of 0, as a model has that begins with weights of 0.
    add(
        "torch.nn.functional.binary_cross_entropy_with_logits(0 * a, b.sigmoid()", {{4, 5}, {4, 5}},
        [=](const In& in) {
          return Out{binary_cross_entropy_with_logits(0 * in[0], in[1].sigmoid(), {}, reduction)};
        },
        kReal);
    add(
        "torch.nn.functional.binary_cross_entropy_with_logits(a.floor(), b.sigmoid()", {{4, 5}, {4, 5}},
        [=](const In& in) {
          return Out{binary_cross_entropy_with_logits(in[0].floor(), in[1].sigmoid(), {}, reduction)};
        },
        kReal);
    add(
        binary + ", c.detach()", {{4, 5}, {4, 5}, {5}},
        [=](const In& in) {
          return Out{binary_cross_entropy_with_logits(4 * in[0], in[1].sigmoid(), in[2].detach(), reduction)};
        },
        kReal);
    add(
        binary + ", c.detach(), pos_weight=d.detach()", {{4, 5}, {4, 5}, {4, 1}, {5}},
        [=](const In& in) {
          return Out{binary_cross_entropy_with_logits(4 * in[0], in[1].sigmoid(), in[2].detach(), reduction,
                                                      in[3].detach())};
        },
        kReal);
  }
  test::expect_as_torch(rows);
}

TEST(TorchLosses, OfALinearLayer) {
  std::vector<TorchRow> rows;
  const std::string call =
      "torch.nn.functional.cross_entropy(torch.nn.functional.linear(a, b), torch.tensor([0, 3, 2, 1])";
  const auto add = [&](const std::string& arguments, const ClassLossOptions& options,
                       std::int64_t at_a_time) {
    rows.push_back(
        {call + arguments + ")",
         {{4, 6}, {5, 6}},
         {float64, float32},
         [=](const In& in) {
           return Out{linear_cross_entropy(in[0], in[1], tensor({0, 3, 2, 1}), options, at_a_time)};
         },
         kLosses,
         kLossSums});
  };
  add("", {}, 0);
  add(", ignore_index=2", {.ignore_index = 2}, 3);
  add(", reduction='sum'", {.reduction = LossReduction::sum}, 1);
  add(", label_smoothing=0.2", {.label_smoothing = 0.2}, 2);
  rows.push_back({call + ", weight=c.detach().abs())",
                  {{4, 6}, {5, 6}, {5}},
                  {float64, float32},
                  [](const In& in) {
                    const Tensor weight = in[2].detach().abs();
                    return Out{linear_cross_entropy(in[0], in[1], tensor({0, 3, 2, 1}), {.weight = weight})};
                  },
                  kLosses,
                  kLossSums});
  test::expect_as_torch(rows);
}

TEST(TorchLosses, Dropout) {
  std::vector<TorchRow> rows;
  const auto add = [&](const std::string& arguments, const Sizes& sizes, const std::vector<Dtype>& dtypes,
                       double p, bool training) {
    rows.push_back(
        {"[torch.manual_seed(3), torch.nn.functional.dropout(a.contiguous(), " + arguments + ")][1]",
         {sizes},
         dtypes,
         [=](const In& in) {
           manual_seed(3);
           return Out{dropout(in[0].contiguous(), p, training)};
         },
         1});
  };
  for (const Sizes& sizes : std::initializer_list<Sizes>{{4, 5}, {}, {0, 2}}) {
    add("0.0", sizes, test::kWithGradients, 0, true);
    add("1.0", sizes, test::kWithGradients, 1, true);
    add("0.5, False", sizes, test::kWithGradients, 0.5, false);
  }
  add("1.5", {3}, kReal, 1.5, true);
  // What is dropped: the same as PyTorch on the CPU.
  if (!default_device().is_cuda()) {
    add("0.3", {40}, kReal, 0.3, true);
    add("0.5", {6, 7}, kReal, 0.5, true);
  }
  test::expect_as_torch(rows);
}

TEST(Dropout, OfEverythingDrawsNothing) {
  manual_seed(3);
  EXPECT_TRUE(dropout(ones({5}), 1).equal(zeros({5})));
  const Tensor after = rand({4});
  manual_seed(3);
  EXPECT_TRUE(after.equal(rand({4})));
}

}  // namespace
}  // namespace lectern
