#include <set>

#include <gtest/gtest.h>

#include "ops/elementwise.h"
#include "ops/torch_elementwise.h"
#include "ops/torch_reference.h"
#include "tensor/creation.h"

// Every row of kernels/elementwise_table.h side by side with PyTorch's, with its gradients: as a function, as
// a method and in place, of every dtype. A new row needs no line here, but its goldens.

namespace lectern {
namespace {

using test::In;
using test::kEvery;
using test::Out;

/// What IEEE arithmetic rounds once. The others are approximated, each library in its own way.
const std::set<std::string> kExact = {"abs",
                                      "neg",
                                      "sign",
                                      "sgn",
                                      "square",
                                      "sqrt",
                                      "reciprocal",
                                      "floor",
                                      "ceil",
                                      "trunc",
                                      "round",
                                      "frac",
                                      "relu",
                                      "bitwise_not",
                                      "logical_not",
                                      "isnan",
                                      "isinf",
                                      "isfinite",
                                      "add",
                                      "sub",
                                      "mul",
                                      "div",
                                      "maximum",
                                      "minimum",
                                      "heaviside",
                                      "clamp_min",
                                      "clamp_max",
                                      "bitwise_and",
                                      "bitwise_or",
                                      "bitwise_xor",
                                      "logical_and",
                                      "logical_or",
                                      "logical_xor",
                                      "eq",
                                      "ne",
                                      "lt",
                                      "le",
                                      "gt",
                                      "ge",
                                      "bitwise_left_shift",
                                      "bitwise_right_shift"};
/// 0 where the argument is not: what comes near it has lost digits.
const std::set<std::string> kThrough0 = {"cos",        "logit",  "gelu",   "gelu_tanh", "bias_gelu",
                                         "log",        "sinc",   "log2",   "log10",     "logaddexp",
                                         "logaddexp2", "lgamma", "digamma"};
/// PyTorch rounds these of 16 bits after each of several steps, ours once: they can miss a whole number.
const std::set<std::string> kDivisions = {"floor_divide", "trunc_divide", "remainder", "fmod"};
/// What PyTorch has in place.
bool in_place_in_torch(const std::string& name) {
  static const std::set<std::string> kNot = {
      "cube",     "silu",     "gelu",      "gelu_tanh",    "softplus",  "isnan",      "isinf",
      "isfinite", "silu_mul", "bias_gelu", "trunc_divide", "maximum",   "minimum",    "isposinf",
      "isneginf", "signbit",  "fmax",      "fmin",         "logaddexp", "logaddexp2", "logsigmoid"};
  return !kNot.contains(name);
}

struct Form {
  std::string name;
  test::Operation function, method, in_place;
};

#define LECTERN_FORMS(name, Functor, rule, autocast)              \
  {#name, [](const In& in) { return Out{lectern::name(in[0])}; }, \
   [](const In& in) { return Out{in[0].name()}; },                \
   [](const In& in) { return Out{in[0].clone().name##_()}; }},
const Form kUnary[] = {LECTERN_UNARY_OPERATIONS(LECTERN_FORMS)};
#undef LECTERN_FORMS
#define LECTERN_FORMS(name, Functor, rule, autocast)                     \
  {#name, [](const In& in) { return Out{lectern::name(in[0], in[1])}; }, \
   [](const In& in) { return Out{in[0].name(in[1])}; },                  \
   [](const In& in) { return Out{in[0].clone().name##_(in[1])}; }},
const Form kBinary[] = {LECTERN_BINARY_OPERATIONS(LECTERN_FORMS)};
#undef LECTERN_FORMS

std::vector<Dtype> dtypes_of(const std::string& name) {
  // By a negative number PyTorch shifts as the processor does; see also elementwise_torch_test.cpp.
  if (name.ends_with("_shift")) return {uint8, bool_, float32};
  std::vector<Dtype> dtypes = kEvery;
  if (name == "cube") std::erase(dtypes, bool_);  // a number makes integers of it
  if (kDivisions.contains(name))
    std::erase_if(dtypes, [](Dtype dtype) { return dtype == bfloat16 || dtype == float16; });
  // Integers divided by 0: an error, which a GPU does not look for.
  if (kDivisions.contains(name) && default_device().is_cuda())
    std::erase_if(dtypes, [](Dtype dtype) { return !is_floating_point(dtype); });
  return dtypes;
}

void add_rows(std::vector<test::TorchRow>& rows, const Form& form, const std::string& expression,
              const std::string& arguments, const std::vector<std::vector<Sizes>>& shapes) {
  const std::string called = "(lambda " + arguments + ": " + expression + ")";
  // Near 1 the inverse of erf makes much of the last digit of its argument.
  const bool halved = form.name == "erfinv";
  const std::string a = halved ? "(a / 2)" : "a";
  const std::string given = arguments == "x" ? "(" + a + ")" : "(a, b)", rest = arguments == "x" ? "" : "b";
  const std::string in_place = in_place_in_torch(form.name) ? a + ".clone()." + form.name + "_(" + rest + ")"
                                                            : "(lambda x, y: x.clone().copy_(" + expression +
                                                                  "))(a, " + (rest.empty() ? "a" : "b") + ")";
  const auto of = [=](const test::Operation& operation) {
    return halved ? [=](const In& in) { return operation({in[0] / 2}); } : operation;
  };
  const double rtol = kExact.contains(form.name) ? 0 : 8;
  // Gradients of pow that are summed up for a broadcast may be larger, term by term, than their sum; digamma
  // is a sum of terms that are larger than it near its zeros.
  const double atol = form.name == "pow"              ? 64
                      : form.name == "digamma"        ? 16
                      : kThrough0.contains(form.name) ? 4
                                                      : 0;
  const std::vector<Dtype> dtypes = dtypes_of(form.name);
  // Of heaviside PyTorch has no gradient, of digamma one of eight digits, of sinc near 0 one of few;
  // of floor_divide neither has one.
  const std::set<std::string_view> undifferentiated{"heaviside", "digamma", "sinc", "floor_divide"};
  const bool differentiated = !undifferentiated.contains(form.name);
  for (const auto& sizes : shapes)
    rows.push_back({called + given, sizes, dtypes, of(form.function), rtol, atol, differentiated});
  rows.push_back({called + given, shapes[0], dtypes, of(form.method), rtol, atol, differentiated});
  // In place, PyTorch overlooks that truths have no gradient, and differentiates none of these.
  static const std::set<std::string> kWithout = {"asinh", "acosh", "atanh"};
  const bool gradients =
      differentiated && !form.name.starts_with("logical_") && !kWithout.contains(form.name);
  rows.push_back({in_place, shapes[0], dtypes, of(form.in_place), rtol, atol, gradients});
}

TEST(TorchForms, OfUnaryOperations) {
  std::vector<test::TorchRow> rows;
  for (const Form& form : kUnary)
    add_rows(rows, form, test::torch_unary(form.name), "x", {{{3, 5}}, {{}}, {{2, 0}}});
  test::expect_as_torch(rows);
}

TEST(TorchForms, OfBinaryOperations) {
  std::vector<test::TorchRow> rows;
  for (const Form& form : kBinary) {
    add_rows(rows, form, test::torch_binary(form.name), "x, y",
             {{{3, 4}, {4}}, {{2, 1, 3}, {4, 1}}, {{}, {}}, {{0, 3}, {1}}});
  }
  rows.push_back({"a.clone().div_(b, rounding_mode='trunc')", {{3, 4}, {4}}, test::kReal, [](const In& in) {
                    return Out{in[0].clone().div_(in[1], "trunc")};
                  }});
  test::expect_as_torch(rows);
}

}  // namespace
}  // namespace lectern
