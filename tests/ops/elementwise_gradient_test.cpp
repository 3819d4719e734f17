#include <cmath>
#include <string>

#include <gtest/gtest.h>

#include "device/counters.h"
#include "ops/elementwise.h"
#include "ops/elementwise_record.h"
#include "ops/tensors.h"
#include "ops/torch_elementwise.h"
#include "ops/torch_reference.h"
#include "tensor/creation.h"
#include "tensor/finfo.h"

// The gradient of every row of kernels/elementwise_table.h, which a new row gets without a line here: against
// central differences of the row itself, and against PyTorch's.

namespace lectern {
namespace {

using kernels::Binary;
using kernels::GradientReads;
using kernels::Side;
using kernels::Unary;
using test::In;
using test::Out;

struct UnaryRow {
  std::string name;
  Unary kernel;
  Tensor (*function)(const Tensor&);

  GradientReads reads() const { return kernels::gradient_reads(kernel); }
  Tensor gradient(const Tensor& grad, const Tensor& x) const {
    return lectern::gradient(kernel, grad, reads() == GradientReads::output ? function(x) : x);
  }
};

struct GradientRow {
  std::string name;
  Binary kernel;
  Tensor (*function)(const Tensor&, const Tensor&);

  GradientReads reads(Side side) const { return kernels::gradient_reads(kernel, side); }
};

#define LECTERN_ROW(name, Functor, rule, autocast) {#name, Unary::name, &lectern::name},
const UnaryRow kUnaryRows[] = {LECTERN_UNARY_OPERATIONS(LECTERN_ROW)};
#undef LECTERN_ROW
#define LECTERN_ROW(name, Functor, rule, autocast) {#name, Binary::name, &lectern::name},
const GradientRow kBinaryRows[] = {LECTERN_BINARY_OPERATIONS(LECTERN_ROW)};
#undef LECTERN_ROW

constexpr double kStep = 1e-5;

/// Away from where functions jump or have a corner.
Tensor points() {
  return tensor({-2.3, -0.83, -0.41, -0.12, 0.17, 0.38, 0.79, 1.21, 2.6}, {.dtype = float64});
}

void expect_slope(const Tensor& gradient, const Tensor& above, const Tensor& below) {
  for (std::int64_t i = 0; i < gradient.numel(); ++i) {
    const double slope = (test::number(above, {i}) - test::number(below, {i})) / (2 * kStep);
    if (!std::isfinite(slope)) continue;  // outside of the function's domain
    EXPECT_NEAR(test::number(gradient, {i}), slope, 1e-7 * (1 + std::abs(slope))) << "at " << i;
  }
}

TEST(ElementwiseGradients, AreTheSlopesOfUnaryOperations) {
  const Tensor x = points();
  int checked = 0;
  for (const UnaryRow& row : kUnaryRows) {
    if (row.reads() == GradientReads::none) continue;
    SCOPED_TRACE(row.name);
    const Tensor gradient = row.gradient(ones_like(x), x);
    expect_slope(gradient, row.function(x + kStep), row.function(x - kStep));
    ++checked;
  }
  EXPECT_GE(checked, 37);
}

TEST(ElementwiseGradients, AreTheSlopesOfBinaryOperations) {
  const Tensor x = points();
  const Tensor grid = zeros({x.numel(), x.numel()}, {.dtype = float64});
  const Tensor a = (grid + x).flatten();
  const Tensor b = (grid + (x * 1.07).unsqueeze(1)).flatten();
  int checked = 0;
  for (const GradientRow& row : kBinaryRows) {
    if (row.reads(Side::a) == GradientReads::none) continue;
    SCOPED_TRACE(row.name);
    const Tensor grad = ones_like(a);
    expect_slope(gradient(row.kernel, Side::a, grad, a, b), row.function(a + kStep, b),
                 row.function(a - kStep, b));
    expect_slope(gradient(row.kernel, Side::b, grad, a, b), row.function(a, b + kStep),
                 row.function(a, b - kStep));
    ++checked;
  }
  EXPECT_GE(checked, 15);
}

TEST(ElementwiseGradients, OfEveryLayout) {
  for (const Dtype dtype : {float32, float64, bfloat16, float16}) {
    for (const Sizes& sizes : std::initializer_list<Sizes>{{}, {0}, {70}, {5, 33}, {3, 1, 40}}) {
      const Tensor other = test::uniform(sizes, dtype, 2);
      const Tensor grad = test::uniform(sizes, dtype, 3);
      for (const test::Laid& laid : test::layouts(sizes, dtype)) {
        const Tensor x = laid.tensor;
        const Tensor dense = x.contiguous();
        for (const UnaryRow& row : kUnaryRows) {
          if (row.reads() == GradientReads::none) continue;
          SCOPED_TRACE(row.name + " of " + std::string(name(dtype)) + " " + to_string(sizes) + " " +
                       laid.how);
          const Tensor got = row.gradient(grad, x);
          ASSERT_EQ(got.dtype(), dtype);
          ASSERT_TRUE(test::same_bits(got.contiguous(), row.gradient(grad, dense).contiguous()));
        }
        for (const GradientRow& row : kBinaryRows) {
          if (row.reads(Side::a) == GradientReads::none) continue;
          for (const Side side : {Side::a, Side::b}) {
            SCOPED_TRACE(row.name + " of " + std::string(name(dtype)) + " " + to_string(sizes) + " " +
                         laid.how);
            const Tensor got = gradient(row.kernel, side, grad, x, other);
            ASSERT_TRUE(test::same_bits(got.contiguous(),
                                        gradient(row.kernel, side, grad, dense, other).contiguous()));
          }
        }
      }
    }
  }
}

/// Equal or, on a GPU in 16 bits (kernels/cuda/rough_functors.h), within a unit in the last place.
void expect_rounded(const Tensor& got, const Tensor& expected) {
  const Dtype dtype = got.dtype();
  if (!got.is_cuda() || (dtype != float16 && dtype != bfloat16)) {
    ASSERT_TRUE(test::same_bits(got, expected));
    return;
  }
  const Tensor here = test::on_host(got), there = test::on_host(expected);
  for (std::int64_t i = 0; i < got.numel(); ++i) {
    const double number = test::number(there, {i}), found = test::number(here, {i});
    if (found == number || (std::isnan(found) && std::isnan(number))) continue;
    ASSERT_NEAR(found, number, std::abs(number) * finfo(dtype).eps + 0x1p-16) << i;
  }
}

TEST(ElementwiseGradients, OfNarrowDtypesAreThoseOfFloatRoundedOnce) {
  const Sizes sizes = {90};
  for (const Dtype dtype : {float16, bfloat16, float8_e4m3fn, float8_e5m2}) {
    const Tensor grad = test::uniform(sizes, dtype, 1), x = test::uniform(sizes, dtype, 2);
    const Tensor other = test::uniform(sizes, dtype, 3);
    const auto wide = [](const Tensor& tensor) { return tensor.to(float32); };
    for (const UnaryRow& row : kUnaryRows) {
      SCOPED_TRACE(row.name + " of " + std::string(name(dtype)));
      const Tensor saved = row.reads() == GradientReads::output ? row.function(x) : x;
      expect_rounded(gradient(row.kernel, grad, saved),
                     gradient(row.kernel, wide(grad), wide(saved)).to(dtype));
    }
    for (const GradientRow& row : kBinaryRows) {
      for (const Side side : {Side::a, Side::b}) {
        SCOPED_TRACE(row.name + " of " + std::string(name(dtype)));
        expect_rounded(gradient(row.kernel, side, grad, x, other),
                       gradient(row.kernel, side, wide(grad), wide(x), wide(other)).to(dtype));
      }
    }
  }
}

TEST(ElementwiseGradients, CountOperationsAndBytes) {
  const Tensor grad = ones({4, 10}), row = ones({10});
  const CountScope scope;
  (void)gradient(Unary::relu, grad, grad);
  EXPECT_EQ(scope.counted(), (Counters{40, 3 * 160}));
  (void)gradient(Binary::mul, Side::a, grad, Tensor(), row);
  EXPECT_EQ(scope.counted(), (Counters{80, 3 * 160 + 160 + 160 + 40}));
  (void)gradient(Binary::add, Side::a, grad, Tensor(), Tensor());
  EXPECT_EQ(scope.counted().flops, 80);
}

TEST(ElementwiseGradients, BroadcastAndConvertWhatTheyRead) {
  const Tensor grad = ones({2, 3});
  const Tensor row = tensor({1., 2, 4});
  const Tensor number = tensor(3, {.dtype = int64});
  const Tensor of_row = gradient(Binary::mul, Side::a, grad, Tensor(), row);
  EXPECT_EQ(of_row.sizes(), (Sizes{2, 3}));
  EXPECT_EQ(test::number(of_row, {1, 2}), 4);
  EXPECT_EQ(test::number(gradient(Binary::mul, Side::b, grad, number, Tensor()), {1, 1}), 3);
  EXPECT_TRUE(gradient(Binary::add, Side::a, grad, Tensor(), Tensor()).is_same(grad));
  EXPECT_EQ(test::number(gradient(Unary::floor, grad, Tensor()), {0, 0}), 0);
}

// --- side by side with PyTorch; the last figures are tolerances in units of the dtype's epsilon

/// PyTorch's gradients of an expression in x and y, which are made of a and b; the result's gradient is
/// `grad`.
std::string torch_gradient(const std::string& expression, const std::string& made, const std::string& grad,
                           bool binary) {
  const std::string& x = made;
  std::string y = made;
  y.replace(y.find('a'), 1, "b");
  const auto leaf = [](const std::string& value) { return "(" + value + ").detach().requires_grad_()"; };
  // From a gradient that is not contiguous PyTorch 1.13 makes nonsense for gelu.
  return "[x := " + leaf(x) + (binary ? ", y := " + leaf(y) : "") + ", torch.autograd.grad(" + expression +
         (binary ? ", [x, y], " : ", [x], ") + grad + ".contiguous())][-1]";
}

/// Numbers in general, and the ones where functions jump, tie or have a corner.
struct Made {
  std::string expression;
  Tensor (*make)(const Tensor&);
};
const Made kMade[] = {{"3 * a", [](const Tensor& a) { return 3 * a; }},
                      {"torch.round(2 * a)", [](const Tensor& a) { return round(2 * a); }}};

/// Near 0 terms of PyTorch's gradient of sinc cancel.
const Made kAwayFrom0 = {"3 * a + torch.sign(a) / 2", [](const Tensor& a) { return 3 * a + sign(a) / 2; }};

TEST(ElementwiseGradients, AreThoseOfPyTorch) {
  std::vector<test::TorchRow> rows;
  for (const Made& any : kMade) {
    for (const UnaryRow& row : kUnaryRows) {
      if (row.reads() == GradientReads::none) continue;
      if (row.name == "digamma" || row.name == "erfinv") continue;  // PyTorch's has lost digits
      const Made& made = row.name == "sinc" && &any == kMade ? kAwayFrom0 : any;
      rows.push_back({torch_gradient(test::torch_unary(row.name), made.expression, "b", false),
                      {{4, 33}, {4, 33}},
                      {float64, float32},
                      [=, make = made.make](const In& in) { return Out{row.gradient(in[1], make(in[0]))}; },
                      16,
                      16});
    }
    for (const GradientRow& row : kBinaryRows) {
      if (row.reads(Side::a) == GradientReads::none || row.name == "heaviside") continue;
      rows.push_back({torch_gradient(test::torch_binary(row.name), any.expression, "c", true),
                      {{4, 33}, {4, 33}, {4, 33}},
                      {float64, float32},
                      [=, make = any.make](const In& in) {
                        const Tensor a = make(in[0]), b = make(in[1]);
                        return Out{gradient(row.kernel, Side::a, in[2], a, b),
                                   gradient(row.kernel, Side::b, in[2], a, b)};
                      },
                      16,
                      16});
    }
  }
  test::expect_as_torch(rows);
}

}  // namespace
}  // namespace lectern
