#pragma once

#include <memory>

#include "ops/elementwise.h"
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

}  // namespace lectern::test
