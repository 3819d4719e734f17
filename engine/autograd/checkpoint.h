#pragma once

#include <concepts>
#include <cstddef>
#include <functional>
#include <utility>
#include <vector>

#include "tensor/tensor.h"

namespace lectern::autograd {

using CheckpointedFunction = std::function<Tensor(const std::vector<Tensor>& inputs)>;

/// Activation checkpointing: function(inputs), of which nothing but the inputs is kept for backward(), which
/// computes it once more. Less memory for one more forward pass. The graph is that of function(inputs):
/// whatever the function captures gets its gradient, and hooks and autograd::grad work as without it.
///
/// The second time the random generators that the function uses, its own among them, stand where they stood
/// the first time, so that dropout drops the same; afterwards they are put back. The function must do the
/// same both times: a TensorError in backward() when it keeps other shapes, or when a tensor from outside
/// that it gave to a recorded operation was changed in place since. Inside of a NoGradGuard it is
/// function(inputs). Inputs may be undefined.
Tensor checkpoint(CheckpointedFunction function, const std::vector<Tensor>& inputs);

/// checkpoint(f, x, y) for a function of tensors.
template <typename Function, std::same_as<Tensor>... Inputs>
requires(sizeof...(Inputs) > 0) Tensor checkpoint(Function function, const Inputs&... inputs) {
  const auto with = [function = std::move(function)]<std::size_t... i>(const std::vector<Tensor>& given,
                                                                       std::index_sequence<i...>) {
    return function(given[i]...);
  };
  return checkpoint(
      [with](const std::vector<Tensor>& given) { return with(given, std::index_sequence_for<Inputs...>()); },
      std::vector<Tensor>{inputs...});
}

}  // namespace lectern::autograd
