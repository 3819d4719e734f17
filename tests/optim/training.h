#pragma once

#include <memory>

#include "autograd/backward.h"
#include "ops/elementwise.h"
#include "ops/reductions.h"
#include "ops/tensors.h"
#include "optim/optimizer.h"

// Runs optimizers in tests.

namespace lectern::test {

inline Tensor parameter(const Sizes& sizes, unsigned seed = 1, Dtype dtype = float32) {
  return uniform(sizes, dtype, seed).requires_grad_();
}

/// Steps `from`, `from` + 1, … with gradients[step], cyclically.
inline void train(optim::Optimizer& optimizer, const Tensor& p, const Tensor& gradients, std::int64_t steps,
                  std::int64_t from = 0) {
  for (std::int64_t t = from; t < from + steps; ++t) {
    p.mutable_grad() = gradients[t % gradients.size(0)].clone();
    optimizer.step();
  }
}

/// A loss that is not quadratic, with its gradient: that of lbfgs() in torch_optimizers.py.
inline Tensor winding_loss(const optim::Optimizer& optimizer, const Tensor& p, const Tensor& scales) {
  optimizer.zero_grad();
  const Tensor own = (p - 1).square() * scales + 0.1 * (p - 0.5).pow(4);
  Tensor loss = own.sum() + (p.slice(-1, 1) * p.slice(-1, 0, -1)).sum() * 0.2;
  loss.backward();
  return loss;
}

}  // namespace lectern::test
