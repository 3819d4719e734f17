#pragma once

#include <string>
#include <utility>

#include "autograd/backward.h"
#include "nn/module.h"
#include "ops/elementwise.h"
#include "ops/torch_reference.h"
#include "tensor/creation.h"
#include "tensor/generator.h"

// The other side of torch_modules.py.

namespace lectern::test {

/// Until the end of the scope tensors are made on the CPU, of which the random numbers are PyTorch's.
class OnCpu {
 public:
  OnCpu() { set_default_device(cpu); }
  ~OnCpu() { set_default_device(before_); }
  OnCpu(const OnCpu&) = delete;
  OnCpu& operator=(const OnCpu&) = delete;

 private:
  Device before_ = default_device();
};

/// A module with the parameters that seed 1 draws in float32, of the dtype and on the device of `like`.
template <typename M, typename... Arguments>
M made(const Tensor& like, Arguments&&... arguments) {
  const OnCpu on_cpu;
  manual_seed(1);
  M module(std::forward<Arguments>(arguments)...);
  module.to(like.device(), like.dtype());
  return module;
}

/// What `call` makes, drawing from seed 2, and the gradients of the parameters.
template <typename Call>
Out learnt(const nn::Module& module, const Call& call) {
  manual_seed(2);
  Out values = {call()};
  if (module.parameters().empty()) return values;
  const Tensor& value = values[0];
  const Tensor steps = (arange(value.numel(), {.device = cpu}) * 37 + 11) % 17 - 8;
  const Tensor gradient = steps.to(value.device(), value.dtype()).reshape(value.sizes()) / 8;
  const Out gradients =
      autograd::grad({value}, module.parameters(), {gradient}, {.retain_graph = true, .allow_unused = true});
  values.insert(values.end(), gradients.begin(), gradients.end());
  return values;
}

/// Indices made from numbers between -1 and 1.
inline Tensor tokens(const Tensor& numbers, std::int64_t vocab_size) {
  return (numbers.detach().abs() * vocab_size).to(int64) % vocab_size;
}

/// Numbers that are not nearly equal along the last dimension.
inline Tensor spread(const Tensor& numbers) {
  return numbers + arange(numbers.size(-1), {.device = numbers.device()}).to(numbers.dtype()) / 4;
}

}  // namespace lectern::test
