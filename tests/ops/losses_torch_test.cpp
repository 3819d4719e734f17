#include <gtest/gtest.h>

#include "ops/dropout.h"
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
    for (const Sizes& larger : {Sizes{2, 4, 5}, Sizes{3}}) {
      add(
          binary + ", c.detach()", {{4, 5}, {4, 5}, larger},
          [=](const In& in) {
            return Out{
                binary_cross_entropy_with_logits(4 * in[0], in[1].sigmoid(), in[2].detach(), reduction)};
          },
          kReal);
      add(
          binary + ", pos_weight=c.detach()", {{4, 5}, {4, 5}, larger},
          [=](const In& in) {
            return Out{
                binary_cross_entropy_with_logits(4 * in[0], in[1].sigmoid(), {}, reduction, in[2].detach())};
          },
          kReal);
    }
    rows.push_back({"torch.nn.functional.binary_cross_entropy_with_logits(a, b.double()" + rest,
                    {{4, 5}, {4, 5}},
                    {int64},
                    [=](const In& in) {
                      return Out{binary_cross_entropy_with_logits(in[0], in[1].to(float64), {}, reduction)};
                    }});
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

TEST(TorchLosses, OfDifferences) {
  std::vector<TorchRow> rows;
  const std::string functional = "torch.nn.functional.";
  using Loss = std::function<Tensor(const Tensor&, const Tensor&, LossReduction)>;
  const auto add = [&](const std::string& call, const Loss& loss) {
    for (const auto& [name, how] : kReductions) {
      const LossReduction reduction = how;
      const std::string expression = functional + call + ", reduction='" + name + "')";
      const auto ours = [=](const In& in) { return Out{loss(in[0], in[1], reduction)}; };
      for (const auto& shapes : std::vector<std::vector<Sizes>>{{{4, 5}, {4, 5}}, {{}, {}}, {{0, 3}, {0, 3}}})
        rows.push_back({expression, shapes, test::kFloating, ours, kLosses, kLossSums});
      rows.push_back({expression, {{4, 5}, {5}}, kReal, ours, kLosses, kLossSums});
      rows.push_back({expression, {{4, 5}, {4}}, kReal, ours, kLosses, kLossSums});
    }
  };
  add("l1_loss(a, b", [](const Tensor& a, const Tensor& b, LossReduction how) { return l1_loss(a, b, how); });
  add("huber_loss(a, b",
      [](const Tensor& a, const Tensor& b, LossReduction how) { return huber_loss(a, b, how); });
  add("huber_loss(a, b, delta=0.3",
      [](const Tensor& a, const Tensor& b, LossReduction how) { return huber_loss(a, b, how, 0.3); });
  add("smooth_l1_loss(a, b",
      [](const Tensor& a, const Tensor& b, LossReduction how) { return smooth_l1_loss(a, b, how); });
  add("smooth_l1_loss(a, b, beta=0.4",
      [](const Tensor& a, const Tensor& b, LossReduction how) { return smooth_l1_loss(a, b, how, 0.4); });
  add("smooth_l1_loss(a, b, beta=0.0",
      [](const Tensor& a, const Tensor& b, LossReduction how) { return smooth_l1_loss(a, b, how, 0); });
  for (const auto& [name, how] : kReductions) {
    const LossReduction reduction = how;
    rows.push_back({functional + "l1_loss(a, b, reduction='" + name + "')",
                    {{4, 5}, {4, 5}},
                    {int64, int8, uint8, bool_},
                    [=](const In& in) { return Out{l1_loss(in[0], in[1], reduction)}; }});
  }
  rows.push_back({functional + "huber_loss(a, b, delta=-1.0)", {{3}, {3}}, kReal, [](const In& in) {
                    return Out{huber_loss(in[0], in[1], LossReduction::mean, -1)};
                  }});
  rows.push_back({functional + "smooth_l1_loss(a, b, beta=-1.0)", {{3}, {3}}, kReal, [](const In& in) {
                    return Out{smooth_l1_loss(in[0], in[1], LossReduction::mean, -1)};
                  }});
  test::expect_as_torch(rows);
}

TEST(TorchLosses, OfTwoDtypes) {
  std::vector<TorchRow> rows;
  using Loss = std::function<Tensor(const Tensor&, const Tensor&, LossReduction)>;
  const std::vector<std::pair<std::string, Loss>> losses = {
      {"mse_loss", [](const Tensor& a, const Tensor& b, LossReduction how) { return mse_loss(a, b, how); }},
      {"l1_loss", [](const Tensor& a, const Tensor& b, LossReduction how) { return l1_loss(a, b, how); }},
      {"huber_loss",
       [](const Tensor& a, const Tensor& b, LossReduction how) { return huber_loss(a, b, how); }},
      {"smooth_l1_loss",
       [](const Tensor& a, const Tensor& b, LossReduction how) { return smooth_l1_loss(a, b, how); }}};
  for (const auto& [call, function] : losses) {
    for (const auto& [name, how] : kReductions) {
      for (const Dtype other : {float64, float32, float16, int64}) {
        const LossReduction reduction = how;
        const Loss& loss = function;
        for (const auto& shapes :
             std::vector<std::vector<Sizes>>{{{4}, {}}, {{}, {4}}, {{4}, {4}}, {{}, {}}}) {
          rows.push_back({"torch.nn.functional." + call + "(a, b.to(torch." +
                              std::string(lectern::name(other)) + "), reduction='" + name + "')",
                          shapes,
                          {float64, float32, int64},
                          [=](const In& in) { return Out{loss(in[0], in[1].to(other), reduction)}; },
                          kLosses,
                          kLossSums,
                          false});  // PyTorch 1.13 has none of two dtypes
        }
      }
    }
  }
  test::expect_as_torch(rows);
}

TEST(TorchLosses, OfProbabilities) {
  std::vector<TorchRow> rows;
  const std::string functional = "torch.nn.functional.";
  const std::vector<Dtype> wide_and_half = {float64, float32, float16};
  const std::vector<std::vector<Sizes>> shapes = {{{4, 5}, {4, 5}}, {{}, {}}, {{0, 3}, {0, 3}}};
  for (const auto& [name, how] : kReductions) {
    const LossReduction reduction = how;
    const std::string rest = ", reduction='" + name + "')";
    const auto add = [&](const std::string& call, const std::vector<Sizes>& of, const test::Operation& ours,
                         const std::vector<Dtype>& dtypes) {
      rows.push_back({functional + call + rest, of, dtypes, ours, kLosses, kLossSums});
    };
    for (const auto& of : shapes) {
      add(
          "binary_cross_entropy(a.sigmoid(), b.sigmoid()", of,
          [=](const In& in) {
            return Out{binary_cross_entropy(in[0].sigmoid(), in[1].sigmoid(), {}, reduction)};
          },
          wide_and_half);
    }
    add(
        "binary_cross_entropy((a > 0).to(b), (b > 0).to(b)", {{4, 5}, {4, 5}},
        [=](const In& in) {
          const Dtype dtype = in[1].dtype();
          return Out{binary_cross_entropy((in[0] > 0).to(dtype), (in[1] > 0).to(dtype), {}, reduction)};
        },
        kReal);
    add(
        "binary_cross_entropy(a.sigmoid(), b.sigmoid(), c.detach()", {{4, 5}, {4, 5}, {5}},
        [=](const In& in) {
          return Out{binary_cross_entropy(in[0].sigmoid(), in[1].sigmoid(), in[2].detach(), reduction)};
        },
        kReal);
    add(
        "binary_cross_entropy(a.sigmoid(), b.sigmoid()", {{4, 5}, {5}},
        [=](const In& in) {
          return Out{binary_cross_entropy(in[0].sigmoid(), in[1].sigmoid(), {}, reduction)};
        },
        kReal);
    add(
        "binary_cross_entropy(a.sigmoid(), b.sigmoid(), c.detach()", {{4, 5}, {4, 5}, {2, 4, 5}},
        [=](const In& in) {
          return Out{binary_cross_entropy(in[0].sigmoid(), in[1].sigmoid(), in[2].detach(), reduction)};
        },
        kReal);
  }
  rows.push_back(
      {functional + "binary_cross_entropy(a + 2, b.sigmoid())", {{4}, {4}}, kReal, [](const In& in) {
         return Out{binary_cross_entropy(in[0] + 2, in[1].sigmoid())};
       }});
  if (default_device().is_cuda()) rows.pop_back();  // a GPU gives NaN
  const std::vector<std::pair<std::string, KlDivReduction>> reductions = {
      {"none", KlDivReduction::unreduced},
      {"mean", KlDivReduction::mean},
      {"sum", KlDivReduction::sum},
      {"batchmean", KlDivReduction::batchmean}};
  for (const auto& [name, how] : reductions) {
    const KlDivReduction reduction = how;
    const std::string rest = ", reduction='" + name + "')";
    const auto add = [&](const std::string& call, const std::vector<Sizes>& of, const test::Operation& ours,
                         const std::vector<Dtype>& dtypes) {
      rows.push_back({functional + call + rest, of, dtypes, ours, kLosses, kLossSums});
    };
    for (const std::vector<Sizes>& of :
         std::vector<std::vector<Sizes>>{{{4, 5}, {4, 5}}, {{4, 5}, {5}}, {{3}, {3}}, {{}, {}}}) {
      add(
          "kl_div(a, b.abs() + 1", of,
          [=](const In& in) { return Out{kl_div(in[0], in[1].abs() + 1, reduction)}; }, test::kWithGradients);
      add(
          "kl_div(a, (b > 0).to(b)", of,
          [=](const In& in) { return Out{kl_div(in[0], (in[1] > 0).to(in[1].dtype()), reduction)}; }, kReal);
      add(
          "kl_div(a, b, log_target=True", of,
          [=](const In& in) { return Out{kl_div(in[0], in[1], reduction, true)}; }, test::kFloating);
    }
  }
  test::expect_as_torch(rows);
}

TEST(TorchLosses, OfTheProbabilitiesOfClasses) {
  std::vector<TorchRow> rows;
  const std::string call = "torch.nn.functional.cross_entropy(4 * a, b.softmax(-1)";
  for (const auto& [name, how] : kReductions) {
    const LossReduction reduction = how;
    const std::string rest = ", reduction='" + name + "')";
    const auto add = [&](const std::string& arguments, const std::vector<Sizes>& shapes,
                         ClassLossOptions options, const std::vector<Dtype>& dtypes) {
      options.reduction = reduction;
      rows.push_back({call + arguments + rest, shapes, dtypes,
                      [=](const In& in) {
                        ClassLossOptions given = options;
                        if (in.size() > 2) given.weight = in[2].detach().abs();
                        return Out{cross_entropy(4 * in[0], in[1].softmax(-1), given)};
                      },
                      kLosses, kLossSums});
    };
    for (const Sizes& sizes : std::initializer_list<Sizes>{{4, 5}, {5}, {2, 5, 3}, {2, 3, 2, 4}, {0, 5}})
      add("", {sizes, sizes}, {}, test::kWithGradients);
    add(", label_smoothing=0.2", {{4, 5}, {4, 5}}, {.label_smoothing = 0.2}, kReal);
    add(", label_smoothing=0.2, weight=c.detach().abs()", {{2, 5, 3}, {2, 5, 3}, {5}},
        {.label_smoothing = 0.2}, kReal);
    add(", weight=c.detach().abs()", {{5}, {5}, {5}}, {}, kReal);
    add(", weight=c.detach().abs()", {{4, 5}, {4, 5}, {4}}, {}, kReal);
    add(", ignore_index=2", {{4, 5}, {4, 5}}, {.ignore_index = 2}, kReal);
  }
  rows.push_back({call + ".double())",
                  {{4, 5}, {4, 5}},
                  kReal,
                  [](const In& in) { return Out{cross_entropy(4 * in[0], in[1].softmax(-1).to(float64))}; },
                  0x1p30,  // PyTorch's logarithms are float32, as the logits are; ours float64, as the loss
                  0x1p30});
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
