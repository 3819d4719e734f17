#include "ops/embedding.h"

#include <gtest/gtest.h>

#include "ops/drawn_indices.h"
#include "ops/expect_error.h"
#include "ops/tensors.h"
#include "ops/torch_reference.h"

namespace lectern {
namespace {

using test::draw_indices;
using test::expect_error;
using test::In;
using test::kReal;
using test::Out;

using test::kFloating;

TEST(Embedding, AsPyTorch) {
  const auto tokens = draw_indices({3, 4}, 0, 10);
  const auto one = draw_indices({}, 0, 10);
  const auto none_of_them = draw_indices({0, 2}, 0, 10);
  const std::string call = "torch.nn.functional.embedding(";
  std::vector<test::TorchRow> rows;
  for (const auto& drawn : {tokens, one, none_of_them}) {
    rows.push_back({call + drawn.python + ", a)", {{10, 6}}, kFloating, [=](const In& in) {
                      return Out{embedding(drawn.tensor, in[0])};
                    }});
    rows.push_back(
        {call + drawn.python + ".int(), a, padding_idx=-1)", {{10, 6}}, kFloating, [=](const In& in) {
           return Out{embedding(drawn.tensor.to(int32), in[0], -1)};
         }});
  }
  for (const double p : {2., 1.}) {  // of rows that are longer, and shorter; the weight is changed
    const std::string arguments = ", max_norm=1.5, norm_type=" + std::to_string(p) + "), w]";
    rows.push_back({"(lambda w: [" + call + tokens.python + ", w" + arguments + ")(a.detach().clone())",
                    {{10, 6}},
                    kReal,
                    [=](const In& in) {
                      const Tensor weight = in[0].detach().clone();
                      return Out{embedding(tokens.tensor, weight, {}, 1.5, p), weight};
                    },
                    8});
  }
  rows.push_back({call + tokens.python + ".float(), a)", {{10, 6}}, kReal, [=](const In& in) {
                    return Out{embedding(tokens.tensor.to(float32), in[0])};
                  }});
  const std::string weight = "(a.clone().requires_grad_())";
  rows.push_back({"(lambda w: torch.autograd.grad(" + call + tokens.python + ", w), w, b))" + weight,
                  {{10, 6}, {3, 4, 6}},
                  kReal,
                  [=](const In& in) { return Out{embedding_backward(in[1], tokens.tensor, 10)}; },
                  4,
                  8});
  rows.push_back(
      {"(lambda w: torch.autograd.grad(" + call + tokens.python + ", w, padding_idx=-4), w, b))" + weight,
       {{10, 6}, {3, 4, 6}},
       kReal,
       [=](const In& in) { return Out{embedding_backward(in[1], tokens.tensor, 10, -4)}; },
       4,
       8});
  rows.push_back({"torch.nn.functional.one_hot(" + tokens.python + ")", {{}}, {float32}, [=](const In&) {
                    return Out{one_hot(tokens.tensor)};
                  }});
  rows.push_back({"torch.nn.functional.one_hot(" + tokens.python + ", 12)", {{}}, {float32}, [=](const In&) {
                    return Out{one_hot(tokens.tensor, 12)};
                  }});
  rows.push_back(
      {"torch.nn.functional.one_hot(" + none_of_them.python + ", 3)", {{}}, {float32}, [=](const In&) {
         return Out{one_hot(none_of_them.tensor, 3)};
       }});
  rows.push_back(
      {"torch.bincount(" + tokens.python + ".flatten(), minlength=11)", {{}}, {float32}, [=](const In&) {
         return Out{bincount(tokens.tensor.flatten(), 11)};
       }});
  rows.push_back({"torch.bincount(" + tokens.python + ".flatten(), a)",
                  {{12}},
                  {float64, float32, int64},
                  [=](const In& in) { return Out{bincount(tokens.tensor.flatten(), in[0])}; },
                  4,
                  4,
                  false});  // PyTorch refuses to differentiate it, ours does not try
  rows.push_back({"torch.bincount(" + tokens.python + ")", {{}}, {float32}, [=](const In&) {
                    return Out{bincount(tokens.tensor)};
                  }});
  test::expect_as_torch(rows);
}

TEST(Embedding, GradientsOfNarrowWeightsAreRoundedOnce) {
  const Tensor grad = ones({300, 1}, {.dtype = bfloat16});
  const Tensor sums = embedding_backward(grad, zeros({300}, {.dtype = int64}), 2);
  EXPECT_TRUE(sums.to(float32).equal(tensor({{300.}, {0.}})));
}

TEST(Embedding, OfManyTokensTheSameBitsOnEveryDevice) {
  const Tensor tokens = draw_indices({2000}, 0, 30).tensor;
  const Tensor grad = test::uniform({2000, 70}, float32);
  const Tensor here = embedding_backward(grad.cpu(), tokens.cpu(), 30);
  EXPECT_TRUE(test::same_bits(embedding_backward(grad, tokens, 30), here));
}

TEST(Embedding, ErrorsNameTheArgument) {
  const Tensor weight = zeros({4, 2});
  if (!default_device().is_cuda()) {
    expect_error(
        [&] {
          embedding(tensor({0, 4}), weight);
        },
        "embedding: index 4 is out of range for a dimension of size 4");
    expect_error([&] { embedding(tensor({-1}), weight); },
                 "embedding: index -1 is out of range for a dimension of size 4");
  }
  expect_error([&] { embedding(tensor({0.}), weight); },
               "embedding: the dtype of the index must be int64 or int32, not float32");
  expect_error([&] { embedding(tensor({0}), weight[0]); },
               "embedding: weight must be of two dimensions, not of shape [2]");
  expect_error([&] { embedding(tensor({0}), weight, 4); },
               "embedding: padding_idx must be from -4 to 3, as the weight has 4 rows, not 4");
  expect_error([] { one_hot(tensor({1, -2})); }, "one_hot: every value must be 0 or more, not -2");
  expect_error(
      [] {
        one_hot(tensor({1, 2}), 2);
      },
      "one_hot: num_classes must be more than 0, and than the largest value, 2, not 2");
  expect_error([] { one_hot(zeros({0}, {.dtype = int64})); },
               "one_hot: without values num_classes must be given");
  expect_error([] { bincount(tensor({{1}})); },
               "bincount: the values must be integers in one dimension, not int64 of shape [1, 1]");
  expect_error([] { bincount(tensor({1}), std::int64_t{1} << 60); },
               "bincount: the number of bytes must be below 2^63, not that of shape [1152921504606846976]");
}

}  // namespace
}  // namespace lectern
