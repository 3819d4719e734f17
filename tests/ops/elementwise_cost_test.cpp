// What elementwise operations count, beside loops that count what they do.
#include <functional>
#include <map>
#include <vector>

#include <gtest/gtest.h>

#include "kernels/elementwise.h"
#include "ops/activations.h"
#include "ops/compare.h"
#include "ops/cost_functions.h"
#include "ops/counting_loops.h"
#include "ops/elementwise.h"
#include "ops/selection.h"
#include "ops/shape_classes.h"
#include "tensor/finfo.h"

namespace lectern {
namespace {

using kernels::DtypeRule;
using test::Array;
using test::cost;
using test::Counted;
using test::each;
using test::each_as;
using test::loop_cost;

/// Reads all elements and writes those of the result, one function each.
void loop_each(const Tensor& result, const std::vector<Tensor>& given) {
  const Array out = Array::like(result);
  const std::vector<Array> in(given.begin(), given.end());
  test::for_each_index(out.sizes(), [&](const Sizes& index) {
    for (const Array& array : in) (void)array[index];
    out.set(index, test::counted(0));
  });
}

/// That call(), a tensor, counts one function for each of its elements.
template <typename Call>
void expect_each(const Call& call, const std::vector<Tensor>& given, std::string_view name) {
  Tensor made;
  const Counters counted = cost([&] { made = call(); });
  EXPECT_EQ(counted, loop_cost([&] { loop_each(made, given); })) << name;
}

Tensor filled_ones(const Sizes& sizes, Dtype dtype) {
  return full(sizes, 1, {.dtype = dtype});
}

Dtype operand_dtype(DtypeRule rule) {
  return rule == DtypeRule::bits || rule == DtypeRule::integer ? int64 : float32;
}

/// The loop over some operands, which operations share: it depends on the dtype of their result alone.
class SharedLoop {
 public:
  explicit SharedLoop(const std::vector<Tensor>& given) : given_(given) {
    for (const Tensor& tensor : given) sizes_ = broadcast_sizes("loop", sizes_, tensor.sizes());
  }

  template <typename Call>
  void expect(const Call& call, std::string_view name) {
    Tensor made;
    const Counters counted = cost([&] { made = call(); });
    ASSERT_EQ(made.sizes(), sizes_) << name;
    const auto [at, is_new] = loops_.try_emplace(made.dtype());
    if (is_new) at->second = loop_cost([&] { loop_each(made, given_); });
    EXPECT_EQ(counted, at->second) << name;
  }

 private:
  std::vector<Tensor> given_;
  Sizes sizes_;
  std::map<Dtype, Counters> loops_;
};

using UnaryCall = std::function<Tensor(const Tensor&)>;
using BinaryCall = std::function<Tensor(const Tensor&, const Tensor&)>;

struct UnaryCost {
  std::string_view name;
  DtypeRule rule;
  UnaryCall operation, in_place;
};

/// Of all shapes, in the dtype of each row.
void expect_rows(const std::vector<UnaryCost>& rows) {
  for (const Dtype dtype : {float32, int64}) {
    for (const auto& [how, in] : test::shape_classes(dtype, filled_ones)) {
      SCOPED_TRACE(how);
      const Tensor& x = in;
      SharedLoop loop({x});
      for (const UnaryCost& row : rows) {
        if (operand_dtype(row.rule) != dtype) continue;
        loop.expect([&] { return row.operation(x); }, row.name);
        if (row.in_place && test::is_writable(x)) loop.expect([&] { return row.in_place(x); }, row.name);
        if (row.in_place && test::is_writable(x)) x.fill_(1);  // as integers are to be divided by
      }
    }
  }
}

struct BinaryCost {
  std::string_view name;
  DtypeRule rule;
  BinaryCall operation, in_place;
};

void expect_rows(const std::vector<BinaryCost>& rows) {
  for (const Dtype dtype : {float32, int64}) {
    for (const auto& [how, left, right] : test::broadcast_pairs(dtype, filled_ones)) {
      SCOPED_TRACE(how);
      const Tensor &a = left, &b = right;
      const bool fits = test::is_writable(a) && broadcast_sizes("", a.sizes(), b.sizes()) == a.sizes();
      SharedLoop loop({a, b}), loop_in_place({a, b});
      for (const BinaryCost& row : rows) {
        if (operand_dtype(row.rule) != dtype) continue;
        loop.expect([&] { return row.operation(a, b); }, row.name);
        if (fits) loop_in_place.expect([&] { return row.in_place(a, b); }, row.name);
      }
    }
  }
}

TEST(Cost, OfEveryUnaryOperation) {
#define LECTERN_ROW(name, Functor, rule, autocast)                                    \
  UnaryCost{#name, DtypeRule::rule, [](const Tensor& x) { return lectern::name(x); }, \
            [](const Tensor& x) { return x.name##_(); }},
  expect_rows(std::vector<UnaryCost>{LECTERN_UNARY_OPERATIONS(LECTERN_ROW)});
#undef LECTERN_ROW
}

TEST(Cost, OfEveryBinaryOperation) {
#define LECTERN_ROW(name, Functor, rule, autocast)                                                         \
  BinaryCost{#name, DtypeRule::rule, [](const Tensor& a, const Tensor& b) { return lectern::name(a, b); }, \
             [](const Tensor& a, const Tensor& b) { return a.name##_(b); }},
  expect_rows(std::vector<BinaryCost>{LECTERN_BINARY_OPERATIONS(LECTERN_ROW)});
#undef LECTERN_ROW
}

// A number that is given counts nothing.
TEST(Cost, OfEveryBinaryOperationWithANumber) {
#define LECTERN_ROW(name, Functor, rule, autocast)                                       \
  UnaryCost{#name, DtypeRule::rule, [](const Tensor& x) { return lectern::name(x, 3); }, \
            [](const Tensor& x) { return x.name##_(1); }},                               \
      UnaryCost{#name, DtypeRule::rule, [](const Tensor& x) { return lectern::name(3, x); }, {}},
  expect_rows(std::vector<UnaryCost>{LECTERN_BINARY_OPERATIONS(LECTERN_ROW)});
#undef LECTERN_ROW
}

TEST(Cost, OfDivisionsThatRound) {
  for (const char* const mode : {"floor", "trunc"}) {
    expect_rows(std::vector<BinaryCost>{{mode, DtypeRule::same,
                                         [=](const Tensor& a, const Tensor& b) { return div(a, b, mode); },
                                         [=](const Tensor& a, const Tensor& b) { return a.div_(b, mode); }}});
    expect_rows(std::vector<UnaryCost>{
        {mode, DtypeRule::same, [=](const Tensor& x) { return div(x, 3, mode); },
         [=](const Tensor& x) { return x.div_(3, mode); }},
        {mode, DtypeRule::same, [=](const Tensor& x) { return div(3, x, mode); }, {}}});
  }
}

// Some powers are computed as other functions.
TEST(Cost, OfPowers) {
  for (const double exponent : {2., 0.5, -0.5, 3.}) {
    expect_rows(
        std::vector<UnaryCost>{{"pow", DtypeRule::same, [=](const Tensor& x) { return x.pow(exponent); },
                                [=](const Tensor& x) { return x.pow_(exponent); }}});
  }
}

TEST(Cost, OfActivations) {
  test::for_each_shape([](const Tensor& x) {
    for (const char* const approximate : {"none", "tanh"})
      expect_each([&] { return gelu(x, approximate); }, {x}, "gelu");
    if (x.dim() == 0 || x.size(-1) % 2 != 0) return;
    const std::int64_t half = x.size(-1) / 2;
    expect_each([&] { return swiglu(x); }, {x.narrow(-1, 0, half), x.narrow(-1, half, half)}, "swiglu");
  });
}

TEST(Cost, OfSelections) {
  for (const auto& [how, left, right] : test::broadcast_pairs()) {
    SCOPED_TRACE(how);
    const Tensor &x = left, &y = right, mask = x > 0, other_mask = y > 0;
    const std::optional<Tensor> bound = y;
    const Tensor one = tensor(2.);
    expect_each([&] { return where(mask, x, y); }, {mask, x, y}, "where");
    expect_each([&] { return where(other_mask, x, x); }, {other_mask, x, x}, "where");
    expect_each([&] { return where(mask, 0, y); }, {mask, y}, "where of a number");
    expect_each([&] { return where(mask, 0, 1); }, {mask}, "where of two numbers");
    expect_each([&] { return clamp(x, bound, bound); }, {x, y, y}, "clamp by tensors");
    expect_each([&] { return clamp(x, bound); }, {x, y}, "clamp from below by a tensor");
    expect_each([&] { return masked_fill(x, other_mask, 2); }, {x, other_mask}, "masked_fill");
    expect_each([&] { return masked_fill(x, other_mask, one); }, {x, other_mask, one}, "masked_fill");
    if (!test::is_writable(x) || broadcast_sizes("", x.sizes(), y.sizes()) != x.sizes()) continue;
    expect_each([&] { return x.masked_fill_(other_mask, 2); }, {x, other_mask}, "masked_fill_");
    expect_each([&] { return x.clamp_(bound, bound); }, {x, y, y}, "clamp_ by tensors");
    expect_each([&] { return x.clamp_({}, bound); }, {x, y}, "clamp_ from above by a tensor");
  }
  for (const auto& [how, in] : test::shape_classes()) {
    SCOPED_TRACE(how);
    const Tensor& x = in;
    expect_each([&] { return clamp(x, Scalar(-1), Scalar(1)); }, {x}, "clamp");
    expect_each([&] { return clamp(x, Scalar(-1)); }, {x}, "clamp from below");
    if (test::is_writable(x)) expect_each([&] { return x.clamp_(Scalar(-1), Scalar(1)); }, {x}, "clamp_");
  }
}

/// Three masks, of which each is filled.
Array without_nan(const Tensor& x) {
  const Array known = each(test::where_true(0.), each_as(bool_, test::kIsNan, Array(x)), Array(x));
  // The masks are of the tensor that was given.
  const Array rising =
      each(test::where_true(1.), each_as(bool_, test::equals(test::kInfinity), Array(x)), known);
  return each(test::where_true(-1.), each_as(bool_, test::equals(-test::kInfinity), Array(x)), rising);
}

TEST(Cost, OfNanToNum) {
  test::for_each_shape([](const Tensor& x) {
    test::expect_cost([&] { return nan_to_num(x, 0, Scalar(1), Scalar(-1)); },
                      [&] { return without_nan(x); });
    if (!test::is_writable(x)) return;
    test::expect_cost([&] { return x.nan_to_num_(0, Scalar(1), Scalar(-1)); },
                      [&] { return test::copied(without_nan(x)); });
  });
}

/// What isclose() with its tolerances consists of.
Array is_close(const Tensor& a, const Tensor& b) {
  const auto at_most = [](Counted x, Counted y) { return test::counted(x.value <= y.value ? 1 : 0); };
  const Array x(a), y(b);
  const Array equal = each_as(bool_, test::kEqual, x, y);
  const Array allowed = each(test::plus(1e-8), each(test::kAbs, each(test::times(1e-5), y)));
  const Array actual = each(test::kAbs, each(test::kMinus, x, y));
  const Array finite = each_as(bool_, test::less(test::kInfinity), actual);
  const Array near = each_as(bool_, test::kSmaller, finite, each_as(bool_, at_most, actual, allowed));
  return each_as(bool_, test::kLarger, equal, near);
}

/// The smallest of all, where there are some.
void all_true(const Array& truths) {
  if (checked_numel("all_true", truths.sizes()) == 0) return;
  Counted least{1};
  const Array in = truths.again();
  test::for_each_index(in.sizes(), [&](const Sizes& index) { least = test::kSmaller(least, in[index]); });
  Array::made({}, bool_).set({}, least);
}

TEST(Cost, OfComparingAllElements) {
  for (const auto& [how, left, right] : test::broadcast_pairs()) {
    SCOPED_TRACE(how);
    const Tensor &a = left, &b = right;
    test::expect_cost([&] { return isclose(a, b); }, [&] { return is_close(a, b); });
    EXPECT_EQ(cost([&] { allclose(a, b); }), loop_cost([&] { all_true(is_close(a, b)); }));
    EXPECT_EQ(cost([&] { equal(a, b); }), loop_cost([&] {
                if (a.sizes() == b.sizes()) all_true(each_as(bool_, test::kEqual, Array(a), Array(b)));
              }));
  }
}

}  // namespace
}  // namespace lectern
