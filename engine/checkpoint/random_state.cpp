#include "checkpoint/random_state.h"

#include <algorithm>
#include <cstdint>
#include <span>

#include "base/tensor_error.h"
#include "device/cuda.h"
#include "tensor/copy.h"
#include "tensor/creation.h"
#include "tensor/layout.h"

namespace lectern {

Tensor get_rng_state(const Generator& generator) {
  const std::vector<std::uint8_t> bytes = generator.get_state();
  Tensor state = empty({static_cast<std::int64_t>(bytes.size())}, {.dtype = uint8, .device = cpu});
  std::ranges::copy(bytes, state.data<std::uint8_t>());
  return state;
}

void set_rng_state(Generator& generator, const Tensor& state) {
  if (state.dtype() != uint8 || state.dim() != 1) {
    throw TensorError("set_rng_state", "the state", "a vector of uint8",
                      std::string(name(state.dtype())) + " of shape " + to_string(state.sizes()));
  }
  const Tensor bytes = copied("set_rng_state", state, uint8, cpu, contiguous_strides(state.sizes()));
  generator.set_state({bytes.data<std::uint8_t>(), static_cast<std::size_t>(bytes.numel())});
}

StateDict rng_state() {
  StateDict states;
  states.insert(Device(cpu).name(), get_rng_state(default_generator(cpu)));
  for (int i = 0; i < cuda::device_count(); ++i) {
    const Device device(Device::Type::cuda, i);
    states.insert(device.name(), get_rng_state(default_generator(device)));
  }
  return states;
}

void load_rng_state(const StateDict& states) {
  for (const auto& [name, state] : states) {
    if (const Device device(name); device.is_cuda() && device.index() >= cuda::device_count())
      throw TensorError("load_rng_state", "there is no device " + name);
  }
  for (const auto& [name, state] : states) set_rng_state(default_generator(Device(name)), state);
}

}  // namespace lectern
