// What leaves and tensors that are used several times collect, beside loops that count what they do.
#include <gtest/gtest.h>

#include "autograd/gradient_cost.h"
#include "ops/cost_functions.h"
#include "ops/elementwise.h"
#include "ops/reductions.h"

namespace lectern {
namespace {

using test::Array;
using test::copied;
using test::cost;
using test::each;
using test::kPlus;
using test::kTimes;
using test::loop_cost;
using test::random_leaf;
using test::uniform;

TEST(BackwardCost, OfSumsAtTensorsThatAreUsedSeveralTimes) {
  test::for_each_leaf([](const Tensor& x) {
    const Tensor a = uniform(x.sizes(), float32, 2), b = uniform(x.sizes(), float32, 3);
    test::expect_gradients(
        {x}, [&] { return x * a + x * b; },
        [&](const Array& grad) -> test::Arrays {
          return {each(kPlus, each(kTimes, grad, Array(a)), each(kTimes, grad.again(), Array(b)))};
        });
  });
}

TEST(BackwardCost, OfWhatLeavesCollect) {
  const Tensor x = random_leaf({3, 4}), a = uniform({3, 4}, float32, 2), grad = uniform({3, 4}, float32, 3);
  const auto backward = [&] {
    const Tensor y = x * a;
    return cost([&] { y.backward(grad); });
  };
  const auto own = [&] { return each(kTimes, Array(grad), Array(a)); };
  EXPECT_EQ(backward(), loop_cost(own)) << "the first is kept as it is";
  EXPECT_EQ(backward(), loop_cost([&] { each(kPlus, own(), Array(grad)); })) << "the second is added";
  // An expanded gradient becomes contiguous storage of the leaf's own.
  const Tensor w = random_leaf({3, 4}), sum = w.sum(), one = ones({});
  EXPECT_EQ(cost([&] { sum.backward(one); }), loop_cost([&] { copied(Array(one.expand({3, 4}))); }));
}

}  // namespace
}  // namespace lectern
