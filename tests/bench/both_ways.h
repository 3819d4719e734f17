#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "autograd/backward.h"
#include "bench/cases.h"
#include "tensor/creation.h"

namespace lectern::bench {

/// A function and what it is differentiated by.
struct Function {
  std::vector<Tensor> inputs;
  std::function<Tensor()> value;
};

/// The value of the function that `make` makes; with `backward`, its gradients too.
inline std::function<Measured()> valued(bool backward, const std::function<Function()>& make) {
  return timed([=] {
    auto [inputs, value] = make();
    Tensor grad;
    if (backward) {
      for (const Tensor& input : inputs) input.requires_grad_();
      const Tensor y = value();
      grad = y.dim() == 0 ? ones({}, {.dtype = y.dtype()}) : rand(y.sizes(), {.dtype = y.dtype()});
    }
    return [=, inputs = std::move(inputs), value = std::move(value)] {
      const Tensor result = value();
      if (backward) autograd::grad({result}, inputs, {grad});
    };
  });
}

/// The name of the case that goes both ways.
inline std::string name_of(const std::string& name, bool backward) {
  return backward ? name + "_backward" : name;
}
inline std::string tensors_of(const std::string& tensors, bool backward) {
  return backward ? tensors + ", both ways" : tensors;
}

}  // namespace lectern::bench
