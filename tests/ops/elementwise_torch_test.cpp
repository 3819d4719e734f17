#include <gtest/gtest.h>

#include "ops/elementwise.h"
#include "ops/torch_reference.h"

// The elementwise operations side by side with PyTorch's; the last figures are tolerances in units of the
// dtype's epsilon.

namespace lectern {
namespace {

using In = std::vector<Tensor>;
using Out = std::vector<Tensor>;

const std::vector<Dtype> kAll = {float64, float32, float16, bfloat16, int64,
                                 int32,   int16,   int8,    uint8,    bool_};
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
  add_row("a.fill_(2.6)", [](const Tensor& a) { return a.fill_(2.6); });
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
