#pragma once

#include <functional>
#include <vector>

#include "autograd/backward.h"

namespace lectern::test {

/// The gradients of the inputs of function(inputs) from that of its result.
inline std::vector<Tensor> gradients_of(const std::function<Tensor(const std::vector<Tensor>&)>& function,
                                        const std::vector<Tensor>& inputs, const Tensor& grad) {
  std::vector<Tensor> leaves;
  for (const Tensor& input : inputs) leaves.push_back(input.detach().requires_grad_());
  return autograd::grad({function(leaves)}, leaves, {grad});
}

/// Of a function with one input.
inline Tensor gradient_of(const std::function<Tensor(const Tensor&)>& function, const Tensor& input,
                          const Tensor& grad) {
  return gradients_of([&](const std::vector<Tensor>& in) { return function(in[0]); }, {input}, grad)[0];
}

}  // namespace lectern::test
