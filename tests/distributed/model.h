#pragma once

#include "autograd/grad_mode.h"
#include "distributed/ranks.h"
#include "nn/linear.h"
#include "nn/module.h"
#include "ops/elementwise.h"
#include "ops/losses.h"
#include "ops/random.h"
#include "ops/tensors.h"

// A small model, and the part of the batch that each rank has.

namespace lectern::test {

struct TwoLayers : nn::Module {
  nn::Linear first, second;

  explicit TwoLayers(std::int64_t width = 10) : first(4, width), second(width, 2) {
    LECTERN_REGISTER(first, second);
  }
  Tensor operator()(const Tensor& x) const { return second(first(x).tanh()); }
};

/// The loss of the part of rank `part` in a step.
template <typename Model>
Tensor loss_of(const Model& model, int part, int step = 0) {
  const auto seed = static_cast<unsigned>(100 * step + part);
  return mse_loss(model(uniform({6, 4}, float32, seed)), uniform({6, 2}, float32, seed + 50));
}

/// What one process computes of all ranks' parts: the mean of their gradients.
inline void backward_of_all(nn::Module& module, const TwoLayers& model, int step = 0) {
  for (int part = 0; part < ranks(); ++part) loss_of(model, part, step).backward();
  for (const Tensor& parameter : module.parameters()) {
    const NoGradGuard no_grad;
    if (parameter.grad().defined()) parameter.grad().div_(ranks());
  }
}

inline void expect_same_gradients(const nn::Module& got, const nn::Module& expected) {
  const auto parameters = got.named_parameters(), others = expected.named_parameters();
  for (std::size_t i = 0; i < parameters.size(); ++i)
    EXPECT_TRUE(same_bits(parameters[i].second.grad().contiguous(), others[i].second.grad().contiguous()))
        << parameters[i].first;
}

}  // namespace lectern::test
