// Lengths, angles, and products that add, side by side with PyTorch's.
#include <gtest/gtest.h>

#include "ops/elementwise.h"
#include "ops/expect_error.h"
#include "ops/linear.h"
#include "ops/matmul.h"
#include "ops/reductions.h"
#include "ops/similarity.h"
#include "ops/tensors.h"
#include "ops/torch_reference.h"
#include "tensor/creation.h"

namespace lectern {
namespace {

using test::In;
using test::kFloating;
using test::kReal;
using test::Out;
using test::TorchRow;

TEST(TorchSimilarity, CosineSimilarity) {
  std::vector<TorchRow> rows;
  const std::string call = "torch.nn.functional.cosine_similarity(a, b";
  for (const auto& [a, b, dim] :
       std::initializer_list<std::tuple<Sizes, Sizes, std::int64_t>>{{{3, 5}, {3, 5}, 1},
                                                                     {{3, 5}, {5}, -1},
                                                                     {{3, 1, 4}, {2, 4}, 2},
                                                                     {{6}, {6}, 0},
                                                                     {{0, 4}, {0, 4}, 1},
                                                                     {{3, 5}, {3, 5}, 2}}) {
    const std::int64_t along = dim;
    rows.push_back({call + ", " + std::to_string(dim) + ", 1e-8)",
                    {a, b},
                    kFloating,
                    [=](const In& in) { return Out{cosine_similarity(in[0], in[1], along)}; },
                    16,
                    16,
                    false});
    // Gradients of vectors that are not short, whose roundings are as large as their inverse lengths. Of 16
    // bits PyTorch rounds each step.
    rows.push_back({"torch.nn.functional.cosine_similarity(a + 2, b - 2, " + std::to_string(dim) + ")",
                    {a, b},
                    kReal,
                    [=](const In& in) { return Out{cosine_similarity(in[0] + 2, in[1] - 2, along)}; },
                    16,
                    16});
  }
  rows.push_back({call + ", 1, 4.0)",
                  {{3, 5}, {3, 5}},
                  kReal,
                  [](const In& in) { return Out{cosine_similarity(in[0], in[1], 1, 4)}; },
                  16,
                  16});
  rows.push_back({"torch.nn.functional.cosine_similarity(a - a, b)",
                  {{3, 5}, {3, 5}},
                  kReal,
                  [](const In& in) { return Out{cosine_similarity(in[0] - in[0], in[1])}; },
                  16,
                  16,
                  false});
  rows.push_back({call + ".double())",
                  {{3, 5}, {3, 5}},
                  {float32, int64},
                  [](const In& in) { return Out{cosine_similarity(in[0], in[1].to_double())}; },
                  16,
                  16,
                  false});
  rows.push_back({call + ")", {{3, 5}, {3, 5}}, {int64}, [](const In& in) {
                    return Out{cosine_similarity(in[0], in[1])};
                  }});
  test::expect_as_torch(rows);
}

TEST(TorchSimilarity, Normalize) {
  std::vector<TorchRow> rows;
  const std::string call = "torch.nn.functional.normalize(a";
  for (const auto& [sizes, dim] : std::initializer_list<std::pair<Sizes, std::int64_t>>{
           {{3, 5}, 1}, {{3, 5}, 0}, {{2, 3, 4}, -1}, {{0, 3}, 1}, {{3}, 1}}) {
    const std::int64_t along = dim;
    for (const double p : {2., 1., 3.})
      rows.push_back({call + ", " + std::to_string(p) + ", " + std::to_string(dim) + ")",
                      {sizes},
                      kFloating,
                      [=](const In& in) { return Out{normalize(in[0], p, along)}; },
                      32,
                      32});
  }
  rows.push_back({call + ", eps=100.0)",
                  {{3, 5}},
                  kReal,
                  [](const In& in) { return Out{normalize(in[0], 2, 1, 100)}; },
                  16,
                  16});
  rows.push_back({"torch.nn.functional.normalize(a - a, 3)",
                  {{3, 5}},
                  kFloating,
                  [](const In& in) { return Out{normalize(in[0] - in[0], 3)}; },
                  16,
                  16,
                  false});
  rows.push_back({call + ")", {{3, 5}}, {int64}, [](const In& in) { return Out{normalize(in[0])}; }});
  test::expect_as_torch(rows);
}

TEST(TorchSimilarity, ProductsOfBatches) {
  std::vector<TorchRow> rows;
  for (const auto& [input, a, b] :
       std::initializer_list<std::tuple<Sizes, Sizes, Sizes>>{{{2, 3, 5}, {2, 3, 4}, {2, 4, 5}},
                                                              {{5}, {2, 3, 4}, {2, 4, 5}},
                                                              {{3, 1}, {2, 3, 4}, {2, 4, 5}},
                                                              {{2, 3, 5}, {2, 3, 0}, {2, 0, 5}},
                                                              {{0, 3, 5}, {0, 3, 4}, {0, 4, 5}}}) {
    rows.push_back({"torch.baddbmm(a, b, c)",
                    {input, a, b},
                    kFloating,
                    [](const In& in) { return Out{baddbmm(in[0], in[1], in[2])}; },
                    16,
                    16});
    rows.push_back({"a.baddbmm(b, c, beta=0.5, alpha=2)",
                    {input, a, b},
                    kFloating,
                    [](const In& in) { return Out{in[0].baddbmm(in[1], in[2], 0.5, 2)}; },
                    32,
                    32});
  }
  if (default_device().is_cpu())
    rows.push_back({"torch.baddbmm(a, b, c, beta=2, alpha=3)",
                    {{2, 3, 5}, {2, 3, 4}, {2, 4, 5}},
                    {int64, int32, uint8},
                    [](const In& in) { return Out{baddbmm(in[0], in[1], in[2], 2, 3)}; }});
  rows.push_back({"torch.baddbmm(a, b, c)", {{2, 3, 5}, {2, 3, 4}, {3, 4, 5}}, kReal, [](const In& in) {
                    return Out{baddbmm(in[0], in[1], in[2])};
                  }});
  rows.push_back({"torch.baddbmm(a, b, c)", {{3, 5}, {3, 4}, {4, 5}}, kReal, [](const In& in) {
                    return Out{baddbmm(in[0], in[1], in[2])};
                  }});
  rows.push_back({"torch.baddbmm(a, b, c)", {{2, 2, 5}, {2, 3, 4}, {2, 4, 5}}, kReal, [](const In& in) {
                    return Out{baddbmm(in[0], in[1], in[2])};
                  }});
  rows.push_back(
      {"a.mm(b)", {{3, 4}, {4, 5}}, kFloating, [](const In& in) { return Out{in[0].mm(in[1])}; }, 16, 16});
  rows.push_back({"a.mm(b)", {{3, 4}, {4}}, kReal, [](const In& in) { return Out{in[0].mm(in[1])}; }});
  test::expect_as_torch(rows);
}

// PyTorch 1.13 multiplies memory that it has not written by 0.
TEST(Similarity, ABetaOf0IgnoresTheInput) {
  const Tensor a = test::uniform({2, 3, 4}, float32), b = test::uniform({2, 4, 5}, float32, 2);
  EXPECT_TRUE(baddbmm(full({5}, test::kNan), a, b, 0).equal(bmm(a, b)));
}

TEST(TorchSimilarity, ADimensionForAList) {
  std::vector<TorchRow> rows;
#define ROW(call, ...) \
  rows.push_back({"a." call, {{3, 5}}, kReal, [](const In& in) { return Out{__VA_ARGS__}; }, 16, 16})
  ROW("mean(0)", in[0].mean(0));
  ROW("mean(-1, True)", mean(in[0], -1, true));
  ROW("sum(1)", in[0].sum(1));
  ROW("sum(1, dtype=torch.float64)", sum(in[0], 1, false, float64));
  ROW("var(0)", in[0].var(0));
  ROW("std(1, unbiased=False)", std(in[0], 1, 0));
  ROW("amax(0)", in[0].amax(0));
  ROW("amin(1, True)", amin(in[0], 1, true));
  ROW("logsumexp(0)", in[0].logsumexp(0));
  ROW("all(1)", in[0].all(1));
  ROW("any(0)", any(in[0], 0));
  ROW("count_nonzero(0)", in[0].count_nonzero(0));
  ROW("mean(2)", in[0].mean(2));
#undef ROW
  test::expect_as_torch(rows);
}

}  // namespace
}  // namespace lectern
