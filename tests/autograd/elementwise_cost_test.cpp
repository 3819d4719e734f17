// What gradients of elementwise operations count, beside loops that count what they do.
#include <functional>
#include <map>
#include <vector>

#include <gtest/gtest.h>

#include "autograd/gradient_cost.h"
#include "kernels/elementwise_gradients.h"
#include "ops/activations.h"
#include "ops/cost_functions.h"
#include "ops/elementwise.h"
#include "ops/selection.h"

namespace lectern {
namespace {

using kernels::GradientReads;
using kernels::is_computed;
using test::Array;
using test::Arrays;
using test::copied;
using test::cost;
using test::Counted;
using test::each;
using test::each_as;
using test::expect_gradients;
using test::loop_cost;
using test::sum_back;
using test::zero;

/// One function of the gradient and of what it reads, brought back to the shape of the operand; of nothing
/// where there is nothing to compute.
Counters cost_of_row(GradientReads reads, const Tensor& grad, const std::vector<Tensor>& read,
                     const Sizes& operand) {
  return loop_cost([&] {
    Array gradient(grad);
    if (reads == GradientReads::zero) gradient = zero(grad.sizes());
    if (is_computed(reads)) {
      gradient = Array::made(grad.sizes());
      const Array given(grad);
      const Arrays others(read.begin(), read.end());
      test::for_each_index(grad.sizes(), [&](const Sizes& index) {
        (void)given[index];
        for (const Array& other : others) (void)other[index];
        gradient.set(index, test::counted(0));
      });
    }
    sum_back(gradient, operand);
  });
}

Tensor half(const Sizes& sizes, Dtype dtype) {
  return full(sizes, 0.5, {.dtype = dtype});
}

struct Derivative {
  std::string_view name;
  std::function<Tensor(const Tensor&)> operation;
  GradientReads reads;
};

TEST(BackwardCost, OfEveryUnaryOperation) {
  constexpr auto kOfTruths = [](kernels::DtypeRule rule) { return rule == kernels::DtypeRule::bits; };
#define LECTERN_ROW(name, Functor, rule, autocast)                                                     \
  Derivative{                                                                                          \
      #name,                                                                                           \
      [=](const Tensor& x) { return lectern::name(kOfTruths(kernels::DtypeRule::rule) ? x > 0 : x); }, \
      kernels::Functor::kGradient},
  const Derivative rows[] = {LECTERN_UNARY_OPERATIONS(LECTERN_ROW)};
#undef LECTERN_ROW
  for (const test::Laid& laid : test::shape_classes(float32, half)) {
    SCOPED_TRACE(laid.how);
    const Tensor x = test::leaf_like(laid.tensor);
    std::map<GradientReads, Counters> loops[2];
    for (const Derivative& row : rows) {
      const Tensor y = row.operation(x);
      if (!y.requires_grad()) continue;
      // A result that is read lies as the operand does, except that it is dense.
      const bool is_read = row.reads != GradientReads::grad;
      const std::vector<Tensor> read(is_read ? 1 : 0, row.reads == GradientReads::output ? y.detach() : x);
      for (std::size_t i = 0; const Tensor& grad : test::gradients_like(y)) {
        const auto [at, is_new] = loops[i++].try_emplace(row.reads);
        if (is_new) at->second = cost_of_row(row.reads, grad, read, x.sizes());
        EXPECT_EQ(cost([&] { autograd::grad({y}, {x}, {grad}, {.retain_graph = true}); }), at->second)
            << row.name;
      }
    }
  }
}

struct Derivatives {
  std::string_view name;
  std::function<Tensor(const Tensor&, const Tensor&)> operation;
  GradientReads reads_a, reads_b;
};

/// With respect to either operand, and to both.
void expect_binary_gradients(const std::vector<Derivatives>& rows, const Tensor& a, const Tensor& b) {
  std::map<std::pair<GradientReads, bool>, Counters> loops;
  const auto loop = [&](GradientReads reads, const Tensor& grad, const Tensor& operand) {
    std::vector<Tensor> read;
    if (reads == GradientReads::both || reads == GradientReads::a) read.push_back(a);
    if (reads == GradientReads::both || reads == GradientReads::b) read.push_back(b);
    const auto [at, is_new] = loops.try_emplace({reads, operand.is_same(a)});
    if (is_new) at->second = cost_of_row(reads, grad, read, operand.sizes());
    return at->second;
  };
  for (const bool is_repeated : {false, true}) {
    loops.clear();
    for (const Derivatives& row : rows) {
      const Tensor y = row.operation(a, b);
      const std::vector<Tensor> grads = test::gradients_like(y);
      if (!y.requires_grad() || (is_repeated && grads.size() == 1)) continue;
      const Tensor& grad = grads[is_repeated ? 1 : 0];
      const Counters to_a = loop(row.reads_a, grad, a), to_b = loop(row.reads_b, grad, b);
      const auto gradients = [&](const std::vector<Tensor>& inputs) {
        return cost([&] { autograd::grad({y}, inputs, {grad}, {.retain_graph = true}); });
      };
      EXPECT_EQ(gradients({a}), to_a) << row.name;
      EXPECT_EQ(gradients({b}), to_b) << row.name;
      EXPECT_EQ(gradients({a, b}), (Counters{to_a.flops + to_b.flops, to_a.bytes + to_b.bytes})) << row.name;
    }
  }
}

/// The operations of floating numbers that have a derivative.
std::vector<Derivatives> binary_derivatives() {
  std::vector<Derivatives> rows;
#define LECTERN_ROW(name, Functor, rule, autocast)                                               \
  if (kernels::DtypeRule::rule != kernels::DtypeRule::bits &&                                    \
      kernels::DtypeRule::rule != kernels::DtypeRule::integer &&                                 \
      std::string_view(#name) != "floor_divide") /* has no derivative */                         \
    rows.push_back({#name, [](const Tensor& a, const Tensor& b) { return lectern::name(a, b); }, \
                    kernels::Functor::kGradientA, kernels::Functor::kGradientB});
  LECTERN_BINARY_OPERATIONS(LECTERN_ROW)
#undef LECTERN_ROW
  for (const char* const mode : {"floor", "trunc"}) {
    rows.push_back({"div that rounds", [=](const Tensor& a, const Tensor& b) { return div(a, b, mode); },
                    GradientReads::zero, GradientReads::zero});
  }
  return rows;
}

TEST(BackwardCost, OfEveryBinaryOperation) {
  const std::vector<Derivatives> rows = binary_derivatives();
  for (const auto& [how, a, b] : test::broadcast_pairs(float32, half)) {
    SCOPED_TRACE(how);
    expect_binary_gradients(rows, test::leaf_like(a), test::leaf_like(b));
  }
}

TEST(BackwardCost, OfBinaryOperationsInPlace) {
  const Tensor a = test::random_leaf({3, 4}), b = test::random_leaf({4}, 2);
  // The gradient is that of the operation; a copy was made before, of what it reads.
  expect_gradients(
      {a, b}, [&] { return a.clone().mul_(b); },
      [&](const Array& grad) -> Arrays {
        return {each(test::kTimes, grad, Array(b)), sum_back(each(test::kTimes, grad, Array(a)), {4})};
      });
  expect_gradients(
      {a}, [&] { return a.clone().div_(b.detach(), "floor"); },
      [&](const Array& grad) -> Arrays { return {zero(grad.sizes())}; });
}

// Numbers that are saved are read as one element of a tensor.
TEST(BackwardCost, OfANumberThatWasGiven) {
  test::for_each_leaf([](const Tensor& x) {
    expect_gradients(
        {x}, [&] { return x * 0.5; },
        [](const Array& grad) -> Arrays {
          return {each(test::kTimes, grad, Array(tensor(0.5, {.dtype = float64})))};
        });
    expect_gradients(
        {x}, [&] { return x + 0.5; }, [](const Array& grad) -> Arrays { return {grad}; });
  });
}

TEST(BackwardCost, OfAChangeInPlace) {
  test::for_each_leaf([](const Tensor& x) {
    const Tensor y = x.clone();
    // Saved elements are copied before they are overwritten.
    EXPECT_EQ(cost([&] { y.square_(); }), loop_cost([&] {
                const Array dense(x.detach().clone());
                copied(dense), each([](Counted a) { return a * Counted{1}; }, dense);
              }));
    expect_gradients(
        {x}, [&] { return y; },
        [&](const Array& grad) -> Arrays {
          const Array saved(x.detach().clone());
          return {
              each([](Counted g, Counted a) { return test::counted(2 * g.value * a.value); }, grad, saved)};
        });
  });
}

TEST(BackwardCost, OfSelections) {
  for (const auto& [how, left, right] : test::broadcast_pairs()) {
    SCOPED_TRACE(how);
    const Tensor a = test::leaf_like(left), b = test::leaf_like(right);
    const Tensor mask = left > 0, other_mask = right > 0, value = test::random_leaf({}, 3);
    expect_gradients(
        {a, b}, [&] { return where(mask, a, b); },
        [&](const Array& grad) -> Arrays {
          return {sum_back(each(test::where_false(0), Array(mask), grad), a.sizes()),
                  sum_back(each(test::where_true(0), Array(mask), grad), b.sizes())};
        });
    const auto filled = [&](const Array& grad) -> Arrays {
      return {sum_back(each(test::where_true(0), Array(other_mask), grad), a.sizes()),
              sum_back(each(test::where_false(0), Array(other_mask), grad), {})};
    };
    expect_gradients(
        {a, value}, [&] { return masked_fill(a, other_mask, value); }, filled);
    if (broadcast_sizes("", a.sizes(), b.sizes()) == a.sizes())
      expect_gradients(
          {a, value}, [&] { return a.clone().masked_fill_(other_mask, value); }, filled);
  }
}

/// Where each of the three operands of clamp() passes its gradient on.
Arrays clamp_loop(const Array& grad, const Tensor& x, const Tensor& low, const Tensor& high) {
  const auto at_least = [](Counted a, Counted b) { return test::counted(a.value >= b.value ? 1 : 0); };
  const auto at_most = [](Counted a, Counted b) { return test::counted(a.value <= b.value ? 1 : 0); };
  const auto less = [](Counted a, Counted b) { return a < b; };
  const auto more = [](Counted a, Counted b) { return b < a; };
  const auto truths = [](const auto& function, const auto&... of) { return each_as(bool_, function, of...); };
  const Array in(x), min(low), max(high);
  const auto passed = [&](const Array& condition, const Tensor& operand) {
    return sum_back(each(test::where_false(0), condition, grad), operand.sizes());
  };
  return {passed(truths(test::kAnd, truths(at_least, in, min), truths(at_most, in, max)), x),
          passed(truths(test::kAnd, truths(less, in, min), truths(less, min, max)), low),
          passed(truths(test::kOr, truths(more, in, max), truths(more, min, max)), high)};
}

TEST(BackwardCost, OfClamping) {
  for (const auto& [how, left, right] : test::broadcast_pairs()) {
    SCOPED_TRACE(how);
    const Tensor x = test::leaf_like(left), low = test::leaf_like(right),
                 high = test::random_leaf(right.sizes(), 3);
    const auto loop = [&](const Array& grad) { return clamp_loop(grad, x, low, high); };
    expect_gradients(
        {x, low, high}, [&] { return clamp(x, std::optional(low), std::optional(high)); }, loop);
    if (broadcast_sizes("", x.sizes(), low.sizes()) != x.sizes() || !x.is_contiguous()) continue;
    expect_gradients(
        {x, low, high}, [&] { return x.clone().clamp_(std::optional(low), std::optional(high)); }, loop);
  }
  test::for_each_leaf([](const Tensor& x) {
    expect_gradients(
        {x}, [&] { return clamp(x, Scalar(-0.5), Scalar(0.5)); },
        [&](const Array& grad) -> Arrays {
          const Array in(x);
          const Array inside = each_as(bool_, test::kAnd, each_as(bool_, test::greater(-0.5), in),
                                       each_as(bool_, test::less(0.5), in));
          return {each(test::where_false(0), inside, grad)};
        });
  });
}

TEST(BackwardCost, OfNanToNum) {
  test::for_each_leaf([](const Tensor& x) {
    const Tensor mask = isnan(x.detach());  // there are none; all masks are alike
    const auto unfilled = [&](const Array& grad) {
      const auto once = [&](const Array& of) { return each(test::where_true(0), Array(mask), of); };
      return once(once(once(grad)));
    };
    expect_gradients(
        {x}, [&] { return nan_to_num(x); }, [&](const Array& grad) -> Arrays { return {unfilled(grad)}; });
    // What is overwritten has a gradient of 0, to which that of the new numbers is added.
    expect_gradients(
        {x}, [&] { return x.clone().nan_to_num_(); },
        [&](const Array& grad) -> Arrays { return {each(test::kPlus, zero(grad.sizes()), unfilled(grad))}; });
  });
}

TEST(BackwardCost, OfActivations) {
  test::for_each_leaf([](const Tensor& x) {
    for (const char* const approximate : {"none", "tanh"}) {
      const Tensor y = gelu(x, approximate);
      for (const Tensor& grad : test::gradients_like(y)) {
        EXPECT_EQ(cost([&] { autograd::grad({y}, {x}, {grad}, {.retain_graph = true}); }),
                  cost_of_row(GradientReads::input, grad, {x}, x.sizes()));
      }
    }
    if (x.dim() == 0 || x.size(-1) % 2 != 0) return;
    const Tensor y = swiglu(x), a = x.narrow(-1, 0, y.size(-1)), b = x.narrow(-1, y.size(-1), y.size(-1));
    for (const Tensor& grad : test::gradients_like(y)) {
      // Both halves' gradients, of which one is copied to zeros, and the other added there.
      static_assert(kernels::SiluMul::kGradientA == GradientReads::both &&
                    kernels::SiluMul::kGradientB == GradientReads::a);
      const Counters of_a = cost_of_row(GradientReads::both, grad, {a.detach(), b.detach()}, y.sizes());
      const Counters of_b = cost_of_row(GradientReads::a, grad, {a.detach()}, y.sizes());
      const Counters together = loop_cost([&] {
        const Array whole = zero(x.sizes());
        const Array part = Array::made(y.sizes());
        test::each_into(part, test::kItself, Array::made(y.sizes()));
        each(test::kPlus, part, Array::made(y.sizes()));
      });
      EXPECT_EQ(
          cost([&] { autograd::grad({y}, {x}, {grad}, {.retain_graph = true}); }),
          (Counters{of_a.flops + of_b.flops + together.flops, of_a.bytes + of_b.bytes + together.bytes}));
    }
  });
}

}  // namespace
}  // namespace lectern
