#include "autograd/checkpoint.h"

#include <cstdint>
#include <utility>

#include "autograd/backward.h"
#include "autograd/record.h"
#include "tensor/generator.h"

namespace lectern::autograd {
namespace {

/// Where the default generators of these tensors' devices, and of the CPU, stand.
class RandomState {
 public:
  explicit RandomState(const std::vector<Device>& devices) {
    for (const Device device : devices) states_.emplace_back(device, default_generator(device).get_state());
  }
  void restore() const {
    for (const auto& [device, state] : states_) default_generator(device).set_state(state);
  }

 private:
  std::vector<std::pair<Device, std::vector<std::uint8_t>>> states_;
};

std::vector<Device> devices_of(const std::vector<Tensor>& tensors) {
  std::vector<Device> devices{cpu};
  for (const Tensor& tensor : tensors) {
    if (tensor.is_cuda()) devices.push_back(tensor.device());
  }
  return devices;
}

/// Puts the generators back, whatever happens in between.
class RandomStateScope {
 public:
  explicit RandomStateScope(const std::vector<Device>& devices) : before_(devices) {}
  ~RandomStateScope() { before_.restore(); }
  RandomStateScope(const RandomStateScope&) = delete;
  RandomStateScope& operator=(const RandomStateScope&) = delete;

 private:
  RandomState before_;
};

class Checkpoint {
 public:
  Checkpoint(CheckpointedFunction function, const std::vector<Tensor>& inputs)
      : function_(std::move(function)), devices_(devices_of(inputs)), random_(devices_) {
    for (const Tensor& input : inputs) inputs_.push_back({Saved(input), input.requires_grad()});
  }

  void operator()(const Tensor& grad, Gradients& gradients) const {
    std::vector<Tensor> inputs;
    for (const Input& input : inputs_) {
      inputs.push_back(input.saved.get().requires_grad_(input.requires_grad));
    }
    const RandomStateScope scope(devices_);
    random_.restore();
    const EnableGradGuard recorded;
    const Tensor out = function_(inputs);
    if (!out.requires_grad()) return;
    out.backward(grad);
    for (std::size_t i = 0; i < inputs.size(); ++i) gradients.add(i, inputs[i].grad());
  }

 private:
  struct Input {
    Saved saved;
    bool requires_grad;
  };

  CheckpointedFunction function_;
  std::vector<Device> devices_;
  RandomState random_;
  std::vector<Input> inputs_;
};

}  // namespace

Tensor checkpoint(CheckpointedFunction function, const std::vector<Tensor>& inputs) {
  if (!is_grad_enabled()) return function(inputs);
  Checkpoint again(function, inputs);
  const Tensor out = [&] {
    const NoGradGuard no_grad;
    return function(inputs).detach();
  }();
  record("checkpoint", out, inputs, std::move(again));
  return out;
}

}  // namespace lectern::autograd
