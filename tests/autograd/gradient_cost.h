#pragma once

#include <vector>

#include <gtest/gtest.h>

#include "autograd/backward.h"
#include "ops/counting_loops.h"
#include "ops/shape_classes.h"

// What gradients count, beside loops that count what they do.

namespace lectern::test {

using Arrays = std::vector<Array>;

inline Tensor random_leaf(const Sizes& sizes, unsigned seed = 1) {
  return uniform(sizes, float32, seed).requires_grad_();
}

/// Of the result: one of elements of its own, and one that is repeated, as a sum's is.
inline std::vector<Tensor> gradients_like(const Tensor& result) {
  const Tensor own = uniform(result.sizes(), result.dtype(), 9);
  if (result.dim() == 0) return {own};
  return {own, uniform({}, result.dtype(), 10).expand(result.sizes())};
}

/// That the gradients of call() with respect to the inputs count what loop(gradient of the result) counts,
/// and equal it.
template <typename Call, typename Loop>
void expect_gradients(const std::vector<Tensor>& inputs, const Call& call, const Loop& loop,
                      const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
  const testing::ScopedTrace trace(file, line, "expected here");
  const Tensor result = call();
  for (const Tensor& grad : gradients_like(result)) {
    std::vector<Tensor> gradients;
    const Counters counted =
        cost([&] { gradients = autograd::grad({result}, inputs, {grad}, {.retain_graph = true}); });
    Arrays expected;
    EXPECT_EQ(counted, loop_cost([&] { expected = loop(Array(grad)); }))
        << "for a gradient with strides " << to_string(grad.strides());
    ASSERT_EQ(gradients.size(), expected.size());
    for (std::size_t i = 0; i < gradients.size(); ++i) expect_numbers(gradients[i], expected[i]);
  }
}

/// That the gradient is a view of the result's.
template <typename Call>
void expect_gradient_is_view(const Tensor& input, const Call& call, const char* file = __builtin_FILE(),
                             int line = __builtin_LINE()) {
  const testing::ScopedTrace trace(file, line, "expected here");
  const Tensor result = call();
  for (const Tensor& grad : gradients_like(result)) {
    EXPECT_EQ(cost([&] { autograd::grad({result}, {input}, {grad}, {.retain_graph = true}); }), Counters{});
  }
}

/// check(leaf) for each class of shapes.
template <typename Check>
void for_each_leaf(const Check& check) {
  for_each_shape([&](const Tensor& x) { check(leaf_like(x)); });
}

/// 0 everywhere.
inline Array zero(const Sizes& sizes) {
  return filled_array(0, sizes);
}

}  // namespace lectern::test
