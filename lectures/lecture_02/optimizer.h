// Two optimizers, written out.

#pragma once

#include "parts.h"

/// Stochastic gradient descent: against the gradient.
class SGD : public optim::Optimizer {
 public:
  SGD(const optim::Params& params, double lr) : Optimizer(params, {{"lr", lr}}) {}

  void step() override {
    const NoGradGuard no_grad;
    for (const auto& group : param_groups()) {
      for (const Tensor& p : group.params) {
        p.sub_(group["lr"] * p.grad());
      }
    }
  }
};

/// The same, but each number's step is divided by the root of the sum of the squares
/// of all its gradients, this one among them.
class AdaGrad : public optim::Optimizer {
 public:
  explicit AdaGrad(const optim::Params& params, double lr = 0.01) : Optimizer(params, {{"lr", lr}}) {}

  void step() override {
    const NoGradGuard no_grad;
    for (const auto& group : param_groups()) {
      for (const Tensor& p : group.params) {
        Tensor& g2 = state(p)["g2"];  // sum of squares, undefined at first
        if (!g2.defined()) g2 = zeros_like(p);
        g2 += p.grad().square();
        p.sub_(group["lr"] * p.grad() / (g2 + 1e-5).sqrt());
      }
    }
  }
};
