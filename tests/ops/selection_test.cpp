#include "ops/selection.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "device/counters.h"
#include "ops/activations.h"
#include "ops/elementwise.h"
#include "ops/expect_error.h"
#include "ops/gradients_of.h"
#include "ops/tensors.h"
#include "ops/torch_reference.h"
#include "tensor/creation.h"

namespace lectern {
namespace {

using test::expect_error;
using test::In;
using test::kAll;
using test::kInfinity;
using test::number;
using test::Out;

TEST(Selection, OfEveryDtypeInEveryLayout) {
  for (const Dtype dtype : test::kAllDtypes) {
    for (const Sizes& sizes : std::initializer_list<Sizes>{{}, {0}, {8}, {5, 33}, {3, 1, 40}}) {
      const Tensor other = test::filled(sizes, dtype, 2);
      const Tensor third = test::filled(sizes, dtype, 3);
      for (const test::Laid& laid : test::layouts(sizes, dtype)) {
        SCOPED_TRACE(std::string(name(dtype)) + " " + to_string(sizes) + " " + laid.how);
        const Tensor& x = laid.tensor;
        const Tensor chosen = where(x > other, x, other);
        ASSERT_TRUE(test::same_bits(chosen.contiguous(), maximum(x, other).contiguous()));
        ASSERT_TRUE(test::same_bits(masked_fill(x, other > x, 1).contiguous(),
                                    where(other > x, full({}, 1, {.dtype = dtype}), x).contiguous()));
        if (dtype != bool_) {
          ASSERT_TRUE(test::same_bits(clamp(x, other, third).contiguous(),
                                      minimum(maximum(x, other), third).contiguous()));
        }
        if (laid.how.starts_with("expanded")) continue;
        const Tensor filled = masked_fill(x, other > x, 1);
        EXPECT_TRUE(x.masked_fill_(other > x, 1).is_same(x));
        ASSERT_TRUE(test::same_bits(x.contiguous(), filled.contiguous()));
        if (dtype == bool_) continue;
        const Tensor clamped = clamp(x, other, third);
        EXPECT_TRUE(x.clamp_(other, third).is_same(x));
        ASSERT_TRUE(test::same_bits(x.contiguous(), clamped.contiguous()));
      }
    }
  }
}

TEST(Selection, LargeTensors) {
  const Tensor x = arange(2'100'000, {.dtype = float32}).view({2100, 1000});
  const Tensor even = x.to(int64).remainder(2) == 0;
  const Tensor chosen = where(even, x, -x.t().reshape({2100, 1000}));
  EXPECT_EQ(number(chosen, {1, 6}), 1006);
  EXPECT_EQ(number(chosen, {0, 1}), -1000);
  EXPECT_EQ(number(where(even, x[7], -1), {2000, 2}), 7002);
  EXPECT_EQ(number(clamp(x, 10, 1'000'000).max(), {}), 1'000'000);
}

TEST(Selection, BoundsOfClamp) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const Tensor x = tensor({-3., 0.5, 4});
  EXPECT_EQ(number(x.clamp(0), {0}), 0);
  EXPECT_EQ(number(x.clamp({}, 1), {2}), 1);
  EXPECT_EQ(number(x.clamp(3, 1), {1}), 1);
  EXPECT_EQ(number(clamp(x, tensor({-5., 1, 1}), tensor({0., 2, 3})), {1}), 1);
  EXPECT_EQ(number(clamp(x, tensor({{-1.}, {1}})), {1, 0}), 1);
  EXPECT_TRUE(std::isnan(number(clamp(x, nan, 1), {0})));
  EXPECT_EQ(number(x.clone().clamp_({}, 0), {2}), 0);
  EXPECT_EQ(clamp(tensor({1, 2}), 0, 1.5).dtype(), float32);
  EXPECT_EQ(clamp(tensor({true, false}), 0, 2).dtype(), int64);
}

TEST(Selection, Errors) {
  const Tensor x = zeros({2, 3});
  const Tensor n = zeros({2}, {.dtype = int64});
  const Tensor mask = zeros({2, 3}, {.dtype = bool_});
  expect_error([&] { where(x, x, x); }, "where: dtype of condition must be bool, not float32");
  expect_error([&] { where(mask, zeros({4}), 1); },
               "where: shapes [2, 3] and [4] cannot be broadcast: sizes 3 and 4 differ, and neither is 1");
  expect_error([&] { clamp(x, std::optional<Scalar>()); },
               "clamp: both min and max are absent; give one of them");
  expect_error([&] { clamp(mask, false, true); },
               "clamp: dtype must be a number's, not bool; convert with to() first");
  expect_error([&] { n.clamp_(0.5, 2); },
               "clamp_: the result type float32 can't be cast to the type of the tensor, int64");
  expect_error([&] { masked_fill(x, n, 1); }, "masked_fill: dtype of mask must be bool, not int64");
  expect_error([&] { x.masked_fill_(mask, zeros({1})); },
               "masked_fill_: value must be a number or a tensor of no dimensions, not of shape [1]");
  expect_error([&] { masked_fill(zeros({2}, {.dtype = uint8}), mask[0].narrow(0, 0, 2), 300); },
               "masked_fill: value must be in the range of uint8, not 300");
  expect_error([&] { zeros({3}).masked_fill_(mask, 1); },
               "masked_fill_: the shape of the result, [2, 3], is not that of the tensor, [3]; in place only "
               "the other one "
               "is broadcast");
  expect_error(
      [&] {
        zeros({3}).expand({2, 3}).masked_fill_(mask, 1);
      },
      "masked_fill_: several elements of the written tensor share a memory location: shape [2, "
      "3] with "
      "strides [0, 1]; clone() it first");
  expect_error([&] { gelu(x, "erf"); }, "gelu: approximate must be \"none\" or \"tanh\", not \"erf\"");
  expect_error([&] { swiglu(x); }, "swiglu: last dimension must be of an even size, not [2, 3]");
}

TEST(Selection, CountsOperationsAndBytes) {
  const Tensor x = ones({10}), mask = x > 0;
  const CountScope scope;
  (void)where(mask, x, 1);
  EXPECT_EQ(scope.counted(), (Counters{10, 10 + 40 + 40}));
  (void)clamp(x, 0, 1);
  EXPECT_EQ(scope.counted(), (Counters{20, 90 + 80}));
}

TEST(Selection, AFailedOperationChangesNothing) {
  const Tensor x = ones({2});
  const std::uint64_t version = x.storage().version();
  EXPECT_THROW(x.masked_fill_(ones({3}, {.dtype = bool_}), 0), TensorError);
  EXPECT_THROW(x.clamp_(zeros({3}), ones({3})), TensorError);
  EXPECT_EQ(x.storage().version(), version);
  x.masked_fill_(x > 0, 5).clamp_(0, 4);
  EXPECT_EQ(x.storage().version(), version + 2);
  EXPECT_EQ(number(x, {1}), 4);
}

const std::vector<Dtype> kNumbers = {float64, float32, float16, bfloat16, int64, int32, int16, int8, uint8};

TEST(Selection, IsThatOfPyTorch) {
  std::vector<test::TorchRow> rows;
  const auto add_row = [&](const std::string& expression, const std::vector<Sizes>& shapes,
                           const test::Operation& operation, const std::vector<Dtype>& dtypes = kAll) {
    rows.push_back({expression, shapes, dtypes, operation});
  };
  add_row("torch.where(c > 0, a, b)", {{4, 33}, {4, 33}, {4, 33}},
          [](const In& in) { return Out{where(in[2] > 0, in[0], in[1])}; });
  add_row("torch.where(c > 0, a, b)", {{4, 1, 5}, {3, 5}, {5}},
          [](const In& in) { return Out{where(in[2] > 0, in[0], in[1])}; });
  add_row("torch.where(c > 0, a, b)", {{}, {7}, {2, 1}},
          [](const In& in) { return Out{where(in[2] > 0, in[0], in[1])}; });
  for (const Dtype other : {float64, float32, bfloat16, int64, uint8, bool_}) {
    const std::string b = "b.to(torch." + std::string(name(other)) + ")";
    add_row("torch.where(a > 0, a, " + b + ")", {{9}, {9}},
            [=](const In& in) { return Out{where(in[0] > 0, in[0], in[1].to(other))}; });
    add_row("torch.where(a > 0, a, " + b + ")", {{9}, {}},
            [=](const In& in) { return Out{where(in[0] > 0, in[0], in[1].to(other))}; });
    add_row(
        std::string("torch.clamp(a, -1 * ").append(b).append(", ").append(b).append(")"), {{9}, {9}},
        [=](const In& in) { return Out{clamp(in[0], -1 * in[1].to(other), in[1].to(other))}; }, kNumbers);
  }
  add_row("torch.where(a > 0, a, 2)", {{9}}, [](const In& in) { return Out{where(in[0] > 0, in[0], 2)}; });
  add_row("torch.where(a > 0, 0.5, a)", {{9}},
          [](const In& in) { return Out{where(in[0] > 0, 0.5, in[0])}; });
  add_row("torch.where(a > 0, 1, 2)", {{9}}, [](const In& in) { return Out{where(in[0] > 0, 1, 2)}; });
  add_row("torch.where(a > 0, 1.5, True)", {{9}},
          [](const In& in) { return Out{where(in[0] > 0, 1.5, true)}; });
  add_row("a.where(b > 0, b)", {{9}, {9}}, [](const In& in) { return Out{in[0].where(in[1] > 0, in[1])}; });
  add_row(
      "a.clamp(0, 1)", {{9, 9}}, [](const In& in) { return Out{in[0].clamp(0, 1)}; }, kNumbers);
  add_row(
      "a.clamp(-0.5, 0.25)", {{9, 9}}, [](const In& in) { return Out{in[0].clamp(-0.5, 0.25)}; }, kNumbers);
  add_row(
      "a.clamp(min=1)", {{9, 9}}, [](const In& in) { return Out{in[0].clamp(1)}; }, kNumbers);
  add_row(
      "a.clamp(max=0.5)", {{9, 9}}, [](const In& in) { return Out{in[0].clamp({}, 0.5)}; }, kNumbers);
  add_row(
      "a.clamp_(0.5, 1)", {{9, 9}}, [](const In& in) { return Out{in[0].clamp_(0.5, 1)}; }, kNumbers);
  add_row("a.masked_fill(b > 0, 2)", {{9, 9}, {9}},
          [](const In& in) { return Out{in[0].masked_fill(in[1] > 0, 2)}; });
  add_row("a.masked_fill(b > 0, 1.5)", {{9}, {9, 9}},
          [](const In& in) { return Out{in[0].masked_fill(in[1] > 0, 1.5)}; });
  add_row("a.masked_fill(b > 0, -100)", {{9}, {9}},
          [](const In& in) { return Out{in[0].masked_fill(in[1] > 0, -100)}; });
  add_row("a.masked_fill(b > 0, 70000)", {{9}, {9}},
          [](const In& in) { return Out{in[0].masked_fill(in[1] > 0, 70000)}; });
  add_row("a.masked_fill(b > 0, c)", {{9}, {9}, {}},
          [](const In& in) { return Out{in[0].masked_fill(in[1] > 0, in[2])}; });
  add_row("a.masked_fill(b > 0, c)", {{9}, {9}, {1}},
          [](const In& in) { return Out{in[0].masked_fill(in[1] > 0, in[2])}; });
  add_row("a.clone().masked_fill_(b > 0, 3)", {{9}, {9, 9}},
          [](const In& in) { return Out{in[0].clone().masked_fill_(in[1] > 0, 3)}; });
  add_row("a.clone().masked_fill_(b > 0, 3)", {{4, 9}, {9}},
          [](const In& in) { return Out{in[0].clone().masked_fill_(in[1] > 0, 3)}; });
  // NaN and infinities, where b is 0.
  const auto quotient = [](const In& in) { return round(8 * in[0]) / round(in[1]); };
  const std::string of_quotient = "(torch.round(8 * a) / torch.round(b)).nan_to_num";
  const std::vector<Sizes> shapes = {{90}, {90}};
  add_row(
      of_quotient + "()", shapes, [=](const In& in) { return Out{nan_to_num(quotient(in))}; }, test::kReal);
  add_row(
      of_quotient + "(1.5, neginf=-7)", shapes,
      [=](const In& in) { return Out{quotient(in).nan_to_num(1.5, {}, -7)}; }, test::kReal);
  add_row(
      of_quotient + "_(inf, -inf, 3)", shapes,
      [=](const In& in) { return Out{quotient(in).nan_to_num_(kInfinity, -kInfinity, 3)}; }, test::kReal);
  add_row(
      of_quotient + "(1e6, 1e300, -1e6)", shapes,
      [=](const In& in) { return Out{quotient(in).nan_to_num(1e6, 1e300, -1e6)}; }, test::kWithGradients);
  add_row("a.nan_to_num(2.5)", {{9}}, [](const In& in) { return Out{in[0].nan_to_num(2.5)}; });
  test::expect_as_torch(rows);
}

TEST(Selection, GradientsOfClampAreThoseOfPyTorch) {
  const auto gradient_of = [](const std::string& leaves) {
    return "[x := torch.round(2 * a).requires_grad_(), low := torch.round(b).requires_grad_(), "
           "high := torch.round(c).requires_grad_(), torch.autograd.grad(torch.clamp(x, " +
           leaves + ", a)][-1]";
  };
  const std::vector<Sizes> shapes = {{4, 40}, {4, 40}, {4, 40}};
  test::expect_as_torch({
      {gradient_of("low, high), [x, low, high]"),
       shapes,
       {float64, float32},
       [](const In& in) {
         const Tensor x = round(2 * in[0]), low = round(in[1]), high = round(in[2]);
         return test::gradients_of(
             [](const In& bounded) { return clamp(bounded[0], bounded[1], bounded[2]); }, {x, low, high},
             in[0]);
       }},
      {gradient_of("-1, 1), [x]"),
       shapes,
       {float64, float32},
       [](const In& in) {
         return Out{
             test::gradient_of([](const Tensor& x) { return clamp(x, -1, 1); }, round(2 * in[0]), in[0])};
       }},
  });
}

}  // namespace
}  // namespace lectern
