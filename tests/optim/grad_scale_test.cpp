#include <gtest/gtest.h>

#include "ops/compare.h"
#include "ops/expect_error.h"
#include "optim/adafactor.h"
#include "optim/adagrad.h"
#include "optim/adam.h"
#include "optim/optimizer.h"
#include "optim/rmsprop.h"
#include "optim/sgd.h"
#include "optim/training.h"

// Steps with a gradient scaler: gradients are unscaled, and a step is skipped where they overflowed.

namespace lectern {
namespace {

using test::parameter;
using test::uniform;

optim::GradScale scale_of(double inv_scale, bool found_inf) {
  return {full({}, inv_scale, {.dtype = float32}), full({}, found_inf ? 1. : 0., {.dtype = float32})};
}

/// Every third step overflows and has no effect, also on what depends on the step count.
template <typename Optimizer, typename Options>
void expect_skips(const Options& options) {
  const Tensor gradients = uniform({12, 9}, float32, 3);
  const Tensor p = parameter({9}), q = parameter({9});
  Optimizer plain({p}, options), scaled({q}, options);
  for (std::int64_t t = 0; t < 12; ++t) {
    const bool overflows = t % 3 == 0;
    q.mutable_grad() = overflows ? full({9}, 1e38) * 10 : gradients[t] * 256;
    const Tensor before = q.detach().clone(), grad = q.grad().clone();
    scaled.step(scale_of(1. / 256, overflows));
    EXPECT_TRUE(q.grad().equal(grad));
    if (overflows) {
      EXPECT_TRUE(q.equal(before));
      continue;
    }
    p.mutable_grad() = gradients[t].clone();
    plain.step();
    EXPECT_TRUE(test::same_bits(q.detach().cpu(), p.detach().cpu())) << t;
  }
  for (const auto& [name, tensor] : plain.state(p)) {
    const Tensor& other = scaled.state(q)[name];
    if (name == "step") {
      EXPECT_EQ(other.item<double>(), 8);
      EXPECT_EQ(other.device(), q.device());
    } else {
      EXPECT_TRUE(other.equal(tensor)) << name;
    }
  }
  // Without a scaler it goes on from there.
  for (Optimizer* optimizer : {&plain, &scaled}) {
    const Tensor& of = optimizer == &plain ? p : q;
    of.mutable_grad() = gradients[0].clone();
    optimizer->step();
  }
  EXPECT_TRUE(test::same_bits(q.detach().cpu(), p.detach().cpu()));
}

TEST(GradScale, SkipsWhatOverflowed) {
  expect_skips<optim::SGD>(optim::SGDOptions{.lr = 0.1});
  expect_skips<optim::SGD>(optim::SGDOptions{.lr = 0.1, .momentum = 0.9, .dampening = 0.5});
  expect_skips<optim::Adagrad>(optim::AdagradOptions{.lr = 0.1, .lr_decay = 0.1});
  expect_skips<optim::RMSprop>(optim::RMSpropOptions{.lr = 0.1, .maximize = true});
  expect_skips<optim::Adam>(optim::AdamOptions{.lr = 0.1, .weight_decay = 0.1});
  expect_skips<optim::Adafactor>(optim::AdafactorOptions{.beta1 = 0.9, .weight_decay = 0.1});
  expect_skips<optim::AdamW>(optim::AdamWOptions{.lr = 0.1, .amsgrad = true});
}

TEST(GradScale, IsTwoFloatsOnTheParametersDevice) {
  const Tensor p = parameter({3});
  optim::Adam optimizer({p});
  p.mutable_grad() = ones({3});
  optim::GradScale wrong = scale_of(1, false);
  wrong.inv_scale = ones({}, {.dtype = float64});
  EXPECT_PROBLEM(optimizer.step(wrong), "Adam: inv_scale and found_inf must be one float32 element each on ");
  wrong.inv_scale = ones({2});
  EXPECT_PROBLEM(optimizer.step(wrong), "of shape [2]");
}

}  // namespace
}  // namespace lectern
