#include "optim/lbfgs.h"

#include <gtest/gtest.h>

#include "ops/compare.h"
#include "ops/elementwise.h"
#include "ops/expect_error.h"
#include "ops/reductions.h"
#include "optim/training.h"
#include "tensor/creation.h"

namespace lectern {
namespace {

using test::parameter;
using test::uniform;

/// Rosenbrock's: a curved valley with its bottom at (1, 1).
Tensor valley(const optim::Optimizer& optimizer, const Tensor& x, const Tensor& y) {
  optimizer.zero_grad();
  Tensor loss = ((1 - x).square() + 100 * (y - x.square()).square()).sum();
  loss.backward();
  return loss;
}

TEST(Lbfgs, ComesToTheBottomOfAValley) {
  const Tensor x = full({}, -1.5, {.dtype = float64, .requires_grad = true});
  const Tensor y = full({1, 1}, 2., {.dtype = float64, .requires_grad = true});
  optim::LBFGS optimizer({x, y}, {.max_iter = 100, .strong_wolfe = true});
  const Tensor first = optimizer.step([&] { return valley(optimizer, x, y); });
  EXPECT_NEAR(first.item<double>(), 12.5, 1e-12);
  EXPECT_NEAR(x.detach().item<double>(), 1, 1e-5);
  EXPECT_NEAR(y.detach().item<double>(), 1, 1e-5);
}

/// 2 steps, and 2 more by another that has taken over the state: as 4.
TEST(Lbfgs, Resumes) {
  for (const Dtype dtype : {float64, float32}) {
    const Tensor p = parameter({3, 5}, 1, dtype), q = parameter({3, 5}, 1, dtype);
    const Tensor scales = uniform({3, 5}, dtype, 2).abs() + 0.5;
    const optim::LBFGSOptions options{.lr = 0.5, .max_iter = 4, .history_size = 3};
    optim::LBFGS whole({p}, options), first({q}, options);
    const auto steps = [&](optim::LBFGS& optimizer, const Tensor& of, int count) {
      for (int i = 0; i < count; ++i)
        optimizer.step([&] { return test::winding_loss(optimizer, of, scales); });
    };
    steps(whole, p, 4);
    steps(first, q, 2);
    StateDict saved;
    for (const auto& [name, tensor] : first.state_dict()) saved.insert(name, tensor.clone());
    EXPECT_TRUE(saved.contains("state.0.old_dirs.2"));
    EXPECT_FALSE(saved.contains("state.0.old_dirs.3"));
    const Tensor r = q.detach().clone().requires_grad_();
    optim::LBFGS second({r});
    second.load_state_dict(saved);
    steps(second, r, 2);
    EXPECT_TRUE(test::same_bits(r.detach(), p.detach()));
    EXPECT_EQ(second.state(r)["n_iter"].item<std::int64_t>(), 16);
  }
}

TEST(Lbfgs, StaysWhereItIsFlat) {
  const Tensor p = ones({3}, {.requires_grad = true});
  optim::LBFGS optimizer({p});
  int evaluations = 0;
  optimizer.step([&] {
    ++evaluations;
    optimizer.zero_grad();
    const Tensor loss = (p * 0).sum();
    loss.backward();
    return loss;
  });
  EXPECT_EQ(evaluations, 1);
  EXPECT_TRUE(p.detach().equal(ones({3})));
}

TEST(Lbfgs, ParametersWithoutGradientsStay) {
  const Tensor p = parameter({3}), unused = parameter({2}), none = parameter({0});
  const Tensor before = unused.detach().clone();
  optim::LBFGS optimizer({p, unused, none});
  optimizer.step([&] { return test::winding_loss(optimizer, p, ones({3})); });
  EXPECT_TRUE(unused.equal(before));
  EXPECT_LT(test::winding_loss(optimizer, p, ones({3})).item<double>(), 1);
}

TEST(Lbfgs, Refuses) {
  const Tensor p = parameter({3});
  EXPECT_PROBLEM(optim::LBFGS({p}, {.lr = -1}), "LBFGS: lr must be at least 0");
  EXPECT_PROBLEM(optim::LBFGS({{.params = {p}}, {.params = {parameter({2})}}}), "must form one group");
  EXPECT_PROBLEM(optim::LBFGS({p, parameter({2}, 1, float64)}), "one dtype");
  optim::LBFGS optimizer({p});
  EXPECT_PROBLEM(optimizer.step(), "call step(closure)");
  EXPECT_PROBLEM(optimizer.step({full({}, 1.), full({}, 0.)}), "call step(closure)");
}

}  // namespace
}  // namespace lectern
