#include <cmath>
#include <string>

#include <gtest/gtest.h>

#include "ops/activations.h"
#include "ops/elementwise.h"
#include "ops/tensors.h"
#include "ops/torch_reference.h"
#include "tensor/creation.h"

// The elementwise operations side by side with PyTorch's; the last figures are tolerances in units of the
// dtype's epsilon.

namespace lectern {
namespace {

using test::In;
using test::kAll;
using test::kEvery;
using test::kInfinity;
using test::kReal;
using test::Out;

test::TorchRow unary(const std::string& expression, const std::vector<Dtype>& dtypes,
                     Tensor (*function)(const Tensor&), double rtol = 0) {
  return {expression, {{3, 40}}, dtypes, [=](const In& in) { return Out{function(in[0])}; }, rtol};
}

TEST(Torch, UnaryOperations) {
  test::expect_as_torch({
      unary("torch.abs(a)", kEvery, &abs),
      unary("-a", kEvery, &neg),
      unary("torch.square(a)", kEvery, &square),
      unary("torch.sqrt(a)", kEvery, &sqrt),
      unary("torch.rsqrt(a)", kEvery, &rsqrt, 1),
      unary("torch.exp(a)", kEvery, &exp, 2),
      unary("torch.log(a)", kEvery, &log, 2),
  });
}

using BinaryFunction = Tensor (*)(const Tensor&, const Tensor&);

TEST(Torch, BinaryOperations) {
  std::vector<test::TorchRow> rows;
  const auto add_rows = [&](const std::string& expression, BinaryFunction function, double rtol = 0) {
    const auto operation = [=](const In& in) { return Out{function(in[0], in[1])}; };
    for (const auto& shapes :
         std::initializer_list<std::vector<Sizes>>{{{4, 33}, {4, 33}}, {{4, 1, 5}, {3, 5}}, {{6}, {}}}) {
      rows.push_back({expression, shapes, kEvery, operation, rtol});
    }
    rows.push_back({expression, {{2, 3}, {4}}, {float32}, operation});
    // Of other dtypes with each other.
    for (const std::string dtype :
         {"float64", "float32", "float16", "bfloat16", "int64", "int8", "uint8", "bool"}) {
      const Dtype to = dtype_from_name(dtype).value();
      const std::string other = "b.to(torch." + dtype + ")";
      std::string mixed = expression;
      mixed.replace(mixed.find('b', mixed.find("a") + 1), 1, other);
      // PyTorch computes parts of the gradients of powers in the narrower of two dtypes.
      for (const Sizes& sizes : std::initializer_list<Sizes>{{7}, {}}) {
        rows.push_back({mixed,
                        {{7}, sizes},
                        kAll,
                        [=](const In& in) { return Out{function(in[0], in[1].to(to))}; },
                        rtol,
                        0,
                        rtol == 0});
      }
    }
  };
  add_rows("a + b", static_cast<BinaryFunction>(&add));
  add_rows("a - b", static_cast<BinaryFunction>(&sub));
  add_rows("a * b", static_cast<BinaryFunction>(&mul));
  add_rows("a / b", static_cast<BinaryFunction>(&div));
  add_rows("a ** b", static_cast<BinaryFunction>(&pow), 2);
  add_rows("a == b", static_cast<BinaryFunction>(&eq));
  add_rows("a != b", static_cast<BinaryFunction>(&ne));
  add_rows("a < b", static_cast<BinaryFunction>(&lt));
  add_rows("a <= b", static_cast<BinaryFunction>(&le));
  add_rows("a > b", static_cast<BinaryFunction>(&gt));
  add_rows("a >= b", static_cast<BinaryFunction>(&ge));
  add_rows("torch.maximum(a, b)", static_cast<BinaryFunction>(&maximum));
  add_rows("torch.minimum(a, b)", static_cast<BinaryFunction>(&minimum));
  test::expect_as_torch(rows);
}

TEST(Torch, OperationsWithANumber) {
  std::vector<test::TorchRow> rows;
  const auto add_row = [&](const std::string& expression,
                           const std::function<Tensor(const Tensor&)>& function, double rtol = 0) {
    // Neither differentiates a floor_divide.
    const bool gradients = expression.find("//") == std::string::npos;
    rows.push_back(
        {expression, {{3, 9}}, kAll, [=](const In& in) { return Out{function(in[0])}; }, rtol, 0, gradients});
  };
  add_row("a + 2", [](const Tensor& a) { return a + 2; });
  add_row("a + 300", [](const Tensor& a) { return a + 300; });
  add_row("a + 0.3", [](const Tensor& a) { return a + 0.3; });
  add_row("a + True", [](const Tensor& a) { return a + true; });
  add_row("1 - a", [](const Tensor& a) { return 1 - a; });
  add_row("a - 0.7", [](const Tensor& a) { return a - 0.7; });
  add_row("a * 0.3", [](const Tensor& a) { return a * 0.3; });
  add_row("a * 3", [](const Tensor& a) { return a * 3; });
  // PyTorch multiplies by the reciprocal of a number.
  add_row("a / 2", [](const Tensor& a) { return a / 2; });
  add_row(
      "a / 0.7", [](const Tensor& a) { return a / 0.7; }, 1);
  add_row(
      "2 / a", [](const Tensor& a) { return 2 / a; }, 1);
  add_row("a == 1", [](const Tensor& a) { return a == 1; });
  add_row("a < 0.3", [](const Tensor& a) { return a < 0.3; });
  add_row("a >= -1", [](const Tensor& a) { return a >= -1; });
  add_row(
      "a ** 3", [](const Tensor& a) { return pow(a, 3); }, 2);
  add_row("a ** 2", [](const Tensor& a) { return pow(a, 2); });
  add_row(
      "a ** 1.75", [](const Tensor& a) { return pow(a, 1.75); }, 2);
  add_row(
      "a ** -1", [](const Tensor& a) { return pow(a, -1); }, 1);
  add_row(
      "2 ** a", [](const Tensor& a) { return pow(2, a); }, 2);
  add_row("a.clone().add_(1.5)", [](const Tensor& a) { return a.clone().add_(1.5); });
  add_row("a.clone().mul_(2)", [](const Tensor& a) { return a.clone().mul_(2); });
  add_row("a.clone().eq_(1)", [](const Tensor& a) { return a.clone().eq_(1); });
  add_row("a.add_(1)", [](const Tensor& a) { return a.add_(1); });
  add_row("a % 3", [](const Tensor& a) { return a % 3; });
  add_row("a // -2", [](const Tensor& a) { return floor_divide(a, -2); });
  add_row("7 // (a + 9)", [](const Tensor& a) { return floor_divide(7, a + 9); });
  add_row("a & 3", [](const Tensor& a) { return a & 3; });
  add_row("a ^ True", [](const Tensor& a) { return a ^ true; });
  add_row("a << 2", [](const Tensor& a) { return a << 2; });
  add_row("a // 0", [](const Tensor& a) { return floor_divide(a, 0); });
  for (const double exponent : {0.5, -0.5, 2.}) {
    rows.push_back({"torch.tensor([-inf, inf, -0., 0., -1., 4.]).to(a) ** " + std::to_string(exponent),
                    {{}},
                    {float64, float32, float16, bfloat16},
                    [=](const In& in) {
                      const Tensor x = tensor({-kInfinity, kInfinity, -0., 0., -1., 4.});
                      return Out{pow(x.to(in[0].device(), in[0].dtype()), exponent)};
                    }});
  }
  add_row("a.fill_(2.6)", [](const Tensor& a) { return a.fill_(2.6); });
  for (const double value : {-0.5, -1., 127.5, 255.5}) {
    rows.push_back({"a.clone().fill_(" + std::to_string(value) + ")",
                    {{3}},
                    {uint8, int8, int16, bool_},
                    [=](const In& in) { return Out{in[0].clone().fill_(value)}; }});
  }
  test::expect_as_torch(rows);
}

TEST(Torch, MathematicalFunctions) {
  std::vector<test::TorchRow> rows;
  const auto add_row = [&](const std::string& function, Tensor (*own)(const Tensor&), double rtol,
                           double atol = 0, bool gradients = true) {
    for (const std::string argument : {"a", "8 * a"}) {
      rows.push_back({std::string(function).append("(").append(argument).append(")"),
                      {{3, 40}},
                      kEvery,
                      [=](const In& in) { return Out{own(argument == "a" ? in[0] : 8 * in[0])}; },
                      rtol,
                      atol,
                      gradients});
    }
  };
  add_row("torch.reciprocal", &reciprocal, 0);
  add_row("torch.exp2", &exp2, 4);
  add_row("torch.sinc", &sinc, 8, 4,
          false);  // PyTorch's gradient cancels near 0; ElementwiseGradients has it
  add_row("torch.expm1", &expm1, 4);
  add_row("torch.log1p", &log1p, 4);
  add_row("torch.log2", &log2, 4);
  add_row("torch.log10", &log10, 4);
  add_row("torch.sin", &sin, 4);
  add_row("torch.cos", &cos, 4, 1);
  add_row("torch.tan", &tan, 4);
  add_row("torch.asin", &asin, 4);
  add_row("torch.acos", &acos, 4);
  add_row("torch.atan", &atan, 4);
  add_row("torch.sinh", &sinh, 4);
  add_row("torch.cosh", &cosh, 4);
  add_row("torch.tanh", &tanh, 4);
  add_row("torch.asinh", &asinh, 4);
  add_row("torch.acosh", &acosh, 4);
  add_row("torch.atanh", &atanh, 4);
  add_row("torch.deg2rad", &deg2rad, 1);
  add_row("torch.rad2deg", &rad2deg, 1);
  add_row("torch.erf", &erf, 4);
  // In double a GPU has CUDA's own: within 5 units in the last place, lgamma from -2.26 on within 4 (CUDA C++
  // Programming Guide, mathematical functions).
  add_row("torch.erfc", &erfc, 8);
  add_row("torch.lgamma", &lgamma, 8, 4);
  add_row("torch.sigmoid", &sigmoid, 4);
  add_row("torch.logit", &logit, 4, 4);
  // Near 1 PyTorch's loses digits.
  rows.push_back(
      {"torch.erfinv(0.5 * a)", {{3, 40}}, kAll, [](const In& in) { return Out{erfinv(0.5 * in[0])}; }, 8});
  for (const std::string argument : {"a", "8 * a"}) {
    rows.push_back({"torch.digamma(" + argument + ")",
                    {{3, 40}},
                    kEvery,
                    [=](const In& in) { return Out{digamma(argument == "a" ? in[0] : 8 * in[0])}; },
                    8,
                    16,
                    false});  // its gradient has eight digits there
  }
  rows.push_back(
      {"[f(torch.tensor([0, -0., 1, 2, -1, -2, -.5, 1e30, 1e-30, 171, -171.5, .99, -.9, .7, "
       "inf, -inf, inf - inf]).to(a)) for f in (torch.lgamma, torch.digamma, torch.erfinv, torch.sgn)]",
       {{}},
       kReal,
       [](const In& in) {
         const Tensor x = tensor({0., -0., 1., 2., -1., -2., -.5, 1e30, 1e-30, 171., -171.5, .99, -.9, .7,
                                  kInfinity, -kInfinity, std::nan("")})
                              .to(in[0].device(), in[0].dtype());
         return Out{lgamma(x), digamma(x), erfinv(x), sgn(x)};
       },
       8,
       4});
  test::expect_as_torch(rows);
}

TEST(Torch, RoundingAndTruths) {
  std::vector<test::TorchRow> rows;
  const auto add_row = [&](const std::string& function, Tensor (*own)(const Tensor&),
                           const std::vector<Dtype>& dtypes) {
    rows.push_back(unary(function + "(a)", dtypes, own));
    rows.push_back({function + "(torch.round(4 * a) / 2)", {{70}}, {float64, float32}, [=](const In& in) {
                      return Out{own(round(4 * in[0]) / 2)};
                    }});
    // NaN and infinities, where b is 0.
    rows.push_back({function + "(a / torch.round(b))", {{70}, {70}}, {float64, float32}, [=](const In& in) {
                      return Out{own(in[0] / round(in[1]))};
                    }});
  };
  add_row("torch.sign", &sign, kEvery);
  add_row("torch.floor", &floor, kEvery);
  add_row("torch.ceil", &ceil, kEvery);
  add_row("torch.trunc", &trunc, kEvery);
  add_row("torch.round", &round, kEvery);
  add_row("torch.frac", &frac, kEvery);
  add_row("torch.relu", &relu, kEvery);
  add_row("torch.bitwise_not", &bitwise_not, kEvery);
  add_row("torch.logical_not", &logical_not, kEvery);
  add_row("torch.isnan", &isnan, kEvery);
  add_row("torch.isinf", &isinf, kEvery);
  add_row("torch.isfinite", &isfinite, kEvery);
  add_row("torch.isposinf", &isposinf, kEvery);
  add_row("torch.isneginf", &isneginf, kEvery);
  add_row("torch.signbit", &signbit, kEvery);
  rows.push_back(unary("torch.sgn(a)", kEvery, &sgn));
  test::expect_as_torch(rows);
}

TEST(Torch, Activations) {
  std::vector<test::TorchRow> rows;
  const auto add_row = [&](const std::string& expression, Tensor (*own)(const Tensor&)) {
    // PyTorch's gelu loses the tail of negative numbers.
    rows.push_back({"torch.nn.functional." + expression,
                    {{3, 40}},
                    expression.find('*') == std::string::npos ? kEvery : kAll,  // rounded once
                    [=](const In& in) { return Out{own(in[0])}; },
                    32,
                    // So does the gradient of its approximation: 1 - tanh².
                    expression.find("tanh") == std::string::npos ? 4. : 64.});
  };
  add_row("silu(a)", &silu);
  add_row("silu(9 * a)", [](const Tensor& a) { return silu(9 * a); });
  add_row("gelu(a)", &gelu);
  add_row("gelu(6 * a)", [](const Tensor& a) { return gelu(6 * a, "none"); });
  add_row("gelu(6 * a, approximate='tanh')", [](const Tensor& a) { return gelu(6 * a, "tanh"); });
  add_row("softplus(a)", &softplus);
  add_row("softplus(40 * a)", [](const Tensor& a) { return softplus(40 * a); });
  rows.push_back({"torch.nn.functional.silu(a[..., :20]) * a[..., 20:]",
                  {{3, 40}},
                  test::kFloating,
                  [](const In& in) { return Out{swiglu(in[0])}; },
                  8,
                  0,
                  true,
                  true});
  test::expect_as_torch(rows);
}

TEST(Torch, MoreBinaryOperations) {
  std::vector<test::TorchRow> rows;
  const auto add_rows = [&](const std::string& expression, BinaryFunction function,
                            const std::vector<Dtype>& dtypes, double rtol = 0, double atol = 0) {
    const auto operation = [=](const In& in) { return Out{function(in[0], in[1])}; };
    for (const auto& shapes : std::initializer_list<std::vector<Sizes>>{{{4, 1, 5}, {3, 5}}, {{6}, {}}}) {
      rows.push_back({expression, shapes, dtypes, operation, rtol, atol});
    }
    for (const Dtype other : {float32, int64, bool_}) {
      std::string mixed = expression;
      mixed.replace(mixed.rfind('b'), 1, "b.to(torch." + std::string(name(other)) + ")");
      rows.push_back({mixed,
                      {{7}, {7}},
                      kAll,
                      [=](const In& in) { return Out{function(in[0], in[1].to(other))}; },
                      rtol,
                      atol,
                      rtol == 0});  // likewise of atan2
    }
  };
  add_rows("torch.atan2(a, b)", static_cast<BinaryFunction>(&atan2), kEvery, 4);
  add_rows("torch.hypot(a, b)", static_cast<BinaryFunction>(&hypot), test::kFloating, 4);
  add_rows("torch.copysign(a, b)", static_cast<BinaryFunction>(&copysign), kEvery);
  add_rows("torch.logaddexp(a, b)", static_cast<BinaryFunction>(&logaddexp), test::kFloating, 8, 4);
  add_rows("torch.logaddexp2(a, b)", static_cast<BinaryFunction>(&logaddexp2), test::kFloating, 8, 4);
  add_rows("torch.xlogy(a, b)", static_cast<BinaryFunction>(&xlogy), kEvery, 8);
  add_rows("torch.fmax(a, b)", static_cast<BinaryFunction>(&fmax), kEvery);
  add_rows("torch.fmin(a, b)", static_cast<BinaryFunction>(&fmin), kEvery);
  rows.push_back({"torch.heaviside(torch.round(4 * a) / torch.round(b), b)",
                  {{70}, {70}},
                  kReal,
                  [](const In& in) { return Out{heaviside(round(4 * in[0]) / round(in[1]), in[1])}; },
                  0,
                  0,
                  false});
  add_rows("torch.clamp_min(a, b)", static_cast<BinaryFunction>(&clamp_min), kEvery);
  add_rows("torch.clamp_max(a, b)", static_cast<BinaryFunction>(&clamp_max), kEvery);
  add_rows("a & b", static_cast<BinaryFunction>(&bitwise_and), kAll);
  add_rows("a | b", static_cast<BinaryFunction>(&bitwise_or), kAll);
  add_rows("a ^ b", static_cast<BinaryFunction>(&bitwise_xor), kAll);
  add_rows("torch.logical_and(a, b)", static_cast<BinaryFunction>(&logical_and), kAll);
  add_rows("torch.logical_or(a, b)", static_cast<BinaryFunction>(&logical_or), kAll);
  add_rows("torch.logical_xor(a, b)", static_cast<BinaryFunction>(&logical_xor), kAll);
  const auto divisor = [](const Tensor& b) { return 2 * b + 1; };
  const auto shift = [](const Tensor& b) { return abs(b); };
  const auto add_divisions = [&](const std::string& expression, BinaryFunction function, const auto& change,
                                 const std::vector<Dtype>& dtypes) {
    rows.push_back({expression,
                    {{2, 17}, {2, 17}},
                    dtypes,
                    [=](const In& in) { return Out{function(in[0], change(in[1]))}; },
                    0,
                    0,
                    expression.find("floor_divide") == std::string::npos});
  };
  // bfloat16 is rounded once here, and by PyTorch after each of its steps.
  const std::vector<Dtype> kDivided = {float64, float32, int64, int32, int16, int8, uint8, bool_};
  add_divisions(
      "torch.floor_divide(8 * a, 2 * b + 1)",
      [](const Tensor& a, const Tensor& b) { return floor_divide(8 * a, b); }, divisor, kDivided);
  add_divisions(
      "torch.div(8 * a, 2 * b + 1, rounding_mode='trunc')",
      [](const Tensor& a, const Tensor& b) { return div(8 * a, b, "trunc"); }, divisor, kDivided);
  add_divisions(
      "torch.div(8 * a, 2 * b + 1, rounding_mode='floor')",
      [](const Tensor& a, const Tensor& b) { return div(8 * a, b, "floor"); }, divisor, kDivided);
  add_divisions(
      "(8 * a) % (2 * b + 1)", [](const Tensor& a, const Tensor& b) { return (8 * a) % b; }, divisor,
      kDivided);
  add_divisions(
      "torch.fmod(8 * a, 2 * b + 1)", [](const Tensor& a, const Tensor& b) { return fmod(8 * a, b); },
      divisor, kDivided);
  // Divided by 0: infinite and NaN, and of integers an error, which a GPU does not look for.
  const auto& divided_by_0 = default_device().is_cuda() ? std::vector{float64, float32} : kDivided;
  add_divisions(
      "torch.floor_divide(a, torch.floor(b))", static_cast<BinaryFunction>(&floor_divide),
      [](const Tensor& b) { return floor(b); }, divided_by_0);
  add_divisions(
      "a % torch.floor(b)", static_cast<BinaryFunction>(&remainder), [](const Tensor& b) { return floor(b); },
      divided_by_0);
  add_divisions("a << torch.abs(b)", static_cast<BinaryFunction>(&bitwise_left_shift), shift, kAll);
  add_divisions("a >> torch.abs(b)", static_cast<BinaryFunction>(&bitwise_right_shift), shift, kAll);
  test::expect_as_torch(rows);
}

TEST(Torch, Conversions) {
  std::vector<test::TorchRow> rows;
  for (const std::string dtype :
       {"float64", "float32", "float16", "bfloat16", "int64", "int32", "int16", "int8", "uint8", "bool"}) {
    const Dtype to = dtype_from_name(dtype).value();
    rows.push_back(
        {"a.to(torch." + dtype + ")", {{5, 40}}, kAll, [=](const In& in) { return Out{in[0].to(to)}; }});
    rows.push_back(
        {"(100 * a).to(torch." + dtype + ")", {{5, 40}}, {float64, float32, int64}, [=](const In& in) {
           return Out{(100 * in[0]).to(to)};
         }});
  }
  for (const std::string dtype : {"float8_e4m3fn", "float8_e5m2"}) {
    const Dtype to = dtype_from_name(dtype).value();
    for (const std::string factor : {"1", "1000", "100000"}) {
      rows.push_back({"Rounded((" + factor + " * a).double(), '" + dtype + "')",
                      {{5, 40}},
                      kReal,
                      [=](const In& in) { return Out{(std::stoi(factor) * in[0]).to(to)}; },
                      0,
                      0,
                      false});
    }
  }
  test::expect_as_torch(rows);
}

}  // namespace
}  // namespace lectern
