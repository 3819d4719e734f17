#include <algorithm>

#include <gtest/gtest.h>

#include "ops/compare.h"
#include "ops/extremum.h"
#include "ops/matmul.h"
#include "ops/reductions.h"
#include "ops/torch_reference.h"
#include "ops/triangle.h"
#include "tensor/creation.h"

// A row for each operation and situation; a new operation adds its rows here.

namespace lectern {
namespace {

using test::In;
using test::kAll;
using test::kEvery;
using test::kReal;
using test::Out;
const std::vector<Dtype> kNarrow = {float16, bfloat16};
const std::vector<Dtype> kWide = {float64, float32, int64, int32, int16, int8, uint8, bool_};
const std::vector<Dtype> kIntegers = {int64, int32, int16, int8, uint8};
const std::vector<Dtype> kNoBool = {float64, float32, int64, int32, int16, int8, uint8};

Out pair(const ValuesAndIndices& both) {
  return {both.values, both.indices};
}

/// Results that are sums of `terms` numbers from -1 to 1 may differ by a few roundings for each. In narrow
/// dtypes PyTorch also rounds what it has of a sum over several dimensions after each of them.
void add_sums(std::vector<test::TorchRow>& rows, const std::string& expression, const Sizes& sizes,
              double terms, const test::Operation& operation) {
  rows.push_back({expression, {sizes}, kWide, operation, 2, 10 * terms});
  rows.push_back({expression, {sizes}, kNarrow, operation, 2, std::min(32., 10 * terms)});
  if (expression.find("dtype") == std::string::npos)
    rows.push_back({expression, {sizes}, test::kFloat8, operation, 1});
}

TEST(Torch, Sums) {
  std::vector<test::TorchRow> rows;
  const auto add = [&](const std::string& expression, const Sizes& sizes, double terms,
                       const test::Operation& operation) {
    add_sums(rows, expression, sizes, terms, operation);
  };
  const Sizes two_dims = {0, -1};
  add("a.sum()", {}, 1, [](const In& in) { return Out{in[0].sum()}; });
  add("a.sum()", {5, 7}, 35, [](const In& in) { return Out{in[0].sum()}; });
  add("a.sum(0)", {40, 30}, 40, [](const In& in) { return Out{in[0].sum({0})}; });
  add("a.sum(1)", {40, 30}, 30, [](const In& in) { return Out{in[0].sum({1})}; });
  add("a.sum((0, -1), keepdim=True)", {4, 5, 6}, 24,
      [=](const In& in) { return Out{in[0].sum(two_dims, true)}; });
  add("a.sum((), keepdim=True)", {4, 5}, 20, [](const In& in) { return Out{in[0].sum({}, true)}; });
  add("a.sum(0)", {0, 3}, 0, [](const In& in) { return Out{in[0].sum({0})}; });
  add("a.sum(dtype=torch.float64)", {9, 9}, 81, [](const In& in) { return Out{in[0].sum(float64)}; });
  add("a.sum(2)", {3, 3}, 0, [](const In& in) { return Out{in[0].sum({2})}; });
  add("a.sum((0, -1))", {3}, 0, [=](const In& in) { return Out{in[0].sum(two_dims)}; });
  add("a.mean()", {33, 7}, 1, [](const In& in) { return Out{in[0].mean()}; });
  add("a.mean(1)", {3, 70, 2}, 1, [](const In& in) { return Out{in[0].mean({1})}; });
  add("a.mean(0)", {0, 2}, 0, [](const In& in) { return Out{in[0].mean({0})}; });
  add("a.mean(dtype=torch.float32)", {9}, 1, [](const In& in) { return Out{in[0].mean(float32)}; });
  // PyTorch fails at asking for the gradient of a sum of bool.
  rows.push_back({"a.sum(dtype=torch.bool)",
                  {{2, 2}},
                  kAll,
                  [](const In& in) { return Out{in[0].sum(bool_)}; },
                  0,
                  0,
                  false});
  rows.push_back({"a.sum()", {{70, 300}}, kReal, [](const In& in) { return Out{in[0].sum()}; }, 2, 210'000});
  rows.push_back(
      {"a.sum(dtype=torch.int8)", {{90}}, kIntegers, [](const In& in) { return Out{in[0].sum(int8)}; }});
  test::expect_as_torch(rows);
}

TEST(Torch, Extrema) {
  const Sizes two_dims = {0, 2};
  test::expect_as_torch({
      {"a.max()", {{13, 31}}, kEvery, [](const In& in) { return Out{in[0].max()}; }},
      {"a.min()", {{13, 31}}, kEvery, [](const In& in) { return Out{in[0].min()}; }},
      {"a.max()", {{0}}, kEvery, [](const In& in) { return Out{in[0].max()}; }},
      {"a.amax((0, 2))", {{3, 4, 50}}, kEvery, [=](const In& in) { return Out{amax(in[0], two_dims)}; }},
      {"a.amin((), keepdim=True)", {{3, 4}}, kEvery, [](const In& in) { return Out{amin(in[0], {}, true)}; }},
      {"a.max(1)", {{30, 40}}, kEvery, [](const In& in) { return pair(max(in[0], 1)); }},
      {"a.max(0, keepdim=True)", {{30, 40}}, kEvery, [](const In& in) { return pair(max(in[0], 0, true)); }},
      {"a.min(-2)", {{3, 30, 4}}, kEvery, [](const In& in) { return pair(min(in[0], -2)); }},
      {"a.min(0)", {{}}, kEvery, [](const In& in) { return pair(min(in[0], 0)); }},
      {"a.max(0)", {{0, 3}}, kReal, [](const In& in) { return pair(max(in[0], 0)); }},
      {"a.max(1)", {{0, 3}}, kReal, [](const In& in) { return pair(max(in[0], 1)); }},
  });
}

TEST(Torch, Matrices) {
  const auto product = [](const In& in) { return Out{matmul(in[0], in[1])}; };
  const auto& dtypes = default_device().is_cuda() ? kReal : kNoBool;  // no product of integers on a GPU
  std::vector<test::TorchRow> rows;
  for (const std::vector<Sizes>& shapes : std::initializer_list<std::vector<Sizes>>{
           {{5}, {5}},
           {{4, 5}, {5}},
           {{5}, {5, 6}},
           {{4, 5}, {5, 6}},
           {{3, 4, 5}, {5}},
           {{5}, {3, 5, 6}},
           {{3, 4, 5}, {5, 6}},
           {{4, 5}, {3, 5, 6}},
           {{3, 4, 5}, {3, 5, 6}},
           {{2, 1, 4, 5}, {3, 5, 6}},
           {{1, 4, 5}, {2, 3, 5, 6}},
           {{2, 0}, {0, 3}},
           {{0, 2}, {2, 3}},
           {{0, 2, 4}, {4, 3}},
           {{4, 5}, {4, 6}},
           {{5}, {4}},
           {{}, {4}},
           {{2, 3, 4}, {3, 4, 5}},
           {{40, 70}, {70, 90}},
       }) {
    const double inner = shapes[0].empty() ? 0 : static_cast<double>(shapes[0].back());
    rows.push_back({"a @ b", shapes, dtypes, product, 2, 10 * inner});
  }
  rows.push_back({"a @ b", {{2, 2}, {2, 2}}, {bool_}, product});
  rows.push_back(
      {"torch.mm(a, b)", {{2, 3}, {3}}, kReal, [](const In& in) { return Out{mm(in[0], in[1])}; }});
  rows.push_back({"torch.bmm(a, b)",
                  {{2, 3, 4}, {2, 4, 3}},
                  kReal,
                  [](const In& in) { return Out{bmm(in[0], in[1])}; },
                  4,
                  40});
  rows.push_back({"torch.bmm(a, b)",
                  {{2, 3, 4}, {1, 4, 3}},
                  kReal,
                  [](const In& in) { return Out{bmm(in[0], in[1])}; },
                  4,
                  40});
  for (const std::int64_t diagonal : {0, 2, -1, 9, -9}) {
    for (const Sizes& sizes : std::initializer_list<Sizes>{{4, 4}, {3, 5}, {5, 3}, {2, 3, 4}, {0, 3}, {3}}) {
      const std::string argument = "(" + std::to_string(diagonal) + ")";
      rows.push_back(
          {"a.triu" + argument, {sizes}, kEvery, [=](const In& in) { return Out{in[0].triu(diagonal)}; }});
      rows.push_back(
          {"a.tril" + argument, {sizes}, kEvery, [=](const In& in) { return Out{in[0].tril(diagonal)}; }});
    }
  }
  for (const Sizes& sizes : std::initializer_list<Sizes>{{4, 4}, {6, 3}, {3, 6}, {3, 3, 3}, {2, 3, 4}, {3}}) {
    rows.push_back({"a.clone().fill_diagonal_(2)", {sizes}, kNoBool, [](const In& in) {
                      return Out{in[0].clone().fill_diagonal_(2)};
                    }});
  }
  test::expect_as_torch(rows);
}

TEST(Torch, Comparisons) {
  const auto truth = [](bool value) { return Out{tensor(value)}; };
  test::expect_as_torch({
      {"torch.equal(a, b)", {{3, 4}, {3, 4}}, kAll, [=](const In& in) { return truth(equal(in[0], in[1])); }},
      {"torch.equal(a, a.clone())",
       {{3, 4}},
       kAll,
       [=](const In& in) { return truth(equal(in[0], in[0].clone())); }},
      {"torch.equal(a, b)", {{3}, {1}}, kAll, [=](const In& in) { return truth(equal(in[0], in[1])); }},
      {"torch.isclose(a, b, 0.5, 0.25)",
       {{9, 9}, {9, 9}},
       kReal,
       [](const In& in) { return Out{isclose(in[0], in[1], 0.5, 0.25)}; }},
      {"torch.isclose(a, b, 0.25, 0.5)",
       {{9, 9}, {9}},
       {int64, int32, int16, int8, bool_},
       [](const In& in) { return Out{isclose(in[0], in[1], 0.25, 0.5)}; }},
      {"torch.isclose(a / 0, b / 0, equal_nan=True)",
       {{9, 9}, {9}},
       {int64},
       [](const In& in) { return Out{isclose(in[0].div(0), in[1].div(0), 1e-5, 1e-8, true)}; }},
      {"torch.allclose(a, b, 0, 3)",
       {{5}, {5}},
       kReal,
       [=](const In& in) { return truth(allclose(in[0], in[1], 0, 3)); }},
      {"torch.allclose(a, b.to(torch.int64))",
       {{2}, {2}},
       kReal,
       [=](const In& in) { return truth(allclose(in[0], in[1].to(int64))); }},
      {"torch.allclose(a, b, -1)",
       {{2}, {2}},
       kReal,
       [=](const In& in) { return truth(allclose(in[0], in[1], -1)); }},
  });
}

}  // namespace
}  // namespace lectern
