// Order statistics, searches and sets, side by side with PyTorch's.
#include <gtest/gtest.h>

#include "ops/elementwise.h"
#include "ops/expect_error.h"
#include "ops/histogram.h"
#include "ops/quantile.h"
#include "ops/scan.h"
#include "ops/search.h"
#include "ops/sort.h"
#include "ops/tensors.h"
#include "ops/torch_reference.h"
#include "ops/unique.h"
#include "tensor/creation.h"

namespace lectern {
namespace {

using test::expect_error;
using test::In;
using test::kAll;
using test::kFloating;
using test::kReal;
using test::kWithGradients;
using test::Out;
using test::TorchRow;

const std::vector<Dtype> kOrdered = {float64, float32, bfloat16, int64, int32, int16, int8, uint8};

TEST(TorchOrder, Median) {
  std::vector<TorchRow> rows;
  // Where elements are repeated, not copied, PyTorch 1.13 reads beyond them.
  for (const Sizes& sizes : {Sizes{7}, Sizes{8}, Sizes{1}, Sizes{}, Sizes{3, 6}, Sizes{2, 5, 3}}) {
    rows.push_back({"a.contiguous().median()",
                    {sizes},
                    kOrdered,
                    [](const In& in) { return Out{in[0].median()}; },
                    0,
                    4});
    for (std::int64_t dim = 0; dim < std::max<std::int64_t>(1, static_cast<std::int64_t>(sizes.size()));
         ++dim) {
      const std::string arguments = "(" + std::to_string(dim);
      // Which of equal elements is the median PyTorch leaves open.
      rows.push_back({"a.contiguous().median" + arguments + ")[0]",
                      {sizes},
                      kOrdered,
                      [=](const In& in) { return Out{in[0].median(dim).values}; },
                      0,
                      0,
                      false});
      rows.push_back({"(a + 3 * torch.arange(" + std::to_string(checked_numel("", sizes)) +
                          ").reshape(a.shape).to(a.dtype)).median" + arguments + ", True)",
                      {sizes},
                      kReal,
                      [=](const In& in) {
                        const Tensor steps = arange(in[0].numel()).reshape(in[0].sizes()).to(in[0].dtype());
                        const auto [values, indices] = median(in[0] + 3 * steps, dim, true);
                        return Out{values, indices};
                      }});
    }
  }
  rows.push_back({"a.contiguous().median()",
                  {{0}},
                  kReal,
                  [](const In& in) { return Out{median(in[0])}; },
                  0,
                  0,
                  false});
  rows.push_back({"a.median(0)", {{0, 3}}, kReal, [](const In& in) { return Out{median(in[0], 0).values}; }});
  rows.push_back(
      {"a.contiguous().median()", {{4}}, {bool_}, [](const In& in) { return Out{median(in[0])}; }});
  rows.push_back({"a.median(1)", {{4}}, kReal, [](const In& in) { return Out{median(in[0], 1).values}; }});
  test::expect_as_torch(rows);
}

TEST(TorchOrder, Quantile) {
  std::vector<TorchRow> rows;
  const std::vector<std::string> ways = {"linear", "lower", "higher", "nearest", "midpoint"};
  for (const std::string& way : ways) {
    const std::string end = ", interpolation='" + way + "')";
    for (const double q : {0., 0.25, 0.5, 0.9, 1.}) {
      const std::string number = std::to_string(q);
      rows.push_back({"a.quantile(" + number + end,
                      {{9}},
                      kReal,
                      [=](const In& in) { return Out{in[0].quantile(q, {}, false, way)}; },
                      2,
                      2,
                      false});
      rows.push_back({"a.quantile(" + number + ", 1, True" + end,
                      {{3, 6, 2}},
                      kReal,
                      [=](const In& in) { return Out{quantile(in[0], q, 1, true, way)}; },
                      2,
                      2,
                      false});
    }
    rows.push_back({"a.quantile(torch.tensor([0.1, 0.5, 1.0]).to(a.dtype), 0" + end,
                    {{6, 3}},
                    kReal,
                    [=](const In& in) {
                      return Out{in[0].quantile(tensor({0.1, 0.5, 1.}).to(in[0].dtype()), 0, false, way)};
                    },
                    2,
                    2,
                    false});
  }
  test::expect_as_torch(rows);
}

TEST(TorchOrder, QuantileOfOtherArguments) {
  std::vector<TorchRow> rows;
  // Elements that differ: of equal ones PyTorch leaves open which has the gradient.
  rows.push_back({"(a + 3 * torch.arange(21).reshape(3, 7).to(a.dtype)).quantile(0.3, 1)",
                  {{3, 7}},
                  kReal,
                  [](const In& in) {
                    const Tensor steps = arange(21).reshape({3, 7}).to(in[0].dtype());
                    return Out{quantile(in[0] + 3 * steps, 0.3, 1)};
                  },
                  4,
                  4});
  rows.push_back({"a.quantile(torch.tensor([0.1, 0.5]).to(a.dtype), keepdim=True)",
                  {{3, 7}},
                  kReal,
                  [](const In& in) {
                    return Out{quantile(in[0], tensor({0.1, 0.5}).to(in[0].dtype()), {}, true)};
                  },
                  2,
                  2,
                  false});
  rows.push_back({"a.quantile(0.5)", {{}}, kReal, [](const In& in) { return Out{quantile(in[0], 0.5)}; }});
  rows.push_back({"a.quantile(0.5)", {{0}}, kReal, [](const In& in) { return Out{quantile(in[0], 0.5)}; }});
  rows.push_back({"a.quantile(1.5)", {{3}}, kReal, [](const In& in) { return Out{quantile(in[0], 1.5)}; }});
  rows.push_back({"a.quantile(0.5)", {{3}}, {int64}, [](const In& in) { return Out{quantile(in[0], 0.5)}; }});
  rows.push_back({"a.quantile(0.5, interpolation='cubic')", {{3}}, kReal, [](const In& in) {
                    return Out{quantile(in[0], 0.5, {}, false, "cubic")};
                  }});
  rows.push_back({"(a / (b > 0)).quantile(0.5, 1)",
                  {{3, 4}, {3, 1}},
                  kReal,
                  [](const In& in) { return Out{quantile(in[0] / (in[1] > 0), 0.5, 1)}; },
                  2,
                  2,
                  false});
  test::expect_as_torch(rows);
}

TEST(TorchOrder, Histc) {
  std::vector<TorchRow> rows;
  for (const Sizes& sizes : {Sizes{100}, Sizes{3, 7}, Sizes{}, Sizes{0}}) {
    rows.push_back({"a.histc(10, -1, 1)",
                    {sizes},
                    kReal,
                    [](const In& in) { return Out{in[0].histc(10, -1, 1)}; },
                    0,
                    0,
                    false});
    rows.push_back({"a.histc(7, -0.25, 0.5)",
                    {sizes},
                    kReal,
                    [](const In& in) { return Out{histc(in[0], 7, -0.25, 0.5)}; },
                    0,
                    0,
                    false});
    rows.push_back(
        {"a.histc(5)", {sizes}, kReal, [](const In& in) { return Out{histc(in[0], 5)}; }, 0, 0, false});
  }
  rows.push_back({"(a - a + 2).histc(3)",
                  {{5}},
                  kReal,
                  [](const In& in) { return Out{histc(in[0] - in[0] + 2, 3)}; },
                  0,
                  0,
                  false});
  rows.push_back({"a.histc(0)", {{5}}, kReal, [](const In& in) { return Out{histc(in[0], 0)}; }});
  rows.push_back({"a.histc(3, 2, 1)", {{5}}, kReal, [](const In& in) { return Out{histc(in[0], 3, 2, 1)}; }});
  rows.push_back({"(a / 0).histc(3)", {{5}}, kReal, [](const In& in) { return Out{histc(in[0] / 0, 3)}; }});
  rows.push_back({"a.histc(3)", {{5}}, {int64, bool_}, [](const In& in) { return Out{histc(in[0], 3)}; }});
  test::expect_as_torch(rows);
}

const std::vector<Dtype> kSearched = {float64, float32, float16, bfloat16,      int64,      int32,
                                      int16,   int8,    uint8,   float8_e4m3fn, float8_e5m2};

TEST(TorchOrder, Searchsorted) {
  std::vector<TorchRow> rows;
  for (const bool right : {false, true}) {
    const std::string end = std::string(", right=") + (right ? "True" : "False") + ")";
    for (const auto& [sorted, values] : std::initializer_list<std::pair<Sizes, Sizes>>{{{20}, {7}},
                                                                                       {{20}, {3, 4}},
                                                                                       {{20}, {}},
                                                                                       {{3, 9}, {3, 5}},
                                                                                       {{2, 3, 4}, {2, 3, 6}},
                                                                                       {{0}, {3}},
                                                                                       {{5}, {0}}}) {
      rows.push_back(
          {"torch.searchsorted(a.sort(-1)[0], b" + end,
           {sorted, values},
           kSearched,
           [=](const In& in) { return Out{searchsorted(sort(in[0]).values, in[1], false, right)}; },
           0,
           0,
           false});
    }
    rows.push_back({"torch.searchsorted(a.sort(-1)[0], b, out_int32=True" + end,
                    {{9}, {4}},
                    kReal,
                    [=](const In& in) { return Out{searchsorted(sort(in[0]).values, in[1], true, right)}; },
                    0,
                    0,
                    false});
    rows.push_back({"torch.searchsorted(a.sort(-1)[0], 1" + end,
                    {{30}},
                    {int64, int8, uint8, float32, float64},
                    [=](const In& in) { return Out{searchsorted(sort(in[0]).values, 1, false, right)}; },
                    0,
                    0,
                    false});
  }
  for (const auto& [elements, values] :
       std::initializer_list<std::pair<Sizes, Sizes>>{{{20}, {3, 4}}, {{3, 9}, {3, 5}}}) {
    rows.push_back(
        {"torch.searchsorted(a, b, sorter=a.argsort(-1))",
         {elements, values},
         kReal,
         [](const In& in) { return Out{searchsorted(in[0], in[1], false, false, {}, argsort(in[0]))}; },
         0,
         0,
         false});
  }
  for (const std::string side : {"left", "right", "middle"}) {
    for (const bool right : {false, true}) {
      rows.push_back(
          {"torch.searchsorted(a.sort(-1)[0], b, side='" + side + "', right=" + (right ? "True" : "False") +
               ")",
           {{20}, {7}},
           {int64, float64},
           [=](const In& in) { return Out{searchsorted(sort(in[0]).values, in[1], false, right, side)}; },
           0,
           0,
           false});
    }
  }
  rows.push_back({"torch.searchsorted(a, b, sorter=a[:2].argsort())", {{5}, {3}}, kReal, [](const In& in) {
                    return Out{searchsorted(in[0], in[1], false, false, {}, argsort(in[0].narrow(0, 0, 2)))};
                  }});
  rows.push_back({"torch.searchsorted(a, b)", {{2, 3}, {3, 3}}, kReal, [](const In& in) {
                    return Out{searchsorted(in[0], in[1])};
                  }});
  rows.push_back({"torch.searchsorted(a, b)", {{2, 3}, {3}}, kReal, [](const In& in) {
                    return Out{searchsorted(in[0], in[1])};
                  }});
  test::expect_as_torch(rows);
}

TEST(TorchOrder, Isin) {
  std::vector<TorchRow> rows;
  for (const bool invert : {false, true}) {
    const std::string end = std::string(", invert=") + (invert ? "True" : "False") + ")";
    for (const auto& [elements, tests] : std::initializer_list<std::pair<Sizes, Sizes>>{
             {{4, 5}, {3}}, {{70}, {2, 20}}, {{}, {3}}, {{3}, {0}}, {{0}, {2}}, {{5}, {}}}) {
      rows.push_back(
          {"torch.isin((a * 4).trunc() if a.is_floating_point() else a, (b * 4).trunc() if "
           "b.is_floating_point() else b" +
               end,
           {elements, tests},
           {float64, float32, int64, int32, int16, int8, uint8},
           [=](const In& in) {
             const auto whole = [](const Tensor& x) { return x.is_floating_point() ? trunc(x * 4) : x; };
             return Out{isin(whole(in[0]), whole(in[1]), false, invert)};
           },
           0,
           0,
           false});
    }
    rows.push_back({"torch.isin(a, 1" + end,
                    {{4, 5}},
                    {float64, int64, int8},
                    [=](const In& in) { return Out{isin(in[0], 1, false, invert)}; },
                    0,
                    0,
                    false});
  }
  test::expect_as_torch(rows);
}

TEST(TorchOrder, Logcumsumexp) {
  std::vector<TorchRow> rows;
  for (const auto& [sizes, dim] : std::initializer_list<std::pair<Sizes, std::int64_t>>{
           {{7}, 0}, {{3, 40}, 1}, {{30, 4}, 0}, {{2, 9, 3}, -2}, {{}, 0}, {{0, 3}, 0}, {{2, 3000}, 1}}) {
    const std::string arguments = "(" + std::to_string(dim) + ")";
    const std::int64_t along = dim;
    // Each term adds a rounding of the sum so far, in another order on a GPU.
    const double roundings = sizes == Sizes{2, 3000} ? 300 : 8;
    rows.push_back({"a.logcumsumexp" + arguments,
                    {sizes},
                    kFloating,
                    [=](const In& in) { return Out{in[0].logcumsumexp(along)}; },
                    8,
                    8});
    rows.push_back({"(a * 800).logcumsumexp" + arguments,
                    {sizes},
                    kReal,
                    [=](const In& in) { return Out{logcumsumexp(in[0] * 800, along)}; },
                    roundings,
                    8,
                    false});
  }
  rows.push_back({"torch.log(a - a).logcumsumexp(0)",
                  {{5}},
                  kReal,
                  [](const In& in) { return Out{logcumsumexp(log(in[0] - in[0]), 0)}; },
                  0,
                  0,
                  false});
  rows.push_back({"(a / 0).logcumsumexp(0)",
                  {{5}},
                  kReal,
                  [](const In& in) { return Out{logcumsumexp(in[0] / 0, 0)}; },
                  0,
                  0,
                  false});
  rows.push_back(
      {"a.logcumsumexp(0)", {{5}}, {int64, bool_}, [](const In& in) { return Out{logcumsumexp(in[0], 0)}; }});
  rows.push_back(
      {"a.logcumsumexp(1)", {{5}}, kReal, [](const In& in) { return Out{logcumsumexp(in[0], 1)}; }});
  test::expect_as_torch(rows);
}

TEST(Order, NanIsTheLargestAndItsOwn) {
  const double nan = test::kNan;
  const Tensor x = tensor({1., nan, 3., nan});
  EXPECT_EQ(median(x, 0).indices.item<std::int64_t>(), 1);
  EXPECT_TRUE(isnan(median(x)).item<bool>());
  EXPECT_TRUE(isnan(quantile(x, 0.)).item<bool>());
  EXPECT_TRUE(isin(x, x).equal(tensor({true, false, true, false})));
  EXPECT_TRUE(searchsorted(tensor({1., 2., 3.}), x).equal(tensor({0, 3, 2, 3})));
  const auto [values, inverse, counts] = unique(x, true, true, true);
  EXPECT_EQ(values.numel(), 4);
  EXPECT_TRUE(inverse.equal(tensor({0, 2, 1, 3})));
  EXPECT_TRUE(counts.equal(tensor({1, 1, 1, 1})));
  EXPECT_TRUE(histc(x, 2, 0, 4).equal(tensor({1., 1.})));
}

TEST(Order, ErrorsNameWhatIsWrong) {
  const Tensor x = ones({2, 3});
  expect_error([&] { median(x == 1); },
               "median: dtype must be a number's, not bool; convert with to() first");
  expect_error([&] { quantile(x, 2.); }, "quantile: q must be from 0 to 1, not 2.000000");
  expect_error([&] { quantile(x.to_half(), 0.5); },
               "quantile: the dtype must be float32 or float64; convert with to(), not float16");
  expect_error(
      [&] {
        searchsorted(x, ones({3, 3}));
      },
      "searchsorted: sorted must be of one dimension, or of those of the values, [3, 3], but for the last, "
      "not "
      "of shape [2, 3]");
  expect_error([&] { searchsorted(x, 1, false, true, "left"); },
               "searchsorted: side must be \"right\", as right is true, not \"left\"");
  expect_error([&] { histc(x, 0); }, "histc: bins must be more than 0, not 0");
  expect_error([&] { logcumsumexp(x.to_int(), 0); },
               "logcumsumexp: the dtype must be floating, not int64; convert with to()");
}

}  // namespace
}  // namespace lectern
