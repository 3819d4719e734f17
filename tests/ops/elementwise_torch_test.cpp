#include <gtest/gtest.h>

#include "ops/activations.h"
#include "ops/elementwise.h"
#include "ops/torch_reference.h"
#include "tensor/creation.h"

// The elementwise operations side by side with PyTorch's; the last figures are tolerances in units of the
// dtype's epsilon.

namespace lectern {
namespace {

using test::In;
using test::kAll;
using test::Out;
// PyTorch computes these of float16 on no CPU.
const std::vector<Dtype> kNoHalf = {float64, float32, bfloat16, int64, int32, int16, int8, uint8, bool_};

test::TorchRow unary(const std::string& expression, const std::vector<Dtype>& dtypes,
                     Tensor (*function)(const Tensor&), double rtol = 0) {
  return {expression, {{3, 40}}, dtypes, [=](const In& in) { return Out{function(in[0])}; }, rtol};
}

TEST(Torch, UnaryOperations) {
  test::expect_as_torch({
      unary("torch.abs(a)", kAll, &abs),
      unary("-a", kAll, &neg),
      unary("torch.square(a)", kAll, &square),
      unary("torch.sqrt(a)", kNoHalf, &sqrt),
      unary("torch.rsqrt(a)", kNoHalf, &rsqrt, 1),
      unary("torch.exp(a)", kNoHalf, &exp, 2),
      unary("torch.log(a)", kNoHalf, &log, 2),
  });
}

using Binary = Tensor (*)(const Tensor&, const Tensor&);

TEST(Torch, BinaryOperations) {
  std::vector<test::TorchRow> rows;
  const auto add_rows = [&](const std::string& expression, Binary function, double rtol = 0) {
    const auto operation = [=](const In& in) { return Out{function(in[0], in[1])}; };
    for (const auto& shapes :
         std::initializer_list<std::vector<Sizes>>{{{4, 33}, {4, 33}}, {{4, 1, 5}, {3, 5}}, {{6}, {}}}) {
      rows.push_back({expression, shapes, kAll, operation, rtol});
    }
    rows.push_back({expression, {{2, 3}, {4}}, {float32}, operation});
    // Of other dtypes with each other.
    for (const std::string dtype :
         {"float64", "float32", "float16", "bfloat16", "int64", "int8", "uint8", "bool"}) {
      const Dtype to = dtype_from_name(dtype).value();
      const std::string other = "b.to(torch." + dtype + ")";
      std::string mixed = expression;
      mixed.replace(mixed.find('b', mixed.find("a") + 1), 1, other);
      rows.push_back(
          {mixed, {{7}, {7}}, kAll, [=](const In& in) { return Out{function(in[0], in[1].to(to))}; }, rtol});
      rows.push_back(
          {mixed, {{7}, {}}, kAll, [=](const In& in) { return Out{function(in[0], in[1].to(to))}; }, rtol});
    }
  };
  add_rows("a + b", static_cast<Binary>(&add));
  add_rows("a - b", static_cast<Binary>(&sub));
  add_rows("a * b", static_cast<Binary>(&mul));
  add_rows("a / b", static_cast<Binary>(&div));
  add_rows("a ** b", static_cast<Binary>(&pow), 2);
  add_rows("a == b", static_cast<Binary>(&eq));
  add_rows("a != b", static_cast<Binary>(&ne));
  add_rows("a < b", static_cast<Binary>(&lt));
  add_rows("a <= b", static_cast<Binary>(&le));
  add_rows("a > b", static_cast<Binary>(&gt));
  add_rows("a >= b", static_cast<Binary>(&ge));
  test::expect_as_torch(rows);
  test::expect_as_torch({
      {"torch.maximum(a, b)", {{5, 6}, {6}}, kAll, [](const In& in) { return Out{maximum(in[0], in[1])}; }},
      {"torch.minimum(a, b)", {{5, 6}, {6}}, kAll, [](const In& in) { return Out{minimum(in[0], in[1])}; }},
  });
}

TEST(Torch, OperationsWithANumber) {
  std::vector<test::TorchRow> rows;
  const auto add_row = [&](const std::string& expression,
                           const std::function<Tensor(const Tensor&)>& function, double rtol = 0) {
    rows.push_back({expression, {{3, 9}}, kAll, [=](const In& in) { return Out{function(in[0])}; }, rtol});
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
  add_row("a.fill_(2.6)", [](const Tensor& a) { return a.fill_(2.6); });
  test::expect_as_torch(rows);
}

TEST(Torch, MathematicalFunctions) {
  std::vector<test::TorchRow> rows;
  const auto add_row = [&](const std::string& function, Tensor (*own)(const Tensor&), double rtol,
                           double atol = 0) {
    for (const std::string argument : {"a", "8 * a"}) {
      rows.push_back({std::string(function).append("(").append(argument).append(")"),
                      {{3, 40}},
                      kNoHalf,
                      [=](const In& in) { return Out{own(argument == "a" ? in[0] : 8 * in[0])}; },
                      rtol,
                      atol});
    }
  };
  add_row("torch.reciprocal", &reciprocal, 0);
  add_row("torch.exp2", &exp2, 4);
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
  add_row("torch.erf", &erf, 4);
  add_row("torch.erfc", &erfc, 8);
  add_row("torch.sigmoid", &sigmoid, 4);
  add_row("torch.logit", &logit, 4, 4);
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
  add_row("torch.sign", &sign, kAll);
  add_row("torch.floor", &floor, kNoHalf);
  add_row("torch.ceil", &ceil, kNoHalf);
  add_row("torch.trunc", &trunc, kNoHalf);
  add_row("torch.round", &round, kNoHalf);
  add_row("torch.frac", &frac, kNoHalf);
  add_row("torch.relu", &relu, kNoHalf);
  add_row("torch.bitwise_not", &bitwise_not, kAll);
  add_row("torch.logical_not", &logical_not, kAll);
  add_row("torch.isnan", &isnan, kAll);
  add_row("torch.isinf", &isinf, kAll);
  add_row("torch.isfinite", &isfinite, kAll);
  test::expect_as_torch(rows);
}

TEST(Torch, Activations) {
  std::vector<test::TorchRow> rows;
  const auto add_row = [&](const std::string& expression, Tensor (*own)(const Tensor&)) {
    // PyTorch's gelu loses the tail of negative numbers.
    rows.push_back({"torch.nn.functional." + expression,
                    {{3, 40}},
                    kNoHalf,
                    [=](const In& in) { return Out{own(in[0])}; },
                    4,
                    4});
  };
  add_row("silu(a)", &silu);
  add_row("silu(9 * a)", [](const Tensor& a) { return silu(9 * a); });
  add_row("gelu(a)", &gelu);
  add_row("gelu(6 * a)", [](const Tensor& a) { return gelu(6 * a, "none"); });
  add_row("gelu(6 * a, approximate='tanh')", [](const Tensor& a) { return gelu(6 * a, "tanh"); });
  add_row("softplus(a)", &softplus);
  add_row("softplus(40 * a)", [](const Tensor& a) { return softplus(40 * a); });
  add_row("silu(a[..., :20]) * a[..., 20:]", &swiglu);
  test::expect_as_torch(rows);
}

TEST(Torch, MoreBinaryOperations) {
  std::vector<test::TorchRow> rows;
  const auto add_rows = [&](const std::string& expression, Binary function, const std::vector<Dtype>& dtypes,
                            double rtol = 0) {
    const auto operation = [=](const In& in) { return Out{function(in[0], in[1])}; };
    for (const auto& shapes : std::initializer_list<std::vector<Sizes>>{{{4, 1, 5}, {3, 5}}, {{6}, {}}}) {
      rows.push_back({expression, shapes, dtypes, operation, rtol});
    }
    for (const Dtype other : {float32, int64, bool_}) {
      std::string mixed = expression;
      mixed.replace(mixed.rfind('b'), 1, "b.to(torch." + std::string(name(other)) + ")");
      rows.push_back({mixed,
                      {{7}, {7}},
                      dtypes,
                      [=](const In& in) { return Out{function(in[0], in[1].to(other))}; },
                      rtol});
    }
  };
  add_rows("torch.atan2(a, b)", static_cast<Binary>(&atan2), kNoHalf, 4);
  add_rows("torch.clamp_min(a, b)", static_cast<Binary>(&clamp_min), kNoHalf);
  add_rows("torch.clamp_max(a, b)", static_cast<Binary>(&clamp_max), kNoHalf);
  add_rows("a & b", static_cast<Binary>(&bitwise_and), kAll);
  add_rows("a | b", static_cast<Binary>(&bitwise_or), kAll);
  add_rows("a ^ b", static_cast<Binary>(&bitwise_xor), kAll);
  add_rows("torch.logical_and(a, b)", static_cast<Binary>(&logical_and), kAll);
  add_rows("torch.logical_or(a, b)", static_cast<Binary>(&logical_or), kAll);
  add_rows("torch.logical_xor(a, b)", static_cast<Binary>(&logical_xor), kAll);
  const auto divisor = [](const Tensor& b) { return 2 * b + 1; };
  const auto shift = [](const Tensor& b) { return abs(b); };
  const auto add_divisions = [&](const std::string& expression, Binary function, const auto& change,
                                 const std::vector<Dtype>& dtypes) {
    rows.push_back({expression, {{2, 17}, {2, 17}}, dtypes, [=](const In& in) {
                      return Out{function(in[0], change(in[1]))};
                    }});
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
      "torch.floor_divide(a, torch.floor(b))", static_cast<Binary>(&floor_divide),
      [](const Tensor& b) { return floor(b); }, divided_by_0);
  add_divisions(
      "a % torch.floor(b)", static_cast<Binary>(&remainder), [](const Tensor& b) { return floor(b); },
      divided_by_0);
  add_divisions("a << torch.abs(b)", static_cast<Binary>(&bitwise_left_shift), shift, kAll);
  add_divisions("a >> torch.abs(b)", static_cast<Binary>(&bitwise_right_shift), shift, kAll);
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
  test::expect_as_torch(rows);
}

}  // namespace
}  // namespace lectern
