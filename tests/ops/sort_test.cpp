#include "ops/sort.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "ops/elementwise.h"
#include "ops/expect_error.h"
#include "ops/tensors.h"
#include "ops/torch_reference.h"
#include "tensor/creation.h"

namespace lectern {
namespace {

using test::expect_error;
using test::In;
using test::kEvery;
using test::kReal;
using test::number;
using test::Out;

// PyTorch computes topk of neither on a CPU.
const std::vector<Dtype> kTop = {float64, float32, float16, bfloat16,      int64,      int32,
                                 int16,   int8,    uint8,   float8_e4m3fn, float8_e5m2};

Out both(const ValuesAndIndices& result) {
  return {result.values, result.indices};
}

TEST(Sort, AsPyTorch) {
  const auto up = [](std::int64_t dim) {
    return [=](const In& in) { return both(sort(in[0], dim, false, true)); };
  };
  const auto down = [](std::int64_t dim) {
    return [=](const In& in) { return both(sort(in[0], dim, true, true)); };
  };
  // Which of equal elements is among the largest PyTorch leaves open: gradients where there are none.
  const auto apart = [](const Tensor& a) { return a + arange(40, {.dtype = float64}).to(a.dtype()) * 3; };
  test::expect_as_torch({
      {"(a + torch.arange(40).to(a.dtype) * 3).topk(5)",
       {{4, 40}},
       kReal,
       [=](const In& in) { return both(topk(apart(in[0]), 5)); }},
      {"(a + torch.arange(40).to(a.dtype) * 3).topk(3, largest=False)",
       {{4, 40}},
       kReal,
       [=](const In& in) { return both(topk(apart(in[0]), 3, -1, false)); }},
      {"a.sort(stable=True)", {{4, 30}}, kEvery, up(-1)},
      {"a.sort(stable=True)", {{3, 500}}, kEvery, up(-1)},
      {"a.sort(dim=0, stable=True)", {{60, 4}}, kEvery, up(0)},
      {"a.sort(dim=1, descending=True, stable=True)", {{2, 70, 3}}, kEvery, down(1)},
      {"a.sort(dim=1, descending=True, stable=True)", {{2, 7, 3}}, kEvery, down(1)},
      {"a.sort(stable=True)", {{0, 3}}, kEvery, up(-1)},
      {"a.sort(dim=0, stable=True)", {{0, 3}}, kEvery, up(0)},
      {"a.sort(stable=True)", {{}}, kEvery, up(-1)},
      {"a.sort(dim=2)", {{2, 3}}, kReal, up(2)},
      {"a.sort(dim=0, stable=True)[1]", {{50}}, kEvery, [](const In& in) { return Out{in[0].argsort(0)}; }},
      {"a.topk(5)[0]", {{4, 90}}, kTop, [](const In& in) { return Out{topk(in[0], 5).values}; }, 0, 0, false},
      {"a.topk(5, 0, largest=False)[0]",
       {{40, 3}},
       kTop,
       [](const In& in) { return Out{topk(in[0], 5, 0, false).values}; },
       0,
       0,
       false},
      {"a.topk(0)[0]", {{5, 8}}, kTop, [](const In& in) { return Out{topk(in[0], 0).values}; }},
      {"a.topk(9)", {{5, 8}}, kReal, [](const In& in) { return both(topk(in[0], 9)); }},
      {"a.topk(1)[0]", {{}}, kReal, [](const In& in) { return Out{topk(in[0], 1).values}; }},
  });
}

TEST(Sort, GradientsAsPyTorch) {
  test::expect_as_torch({
      {"(lambda x: torch.autograd.grad(x.sort(dim=0, stable=True)[0], x, b))(a.clone().requires_grad_())",
       {{9, 4}, {9, 4}},
       kReal,
       [](const In& in) { return Out{sort_backward(in[1], in[0].sizes(), 0, sort(in[0], 0).indices)}; }},
      {"(lambda x: torch.autograd.grad(x.contiguous().sort(dim=1, descending=True, stable=True)[0][:, :3], "
       "x, "
       "b))(a.clone().requires_grad_())",
       {{4, 9}, {4, 3}},
       kReal,
       [](const In& in) { return Out{sort_backward(in[1], in[0].sizes(), 1, topk(in[0], 3).indices)}; }},
  });
}

TEST(Sort, EveryDtypeIsInOrderAndStable) {
  for (const Dtype dtype : test::kAllDtypes) {
    for (const bool descending : {false, true}) {
      SCOPED_TRACE(std::string(name(dtype)) + (descending ? " descending" : ""));
      const Tensor x = test::filled({2, 700}, dtype);
      const auto [values, indices] = sort(x, 1, descending);
      for (std::int64_t row = 0; row < 2; ++row) {
        for (std::int64_t i = 0; i < 700; ++i) {
          const auto from = static_cast<std::int64_t>(number(indices, {row, i}));
          ASSERT_EQ(number(values, {row, i}), number(x, {row, from}));
          if (i == 0) continue;
          const double before = number(values, {row, i - 1}), here = number(values, {row, i});
          ASSERT_TRUE(descending ? before >= here : before <= here);
          if (before == here) {
            ASSERT_LT(number(indices, {row, i - 1}), from);
          }
        }
      }
    }
  }
}

TEST(Sort, NanIsLargestAndZerosAreEqual) {
  const double nan = std::nan(""), inf = std::numeric_limits<double>::infinity();
  for (const Dtype dtype : {float64, float32, float16, bfloat16, float8_e5m2}) {
    const Tensor x = tensor({nan, 1., -inf, 0., -0., inf, -nan, -1.}).to(dtype);
    EXPECT_TRUE(sort(x).indices.equal(tensor({2, 7, 3, 4, 1, 5, 0, 6}))) << name(dtype);
    EXPECT_TRUE(sort(x, 0, true).indices.equal(tensor({0, 6, 5, 1, 3, 4, 7, 2}))) << name(dtype);
    EXPECT_TRUE(topk(x, 3).indices.equal(tensor({0, 6, 5}))) << name(dtype);
  }
}

TEST(Sort, ExtremeIntegers) {
  const Tensor x =
      tensor({3, std::numeric_limits<std::int64_t>::min(), -1, std::numeric_limits<std::int64_t>::max(), 0});
  EXPECT_TRUE(sort(x).indices.equal(tensor({1, 2, 4, 0, 3})));
  EXPECT_TRUE(sort(tensor({127, -128, 5}).to(int8)).indices.equal(tensor({1, 2, 0})));
}

TEST(Sort, ErrorsNameTheArgument) {
  expect_error(
      [] {
        topk(zeros({2, 3}), 4);
      },
      "topk: k must be from 0 to the size of the dimension, 3, not 4");
  expect_error(
      [] {
        topk(zeros({2, 3}), -1);
      },
      "topk: k must be from 0 to the size of the dimension, 3, not -1");
  expect_error([] { sort(zeros({2, 3}), 2); }, "sort: dim must be from -2 to 1, not 2");
}

}  // namespace
}  // namespace lectern
