// Rotary position embedding, beside its formula in PyTorch as torchtune has it, and the choice of the next
// token, beside Hugging Face's.
#include <gtest/gtest.h>

#include "ops/elementwise.h"
#include "ops/expect_error.h"
#include "ops/extremum.h"
#include "ops/rotary.h"
#include "ops/sampling.h"
#include "ops/tensors.h"
#include "ops/torch_reference.h"
#include "tensor/generator.h"

namespace lectern {
namespace {

using test::expect_error;
using test::In;
using test::kReal;
using test::kWithGradients;
using test::Out;
using test::TorchRow;

/// torchtune's RotaryPositionalEmbeddings of a, in float64.
std::string torchtune_rotary(const std::string& positions, std::int64_t dim, const std::string& base) {
  const std::string theta = "(1 / (" + base + " ** (torch.arange(0, " + std::to_string(dim) +
                            ", 2).double() / " + std::to_string(dim) + ")))";
  return "(lambda x, t: torch.stack([x[..., 0::2] * t.cos() - x[..., 1::2] * t.sin(), x[..., 1::2] * t.cos() "
         "+ "
         "x[..., 0::2] * t.sin()], -1).flatten(-2))(a, ((" +
         positions + ").double().unsqueeze(-1) * " + theta + ").unsqueeze(-2))";
}

Tensor table_for(const Tensor& x, std::int64_t positions, double base = 10000) {
  return rotary_table(positions, x.size(-1), base, {.dtype = x.dtype() == float64 ? float64 : float32});
}

TEST(TorchRotary, AsTorchtune) {
  std::vector<TorchRow> rows;
  const auto row = [&](const Sizes& sizes, const std::string& positions, const std::string& base,
                       const test::Operation& operation) {
    rows.push_back({torchtune_rotary(positions, sizes[3], base),
                    {sizes},
                    kWithGradients,
                    operation,
                    64,
                    64,
                    true,
                    true});
  };
  row({2, 7, 3, 8}, "torch.arange(7)", "10000",
      [](const In& in) { return Out{rotary_embedding(in[0], table_for(in[0], 7))}; });
  row({1, 5, 1, 2}, "torch.arange(5)", "500000",
      [](const In& in) { return Out{rotary_embedding(in[0], table_for(in[0], 9, 500000))}; });
  row({2, 3, 2, 6}, "torch.tensor([5, 1, 2])", "10000", [](const In& in) {
    return Out{rotary_embedding(in[0], table_for(in[0], 6), tensor({5, 1, 2}))};
  });
  row({2, 3, 2, 6}, "torch.tensor([[5, 1, 2], [0, 3, 3]])", "10000", [](const In& in) {
    return Out{rotary_embedding(in[0], table_for(in[0], 6), tensor({{5, 1, 2}, {0, 3, 3}}))};
  });
  row({0, 3, 2, 4}, "torch.arange(3)", "10000",
      [](const In& in) { return Out{rotary_embedding(in[0], table_for(in[0], 3))}; });
  rows.push_back(
      {"(lambda t: torch.stack([t.cos(), t.sin()], -1))(torch.outer(torch.arange(9).double(), 1 / 10000 ** "
       "(torch.arange(0, 6, 2).double() / 6)))",
       {},
       {float64},
       [](const In&) { return Out{rotary_table(9, 6, 10000, {.dtype = float64})}; },
       8,
       8});
  test::expect_as_torch(rows);
}

TEST(Rotary, TurnsWithoutChangingLengths) {
  const Tensor x = test::uniform({2, 5, 3, 8}, float64);
  const Tensor turned = rotary_embedding(x, table_for(x, 5));
  EXPECT_TRUE(turned.square().sum(-1).allclose(x.square().sum(-1)));
  EXPECT_TRUE(turned.select(1, 0).allclose(x.select(1, 0)));
}

TEST(Rotary, ErrorsNameWhatIsWrong) {
  const Tensor x = ones({1, 4, 2, 6});
  expect_error([&] { rotary_table(4, 5); }, "rotary_table: dim must be even and more than 0, not 5");
  expect_error([&] { rotary_embedding(x, rotary_table(3, 6)); },
               "rotary_embedding: the time must be at most the table's positions, 3, not 4");
  expect_error([&] { rotary_embedding(x, rotary_table(4, 4)); },
               "rotary_embedding: table must be of shape [positions, dim / 2, 2] for x of shape [1, 4, 2, "
               "6], not [4, 2, 2]");
  expect_error(
      [&] {
        rotary_embedding(x, rotary_table(4, 6), tensor({1, 2}));
      },
      "rotary_embedding: input_pos must be of shape [4], or of that for each of the batch, not [2]");
}

TEST(TorchSampling, AsHuggingFace) {
  std::vector<TorchRow> rows;
  // Of equal logits, which is in the nucleus is left open.
  const std::string apart = "(a + 0.01 * torch.arange(a.shape[-1]).to(a.dtype))";
  const auto apart_here = [](const Tensor& a) { return a + 0.01 * arange(a.size(-1)).to(a.dtype()); };
  for (const double p : {0.1, 0.5, 0.9, 1.}) {
    const std::string filtered =
        "(lambda x: (lambda v, i: x.masked_fill((lambda r: r.scatter(-1, i, r))((v.softmax(-1).cumsum(-1) <= "
        "1 - " +
        std::to_string(p) +
        ") & (torch.arange(v.shape[-1]) < v.shape[-1] - 1)), -float('inf')))(*x.sort(-1)))(" + apart + ")";
    for (const Sizes& sizes : {Sizes{30}, Sizes{3, 50}, Sizes{1, 1}})
      rows.push_back(
          {filtered, {sizes}, kReal, [=](const In& in) { return Out{top_p_logits(apart_here(in[0]), p)}; }});
  }
  for (const std::int64_t k : {1, 4, 30})
    rows.push_back({"a.masked_fill(a < a.topk(" + std::to_string(k) + ")[0][..., -1:], -float('inf'))",
                    {{3, 30}},
                    kReal,
                    [=](const In& in) { return Out{top_k_logits(in[0], k)}; }});
  test::expect_as_torch(rows);
}

TEST(Sampling, DrawsFromWhatIsLeft) {
  const Tensor logits = tensor({{0.5, 0.3, 0.15, 0.05}, {0.05, 0.15, 0.3, 0.5}}).log();
  EXPECT_TRUE(sample(logits, {.temperature = 0}).equal(tensor({0, 3})));
  EXPECT_TRUE(sample(logits, {.top_k = 1}).equal(tensor({0, 3})));
  EXPECT_TRUE(sample(logits, {.top_p = 0.2}).equal(tensor({0, 3})));
  Generator generator(default_device());
  generator.manual_seed(5);
  std::int64_t first = 0;
  for (int i = 0; i < 200; ++i) {
    const Tensor drawn = sample(logits, {.top_p = 0.7, .generator = &generator});
    const auto a = drawn[0].item<std::int64_t>(), b = drawn[1].item<std::int64_t>();
    ASSERT_TRUE(a < 2 && b >= 2);
    first += a == 0;
  }
  EXPECT_NEAR(static_cast<double>(first) / 200, 0.625, 0.15);
  EXPECT_EQ(sample(logits[0]).dim(), 0);
}

TEST(Sampling, ErrorsNameWhatIsWrong) {
  const Tensor logits = zeros({2, 3});
  expect_error([&] { top_p_logits(logits, 0); },
               "top_p_logits: p must be above 0, and at most 1, not 0.000000");
  expect_error([&] { top_k_logits(logits, 0); }, "top_k_logits: k must be more than 0, not 0");
  expect_error(
      [&] { sample(zeros({2}, {.dtype = int64})); },
      "sample: logits must be floating, of shape [categories] or [batch, categories], not int64 [2]");
  expect_error([&] { sample(logits, {.temperature = -1}); },
               "sample: temperature must be 0 or more, not -1.000000");
}

}  // namespace
}  // namespace lectern
