// Arithmetic on three tensors, side by side with PyTorch's.
#include <gtest/gtest.h>

#include "ops/expect_error.h"
#include "ops/ternary.h"
#include "ops/torch_reference.h"
#include "tensor/creation.h"

namespace lectern {
namespace {

using test::expect_error;
using test::In;
using test::kEvery;
using test::kFloating;
using test::kReal;
using test::Out;
using test::TorchRow;

TEST(TorchTernary, Lerp) {
  std::vector<TorchRow> rows;
  for (const auto& [a, b] : std::initializer_list<std::pair<Sizes, Sizes>>{
           {{3, 4}, {3, 4}}, {{2, 3, 4}, {3, 1}}, {{}, {}}, {{0, 3}, {3}}, {{700}, {700}}}) {
    for (const double weight : {0., 0.25, 0.75, 1., -1.5, 2.}) {
      rows.push_back({"torch.lerp(a, b, " + std::to_string(weight) + ")",
                      {a, b},
                      kFloating,
                      [=](const In& in) { return Out{lerp(in[0], in[1], weight)}; },
                      4,
                      4});
    }
    rows.push_back({"torch.lerp(a, b, c)",
                    {a, b, a},
                    kFloating,
                    [](const In& in) { return Out{lerp(in[0], in[1], in[2])}; },
                    4,
                    4});
  }
  rows.push_back({"a.lerp(b, c)",
                  {{3, 1}, {4}, {2, 1, 1}},
                  kFloating,
                  [](const In& in) { return Out{in[0].lerp(in[1], in[2])}; },
                  4,
                  4});
  rows.push_back({"a.clone().lerp_(b, c)",
                  {{3, 4}, {4}, {3, 1}},
                  kFloating,
                  [](const In& in) { return Out{in[0].clone().lerp_(in[1], in[2])}; },
                  4,
                  4});
  rows.push_back({"a.clone().lerp_(b, 0.25)",
                  {{3, 4}, {4}},
                  kFloating,
                  [](const In& in) { return Out{in[0].clone().lerp_(in[1], 0.25)}; },
                  4,
                  4});
  rows.push_back({"a.clone().lerp_(b, 0.25)", {{4}, {3, 4}}, kReal, [](const In& in) {
                    return Out{in[0].clone().lerp_(in[1], 0.25)};
                  }});
  rows.push_back({"torch.lerp(a, b, 0.5)", {{4}, {4}}, {int64}, [](const In& in) {
                    return Out{lerp(in[0], in[1], 0.5)};
                  }});
  rows.push_back({"torch.lerp(a, b.double(), 0.5)", {{4}, {4}}, {float32}, [](const In& in) {
                    return Out{lerp(in[0], in[1].to_double(), 0.5)};
                  }});
  test::expect_as_torch(rows);
}

/// One of the two functions, whose forms have the same arguments.
void compare_terms(const std::string& name,
                   Tensor (*function)(const Tensor&, const Tensor&, const Tensor&, const Scalar&),
                   Tensor (Tensor::*method)(const Tensor&, const Tensor&, const Scalar&) const,
                   const Tensor& (Tensor::*in_place)(const Tensor&, const Tensor&, const Scalar&) const) {
  std::vector<TorchRow> rows;
  for (const auto& [a, b, c] :
       std::initializer_list<std::tuple<Sizes, Sizes, Sizes>>{{{3, 4}, {3, 4}, {3, 4}},
                                                              {{4}, {3, 1}, {2, 1, 4}},
                                                              {{}, {}, {}},
                                                              {{0}, {0}, {1}},
                                                              {{300}, {300}, {300}}}) {
    rows.push_back({"torch." + name + "(a, b, c)",
                    {a, b, c},
                    kEvery,
                    [=](const In& in) { return Out{function(in[0], in[1], in[2], 1)}; },
                    4,
                    4});
    for (const double value : {-0.5, 2., 0.}) {
      rows.push_back({"torch." + name + "(a, b, c, value=" + std::to_string(value) + ")",
                      {a, b, c},
                      kFloating,
                      [=](const In& in) { return Out{(in[0].*method)(in[1], in[2], value)}; },
                      8,
                      8});
    }
  }
  rows.push_back({"torch." + name + "(a, b, c, value=3)",
                  {{3, 4}, {3, 4}, {3, 4}},
                  {int64, int8, uint8},
                  [=](const In& in) { return Out{function(in[0], in[1], in[2], 3)}; }});
  rows.push_back({"torch." + name + "(a, b, c.double())",
                  {{3, 4}, {3, 4}, {3, 4}},
                  {float32, int64},
                  [=](const In& in) { return Out{function(in[0], in[1], in[2].to_double(), 1)}; },
                  4,
                  4});
  rows.push_back({"a.clone()." + name + "_(b, c, value=0.5)",
                  {{3, 4}, {4}, {3, 1}},
                  kFloating,
                  [=](const In& in) { return Out{(in[0].clone().*in_place)(in[1], in[2], 0.5)}; },
                  8,
                  8});
  rows.push_back({"a.clone()." + name + "_(b, c)", {{4}, {3, 4}, {4}}, kReal, [=](const In& in) {
                    return Out{(in[0].clone().*in_place)(in[1], in[2], 1)};
                  }});
  rows.push_back({"a.clone()." + name + "_(b, c.double())", {{4}, {4}, {4}}, {int64}, [=](const In& in) {
                    return Out{(in[0].clone().*in_place)(in[1], in[2].to_double(), 1)};
                  }});
  test::expect_as_torch(rows);
}

TEST(TorchTernary, AddCMul) {
  compare_terms("addcmul", addcmul, &Tensor::addcmul, &Tensor::addcmul_);
}
TEST(TorchTernary, AddCDiv) {
  compare_terms("addcdiv", addcdiv, &Tensor::addcdiv, &Tensor::addcdiv_);
}

TEST(TorchTernary, InPlaceWithOneElement) {
  test::expect_as_torch({
      {"a.clone().addcmul_(b, c)",
       {{}, {}, {}},
       kFloating,
       [](const In& in) { return Out{in[0].clone().addcmul_(in[1], in[2])}; },
       4,
       4},
      {"a.clone().addcdiv_(b, c)",
       {{}, {}, {}},
       kFloating,
       [](const In& in) { return Out{in[0].clone().addcdiv_(in[1], in[2])}; },
       4,
       4},
  });
}

TEST(Ternary, ErrorsNameWhatIsWrong) {
  const Tensor x = ones({2}), whole = ones({2}, {.dtype = int64});
  expect_error([&] { lerp(x, whole, 0.5); },
               "lerp: the dtype of the end must be that of the start, float32; convert with to(), not int64");
  expect_error([&] { lerp(whole, whole, 0.5); },
               "lerp: the dtype must be floating, not int64; convert with to()");
  expect_error(
      [&] { addcdiv(x, whole, whole); },
      "addcdiv: the dtypes of tensor1 and tensor2 must be one of them floating; convert with to(), or divide "
      "with div(), not int64 and int64");
  expect_error(
      [&] {
        x.addcmul_(ones({3, 2}), x);
      },
      "addcmul_: the shape of the result, [3, 2], is not that of the tensor, [2]; in place only the other "
      "one is broadcast");
  expect_error([&] { addcmul(x, ones({3}), x); },
               test::error_of([&] { broadcast_sizes("addcmul", {2}, {3}); }));
}

TEST(Ternary, AnOperandMayBeTheTensorItself) {
  const Tensor x = tensor({1., 2, 3});
  x.addcmul_(x, x, 2);
  EXPECT_TRUE(x.equal(tensor({3., 10, 21})));
  x.lerp_(x, 0.5);
  EXPECT_TRUE(x.equal(tensor({3., 10, 21})));
}

}  // namespace
}  // namespace lectern
