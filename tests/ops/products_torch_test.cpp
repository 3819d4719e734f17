#include <gtest/gtest.h>

#include "ops/attention.h"
#include "ops/elementwise.h"
#include "ops/linear.h"
#include "ops/matmul.h"
#include "ops/torch_reference.h"
#include "tensor/creation.h"

// Products with what goes around them, and attention, side by side with PyTorch's: the results and the
// gradients of all operands.

namespace lectern {
namespace {

using test::In;
using test::kFloating;
using test::kWithGradients;
using test::Out;
using test::TorchRow;

// Sums of up to so many products of numbers from -1 to 1, in another order.
constexpr double kProducts = 8, kSums = 64;
const std::vector<Dtype> kRealAndHalf = {float64, float32, float16};
// PyTorch computes bfloat16 in steps of bfloat16.
const std::vector<Dtype> kRoundedOnce = {float64, float32, float16, float8_e4m3fn, float8_e5m2};

TorchRow row(const std::string& expression, const std::vector<Sizes>& shapes,
             const test::Operation& operation, const std::vector<Dtype>& dtypes = kFloating) {
  return {expression, shapes, dtypes, operation, kProducts, kSums};
}

TEST(TorchProducts, OfMatricesAndVectors) {
  const std::string linear_of = "torch.nn.functional.linear(";
  const auto with_bias = [](const In& in) { return Out{linear(in[0], in[1], in[2])}; };
  const auto without = [](const In& in) { return Out{linear(in[0], in[1])}; };
  const auto added = [](const In& in) { return Out{addmm(in[0], in[1], in[2])}; };
  const auto integers = [](const std::vector<Dtype>& some) {  // no product of them on a GPU
    return default_device().is_cuda() ? std::vector<Dtype>{} : some;
  };
  test::expect_as_torch({
      row(linear_of + "a, b, c)", {{3, 5}, {4, 5}, {4}}, with_bias),
      row(linear_of + "a, b, c)", {{2, 3, 5}, {4, 5}, {4}}, with_bias),
      row(linear_of + "a, b, c)", {{5}, {4, 5}, {4}}, with_bias, kRealAndHalf),
      row(linear_of + "a, b)", {{2, 3, 5}, {4, 5}}, without),
      row(linear_of + "a, b)", {{0, 5}, {4, 5}}, without),
      row(linear_of + "a, b)", {{3, 5}, {4, 6}}, without),
      row(linear_of + "a, b, c)", {{3, 5}, {4, 5}, {3}}, with_bias, kWithGradients),
      row("torch.addmm(a, b, c)", {{3, 4}, {3, 5}, {5, 4}}, added),
      row("torch.addmm(a, b, c)", {{4}, {3, 5}, {5, 4}}, added),
      row("torch.addmm(a, b, c)", {{}, {3, 5}, {5, 4}}, added),
      row("torch.addmm(a, b, c)", {{3, 1}, {3, 0}, {0, 4}}, added, kWithGradients),
      row("torch.addmm(a, b, c)", {{5}, {3, 5}, {5, 4}}, added, kWithGradients),
      row("torch.addmm(a, b, c, beta=0.5, alpha=2)", {{3, 4}, {3, 5}, {5, 4}},
          [](const In& in) { return Out{addmm(in[0], in[1], in[2], 0.5, 2)}; }),
      row(
          "torch.addmm(a, b, c, beta=2, alpha=-3)", {{3, 4}, {3, 5}, {5, 4}},
          [](const In& in) { return Out{addmm(in[0], in[1], in[2], 2, -3)}; },
          integers({int64, int32, int16, int8})),
      row(
          "torch.addmm(a, b, c, beta=0.5, alpha=2.5)", {{3, 4}, {3, 5}, {5, 4}},
          [](const In& in) { return Out{addmm(in[0], in[1], in[2], 0.5, 2.5)}; }, integers({int64})),
      row(
          "torch.dot(a, b)", {{9}, {9}}, [](const In& in) { return Out{dot(in[0], in[1])}; }, kRoundedOnce),
      row("torch.dot(a, b)", {{0}, {0}}, [](const In& in) { return Out{dot(in[0], in[1])}; }),
      row("torch.dot(a, b)", {{3}, {4}}, [](const In& in) { return Out{dot(in[0], in[1])}; }),
      row("torch.dot(a, b)", {{1, 3}, {3}}, [](const In& in) { return Out{dot(in[0], in[1])}; }),
      row("torch.outer(a, b)", {{3}, {4}}, [](const In& in) { return Out{outer(in[0], in[1])}; }),
      row("torch.outer(a, b)", {{0}, {4}}, [](const In& in) { return Out{outer(in[0], in[1])}; }),
      row("torch.outer(a, b)", {{3, 1}, {4}}, [](const In& in) { return Out{outer(in[0], in[1])}; }),
      row("torch.mm(a, b)", {{3, 5}, {5, 4}}, [](const In& in) { return Out{mm(in[0], in[1])}; }),
      row("torch.bmm(a, b)", {{2, 3, 5}, {2, 5, 4}}, [](const In& in) { return Out{bmm(in[0], in[1])}; }),
      row("torch.bmm(a, b)", {{0, 3, 5}, {0, 5, 4}}, [](const In& in) { return Out{bmm(in[0], in[1])}; }),
      row("a.matmul(b)", {{2, 1, 3, 5}, {3, 5, 4}}, [](const In& in) { return Out{in[0].matmul(in[1])}; }),
      row(
          "a.matmul(b)", {{3, 5}, {5}}, [](const In& in) { return Out{in[0].matmul(in[1])}; }, kRoundedOnce),
      row(
          "a.matmul(b)", {{5}, {2, 5, 3}}, [](const In& in) { return Out{in[0].matmul(in[1])}; },
          kRoundedOnce),
  });
}

/// Attention as its formula: 1.13 has no scaled_dot_product_attention with these options.
std::string attention(const std::string& scale, const std::string& seen) {
  return "torch.softmax((a @ b.transpose(-2, -1) * " + scale + ").masked_fill(~(" + seen +
         "), -inf), -1) @ c";
}

TEST(TorchProducts, Attention) {
  std::vector<TorchRow> rows;
  const auto add = [&](const std::string& scale, const std::string& seen, const std::vector<Sizes>& shapes,
                       const AttentionOptions& options) {
    const auto operation = [=](const In& in) {
      return Out{scaled_dot_product_attention(in[0], in[1], in[2], options)};
    };
    rows.push_back({attention(scale, seen), shapes, test::kWithGradients, operation, 32, 32, true, true});
  };
  const std::vector<Sizes> square = {{2, 3, 7, 4}, {2, 3, 7, 4}, {2, 3, 7, 5}};
  const std::vector<Sizes> wide = {{5, 4}, {9, 4}, {9, 3}}, tall = {{2, 9, 4}, {1, 5, 4}, {5, 3}};
  const std::string all = "torch.tensor(True)";
  const auto causal = [](const std::string& queries, const std::string& keys) {
    return "torch.ones(" + queries + ", " + keys + ", dtype=torch.bool).tril()";
  };
  add("0.5", all, square, {});
  add("0.5", all, wide, {});
  add("0.5", all, tall, {});
  add("0.3", all, square, {.scale = 0.3});
  add("0.5", causal("7", "7"), square, {.is_causal = true});
  add("0.5", causal("5", "9"), wide, {.is_causal = true});
  add("0.5", causal("9", "5"), tall, {.is_causal = true});
  // The first key is seen by all.
  const Tensor numbers = arange(7 * 7).reshape({7, 7});
  const Tensor seen = logical_or(numbers % 7 == 0, numbers % 3 == 1);
  const std::string mask = "(lambda n: (n % 7 == 0) | (n % 3 == 1))(torch.arange(49).reshape(7, 7))";
  add("0.5", mask, square, {.attn_mask = seen});
  add("0.25", mask, square, {.attn_mask = seen.expand({2, 1, 7, 7}), .scale = 0.25});
  const auto add_biased = [&](const std::string& bias, const Sizes& sizes, bool is_causal) {
    std::vector<Sizes> shapes = square;
    shapes.push_back(sizes);
    const auto operation = [=](const In& in) {
      return Out{
          scaled_dot_product_attention(in[0], in[1], in[2], {.attn_mask = in[3], .is_causal = is_causal})};
    };
    rows.push_back({"torch.softmax(a @ b.transpose(-2, -1) * 0.5 + " + bias + ", -1) @ c", shapes,
                    test::kWithGradients, operation, 32, 32, true, true});
  };
  add_biased("d", {7, 7}, false);
  add_biased("d", {2, 1, 1, 7}, false);
  add_biased("d", {2, 3, 7, 7}, false);
  add_biased("d.masked_fill(~" + causal("7", "7") + ", -inf)", {3, 7, 7}, true);
  test::expect_as_torch(rows);
}

}  // namespace
}  // namespace lectern
