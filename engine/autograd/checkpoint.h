#pragma once

#include <concepts>
#include <cstddef>
#include <functional>
#include <utility>
#include <vector>

#include "tensor/tensor.h"

namespace lectern::autograd {

using CheckpointedFunction = std::function<Tensor(const std::vector<Tensor>& inputs)>;

/// Activation checkpointing: function(inputs), but only the inputs are saved for backward(), which recomputes
/// the function. Trades one more forward pass for memory. The graph is that of function(inputs): whatever the
/// function captures gets its gradient, and hooks and autograd::grad work as usual.
///
/// For the recomputation the random generators that the function uses, its own included, are reset to their
/// states in the first run, so that dropout drops the same elements; they are restored afterwards. The
/// function must be deterministic: a TensorError in backward() when it saves other shapes, or when an
/// external tensor that it passed to a recorded operation was changed in place since. Inside a NoGradGuard it
/// is function(inputs). Inputs may be undefined.
Tensor checkpoint(CheckpointedFunction function, const std::vector<Tensor>& inputs);

/// checkpoint(f, x, y) for a function of tensors.
template <typename Function, std::same_as<Tensor>... Inputs>
requires(sizeof...(Inputs) > 0) Tensor checkpoint(Function function, const Inputs&... inputs) {
  return checkpoint(
      [function = std::move(function)](const std::vector<Tensor>& given) {
        return [&]<std::size_t... i>(std::index_sequence<i...>) {
          return function(given[i]...);
        }
        (std::index_sequence_for<Inputs...>());
      },
      std::vector<Tensor>{inputs...});
}

}  // namespace lectern::autograd
