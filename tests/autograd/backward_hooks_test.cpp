#include "autograd/backward_hooks.h"

#include <string>

#include <gtest/gtest.h>

#include "autograd/backward.h"
#include "ops/compare.h"
#include "ops/elementwise.h"
#include "ops/expect_error.h"
#include "ops/reductions.h"
#include "tensor/creation.h"

namespace lectern {
namespace {

TEST(PostAccumulateGradHook, RunsAsSoonAsTheGradientIsComplete) {
  const Tensor early = ones({2}, {.requires_grad = true}), late = ones({2}, {.requires_grad = true});
  std::string order;
  const auto hook = [&](const char* name, const Tensor& leaf) {
    return [&order, name, gradient = &leaf] {
      order += name + std::to_string(static_cast<int>((*gradient).grad()[0].item<double>())) + " ";
    };
  };
  const Tensor product = early * 3, sum = product * late + late * 5;
  const auto of_early = autograd::register_post_accumulate_grad_hook(early, hook("early", early));
  autograd::register_post_accumulate_grad_hook(late, hook("late", late));
  autograd::register_hook(product, [&](const Tensor&) {
    order += "product ";
    return Tensor();
  });
  sum.sum().backward({}, true);
  EXPECT_EQ(order, "late8 product early3 ");  // both uses of `late` were before
  order.clear();
  sum.sum().backward({}, true);
  EXPECT_EQ(order, "late16 product early6 ");
  of_early.remove();
  order.clear();
  autograd::grad({sum.sum()}, {late}, {}, {.retain_graph = true});
  EXPECT_EQ(order, "");  // nothing is accumulated
  sum.sum().backward();
  EXPECT_EQ(order, "late24 product ");
}

TEST(PostAccumulateGradHook, MayReplaceTheGradient) {
  const Tensor x = ones({2}, {.requires_grad = true});
  const Tensor place = zeros({4});
  autograd::register_post_accumulate_grad_hook(x, [&, leaf = &x] {
    const Tensor part = place.alias({2}, {1}, 2);
    part.copy_(leaf->grad());
    leaf->mutable_grad() = part;
  });
  for (int pass = 1; pass <= 2; ++pass) {
    (x * 2).sum().backward();
    EXPECT_TRUE(place.equal(tensor({0., 0, 2. * pass, 2. * pass})));
  }
}

TEST(PostAccumulateGradHook, IsOfLeavesOnly) {
  const Tensor x = ones({2}, {.requires_grad = true});
  EXPECT_PROBLEM(autograd::register_post_accumulate_grad_hook(x * 2, [] {}), "must be a leaf");
  EXPECT_PROBLEM(autograd::register_post_accumulate_grad_hook(ones({2}), [] {}), "requires a gradient");
}

TEST(QueueCallback, RunsAtTheEndOfBackward) {
  const Tensor x = ones({2}, {.requires_grad = true}), y = x * 2;
  std::string order;
  const auto hook = autograd::register_hook(y, [&](const Tensor&) {
    autograd::queue_callback([&] {
      order += x.grad().defined() ? "first " : "early ";
      autograd::queue_callback([&] { order += "second "; });
    });
    return Tensor();
  });
  y.sum().backward({}, true);
  EXPECT_EQ(order, "first second ");
  hook.remove();
  autograd::register_hook(x, [&](const Tensor&) -> Tensor {
    autograd::queue_callback([&] { order += "never "; });
    throw TensorError("hook", "fails");
  });
  EXPECT_PROBLEM(y.sum().backward(), "hook: fails");
  EXPECT_EQ(order, "first second ");
  EXPECT_PROBLEM(autograd::queue_callback([] {}), "there is no backward() that runs");
}

}  // namespace
}  // namespace lectern
