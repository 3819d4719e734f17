#include "ops/elementwise.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>

#include "base/tensor_error.h"
#include "kernels/elementwise.h"
#include "kernels/elementwise_functors.h"
#include "ops/tensors.h"
#include "tensor/creation.h"
#include "tensor/finfo.h"

// Every row of kernels/elementwise_table.h against its functor, index by index: a new row is tested without a
// line here.

namespace lectern {
namespace {

using test::number;

using Rule = kernels::DtypeRule;

/// A functor in the three compute types, as functions of two operands (a unary one ignores the second), so
/// that what checks it is compiled once for all. A truth is 1 or 0.
template <typename T>
using Function = T (*)(T, T);
struct Exact {
  Function<float> of_floats;
  Function<double> of_doubles;
  Function<std::int64_t> of_integers;  ///< null: it computes in no integers
  bool by_library;                     ///< a GPU has one of its own, whose last bits may differ
  bool by_error_function;              ///< on a GPU within 8 units in the last place in float32
  bool is_rough;                       ///< on a GPU within one in 16 bits
};

template <typename Functor, typename T>
Function<T> function() {
  if constexpr (std::is_invocable_v<Functor, T, T>) {
    return [](T a, T b) { return static_cast<T>(Functor{}(a, b)); };
  } else if constexpr (std::is_invocable_v<Functor, T>) {
    return [](T a, T) { return static_cast<T>(Functor{}(a)); };
  } else {
    return nullptr;
  }
}

/// The rows whose functors call functions of the library, also those that do so for doubles only.
template <typename Functor, typename... Others>
constexpr bool kIsOneOf = (std::is_same_v<Functor, Others> || ...);
template <typename Functor>
constexpr bool kByLibrary =
    kIsOneOf<Functor, kernels::Pow, kernels::Exp2, kernels::Log2, kernels::Log10, kernels::Sin, kernels::Cos,
             kernels::Tan, kernels::Asin, kernels::Acos, kernels::Atan, kernels::Sinh, kernels::Cosh,
             kernels::Erf, kernels::Erfc, kernels::Gelu, kernels::Atan2, kernels::Asinh, kernels::Acosh,
             kernels::Atanh, kernels::Hypot, kernels::ErfInv, kernels::LGamma, kernels::Digamma,
             kernels::LogAddExp2>;

/// Those of kernels/error_function.h, and of kernels/cuda/rough_functors.h.
template <typename Functor>
constexpr bool kByErrorFunction =
    kIsOneOf<Functor, kernels::Erf, kernels::Erfc, kernels::Gelu, kernels::BiasGelu>;
template <typename Functor>
constexpr bool kIsRough =
    kIsOneOf<Functor, kernels::Exp, kernels::Exp2, kernels::Log, kernels::Log1p, kernels::Log2,
             kernels::Log10, kernels::Softplus, kernels::LogSigmoid, kernels::Erf, kernels::Erfc,
             kernels::Sigmoid, kernels::Silu, kernels::SiluMul, kernels::Gelu, kernels::BiasGelu,
             kernels::GeluTanh, kernels::Tanh>;

template <typename Functor>
Exact exact() {
  return {function<Functor, float>(), function<Functor, double>(), function<Functor, std::int64_t>(),
          kByLibrary<Functor>,        kByErrorFunction<Functor>,   kIsRough<Functor>};
}

/// An element as a compute type has it, after the conversion to the common dtype. Sizes of 1 repeat.
template <typename T>
T element(const Tensor& tensor, const Sizes& at, Dtype common) {
  std::int64_t offset = 0;
  const std::size_t lead = at.size() - tensor.sizes().size();
  for (std::size_t d = 0; d < tensor.sizes().size(); ++d) {
    offset += tensor.sizes()[d] == 1 ? 0 : at[lead + d] * tensor.strides()[d];
  }
  const auto* const data = static_cast<const std::byte*>(tensor.data_ptr()) + offset * tensor.element_size();
  alignas(8) std::byte as_common[8];
  kernels::convert_element(common, as_common, tensor.dtype(), data);
  T result;
  kernels::convert_element(dtype_of<T>, &result, common, as_common);
  return result;
}

/// That got(at) = function(a(at), b(at)) to the last bit, or to a relative error, the common dtype being
/// `common`.
template <typename T>
void expect_elements(const Tensor& got, Dtype common, Function<T> function, const Tensor& a, const Tensor& b,
                     double error = 0) {
  ASSERT_NE(function, nullptr);
  test::for_each_index(got.sizes(), [&](const Sizes& at) {
    const T value = function(element<T>(a, at, common), element<T>(b, at, common));
    alignas(8) std::byte stored[8];
    double expected = 0;
    kernels::convert_element(got.dtype(), stored, dtype_of<T>, &value);
    kernels::convert_element(float64, &expected, got.dtype(), stored);
    const double found = number(got, at);
    const bool same = found == expected || (std::isnan(found) && std::isnan(expected)) ||
                      std::abs(found - expected) <= error * std::min(std::abs(found), std::abs(expected));
    ASSERT_TRUE(same) << found << " at " << to_string(at) << ", not " << expected;
  });
}

/// How far a GPU's result may be from the CPU's, in units in the last place.
double units_apart(const Exact& exact, Dtype common) {
  if (common == float32 && exact.by_error_function) return 8;
  const bool rough = exact.is_rough && (common == float16 || common == bfloat16);
  return exact.by_library || rough ? 1 : 0;
}

void expect_result(const Exact& exact, const Tensor& result, Dtype common, const Tensor& left,
                   const Tensor& right) {
  const Tensor got = result.cpu();
  const Tensor a = left.cpu();
  const Tensor b = right.cpu();
  if (common == float64) {
    const bool own_library = result.is_cuda() && (exact.by_library || exact.by_error_function);
    expect_elements<double>(got, common, exact.of_doubles, a, b, own_library ? 0x1p-47 : 0);
  } else if (is_floating_point(common)) {
    const double units = result.is_cuda() ? units_apart(exact, common) : 0;
    expect_elements<float>(got, common, exact.of_floats, a, b,
                           units == 0 ? 0 : units * finfo(got.dtype()).eps);
  } else {
    expect_elements<std::int64_t>(got, common, exact.of_integers, a, b);
  }
}

Dtype common_dtype(Rule rule, Dtype promoted) {
  return rule == Rule::real && !is_floating_point(promoted) ? float32 : promoted;
}

bool refuses(Rule rule, Dtype common) {
  const bool real = is_floating_point(common);
  return (rule == Rule::any_numeric && common == bool_) || (rule == Rule::floating && !real) ||
         (rule == Rule::bits && real) || (rule == Rule::integer && (real || common == bool_));
}

const std::vector<Sizes>& shapes() {
  static const std::vector<Sizes> made = {{}, {0}, {8}, {5, 33}, {3, 1, 40}, {2, 3, 4, 5}};
  return made;
}

// --- one operand

/// What bitwise_not is of bool.
const Exact kLogicalNot = exact<kernels::LogicalNot>();

void test_unary(const std::string& title, const Exact& exact, Rule rule, Tensor (*function)(const Tensor&),
                Tensor (Tensor::*method)() const, const Tensor& (Tensor::*in_place)() const) {
  for (const Dtype dtype : test::kAllDtypes) {
    for (const Sizes& sizes : shapes()) {
      for (const test::Laid& laid : test::layouts(sizes, dtype)) {
        SCOPED_TRACE(title + " of " + std::string(name(dtype)) + " " + to_string(sizes) + " " + laid.how);
        const bool to_integer = title == "square" && dtype == bool_;
        if (refuses(rule, dtype)) {
          EXPECT_THROW(function(laid.tensor), TensorError);
          continue;
        }
        const Dtype common = to_integer ? int64 : common_dtype(rule, dtype);
        const Tensor result = function(laid.tensor);
        ASSERT_EQ(result.dtype(), rule == Rule::predicate ? bool_ : common);
        ASSERT_EQ(result.sizes(), sizes);
        const bool of_truths = title == "bitwise_not" && dtype == bool_;
        expect_result(of_truths ? kLogicalNot : exact, result, common, laid.tensor, laid.tensor);
        ASSERT_TRUE(test::same_bits((laid.tensor.*method)().contiguous(), result.contiguous()));

        if (laid.how.starts_with("expanded")) {
          if (!laid.tensor.is_contiguous()) {
            EXPECT_THROW((laid.tensor.*in_place)(), TensorError);
          }
        } else if (can_cast(result.dtype(), dtype)) {
          EXPECT_TRUE((laid.tensor.*in_place)().is_same(laid.tensor));
          ASSERT_TRUE(test::same_bits(laid.tensor.contiguous(), result.to(dtype).contiguous()));
        } else {
          EXPECT_THROW((laid.tensor.*in_place)(), TensorError);
        }
      }
    }
  }
}

#define LECTERN_ROW(name, Functor, rule, autocast)                                          \
  TEST(Elementwise, name##_of_every_dtype_in_every_layout) {                                \
    test_unary(#name, exact<kernels::Functor>(), Rule::rule, &lectern::name, &Tensor::name, \
               &Tensor::name##_);                                                           \
  }
LECTERN_UNARY_OPERATIONS(LECTERN_ROW)
#undef LECTERN_ROW

// --- two operands

struct BinaryRow {
  std::string title;
  Exact exact;
  Rule rule;
  Tensor (*function)(const Tensor&, const Tensor&);
  Tensor (*with_right)(const Tensor&, const Scalar&);
  Tensor (*with_left)(const Scalar&, const Tensor&);
  Tensor (Tensor::*method)(const Tensor&) const;
  const Tensor& (Tensor::*in_place)(const Tensor&) const;
  const Tensor& (Tensor::*in_place_with)(const Scalar&) const;

  bool refuses(Dtype a, Dtype b, Dtype promoted) const {
    return (title == "sub" && (a == bool_ || b == bool_)) || lectern::refuses(rule, promoted);
  }
  /// Numbers to compute with; no 0 where one would be refused as a divisor.
  Tensor filled(const Sizes& sizes, Dtype dtype, unsigned seed) const {
    const Tensor made = test::filled(sizes, dtype, seed);
    const bool divides =
        title == "floor_divide" || title == "trunc_divide" || title == "remainder" || title == "fmod";
    return divides && !is_floating_point(dtype) ? made.masked_fill_(made.eq(0), 1) : made;
  }
};

void test_pair(const BinaryRow& row, const test::Laid& a, const test::Laid& b, Dtype promoted) {
  const Dtype common = common_dtype(row.rule, promoted);
  const Tensor result = row.function(a.tensor, b.tensor);
  ASSERT_EQ(result.dtype(), row.rule == Rule::predicate ? bool_ : common);
  ASSERT_EQ(result.sizes(), broadcast_sizes("", a.tensor.sizes(), b.tensor.sizes()));
  expect_result(row.exact, result, common, a.tensor, b.tensor);
  ASSERT_TRUE(test::same_bits((a.tensor.*row.method)(b.tensor).contiguous(), result.contiguous()));

  if (a.how.starts_with("expanded") || result.sizes() != a.tensor.sizes()) return;
  const Tensor self = a.tensor.clone();
  if (can_cast(result.dtype(), self.dtype())) {
    EXPECT_TRUE((self.*row.in_place)(b.tensor).is_same(self));
    ASSERT_TRUE(test::same_bits(self.contiguous(), result.to(self.dtype()).contiguous()));
  } else {
    EXPECT_THROW((self.*row.in_place)(b.tensor), TensorError);
  }
}

void test_numbers(const BinaryRow& row, const test::Laid& a) {
  const Dtype dtype = a.tensor.dtype();
  for (const Scalar& scalar : {Scalar(true), Scalar(3), Scalar(1.25)}) {
    const Dtype promoted = ResultType().tensor(dtype, a.tensor.dim()).scalar(scalar.dtype()).dtype();
    if (row.refuses(dtype, scalar.dtype(), promoted)) {
      EXPECT_THROW(row.with_right(a.tensor, scalar), TensorError);
      EXPECT_THROW(row.with_left(scalar, a.tensor), TensorError);
      continue;
    }
    SCOPED_TRACE("with the number " + std::to_string(scalar.to_double()));
    const Dtype common = common_dtype(row.rule, promoted);
    const Tensor filled = full({}, scalar, {.dtype = common});
    const Tensor right = row.with_right(a.tensor, scalar);
    ASSERT_EQ(right.dtype(), row.rule == Rule::predicate ? bool_ : common);
    expect_result(row.exact, right, common, a.tensor, filled);
    expect_result(row.exact, row.with_left(scalar, a.tensor), common, filled, a.tensor);
    const Tensor self = a.tensor.clone();
    if (can_cast(right.dtype(), dtype)) {
      EXPECT_TRUE((self.*row.in_place_with)(scalar).is_same(self));
      ASSERT_TRUE(test::same_bits(self.contiguous(), right.to(dtype).contiguous()));
    } else {
      EXPECT_THROW((self.*row.in_place_with)(scalar), TensorError);
    }
  }
}

void test_binary(const BinaryRow& row) {
  for (const Dtype dtype : test::kAllDtypes) {
    for (const Sizes& sizes : shapes()) {
      const auto laid = [&](unsigned seed) {
        return test::layouts(sizes, dtype, [&](const Sizes& s, Dtype d) { return row.filled(s, d, seed); });
      };
      const std::vector<test::Laid> as = laid(1), bs = laid(2);
      for (std::size_t i = 0; i < as.size(); ++i) {
        SCOPED_TRACE(row.title + " of " + std::string(name(dtype)) + " " + to_string(sizes) + " " +
                     as[i].how);
        if (row.refuses(dtype, dtype, dtype)) {
          EXPECT_THROW(row.function(as[i].tensor, bs[i].tensor), TensorError);
        } else {
          test_pair(row, as[i], bs[i], dtype);
          test_pair(row, as[i], bs[0], dtype);
          test_pair(row, as[i], bs[(i + 1) % bs.size()], dtype);
        }
        test_numbers(row, as[i]);
      }
    }
  }
}

void test_promotion(const BinaryRow& row) {
  for (const Dtype first : test::kAllDtypes) {
    for (const Dtype second : test::kAllDtypes) {
      SCOPED_TRACE(row.title + " of " + std::string(name(first)) + " and " + std::string(name(second)));
      // A tensor without dimensions takes part by its category only.
      for (const auto& [a_sizes, b_sizes] :
           {std::pair<Sizes, Sizes>{{3, 1, 7}, {5, 7}}, {{}, {9}}, {{9}, {}}, {{}, {}}}) {
        if (first != second && (is_float8(first) || is_float8(second))) continue;
        const test::Laid a{"a", row.filled(a_sizes, first, 3)};
        const test::Laid b{"b", row.filled(b_sizes, second, 4)};
        const Dtype promoted =
            ResultType().tensor(first, a.tensor.dim()).tensor(second, b.tensor.dim()).dtype();
        if (row.refuses(first, second, promoted)) {
          EXPECT_THROW(row.function(a.tensor, b.tensor), TensorError);
          continue;
        }
        test_pair(row, a, b, promoted);
      }
    }
  }
}

#define LECTERN_ROW(name, Functor, rule, autocast)                            \
  const BinaryRow name##_forms = {#name,           exact<kernels::Functor>(), \
                                  Rule::rule,      &lectern::name,            \
                                  &lectern::name,  &lectern::name,            \
                                  &Tensor::name,   &Tensor::name##_,          \
                                  &Tensor::name##_};                          \
  TEST(Elementwise, name##_of_every_dtype_in_every_layout) {                  \
    test_binary(name##_forms);                                                \
  }                                                                           \
  TEST(Elementwise, name##_of_two_dtypes) {                                   \
    test_promotion(name##_forms);                                             \
  }
LECTERN_BINARY_OPERATIONS(LECTERN_ROW)
#undef LECTERN_ROW

}  // namespace
}  // namespace lectern
