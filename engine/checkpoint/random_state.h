#pragma once

#include "tensor/generator.h"
#include "tensor/state_dict.h"

// Where random generators stand, as tensors of bytes: what a checkpoint needs for a run that goes on with the
// same numbers.

namespace lectern {

/// The bytes of Generator::get_state(), uint8, on the CPU.
Tensor get_rng_state(const Generator& generator);
/// A TensorError when these are not the bytes of a state of such a generator.
void set_rng_state(Generator& generator, const Tensor& state);

/// The states of the default generators of all devices, by the devices' names.
StateDict rng_state();
/// A TensorError when a device is not there.
void load_rng_state(const StateDict& states);

}  // namespace lectern
