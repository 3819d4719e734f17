#pragma once

#include "tensor/generator.h"
#include "tensor/state_dict.h"

// States of random generators as byte tensors, for checkpoints from which a run resumes with the same random
// values.

namespace lectern {

/// Generator::get_state() as a uint8 tensor on the CPU.
Tensor get_rng_state(const Generator& generator);
/// A TensorError when the bytes are not a state of this kind of generator.
void set_rng_state(Generator& generator, const Tensor& state);

/// The states of all devices' default generators, by device name.
StateDict rng_state();
/// A TensorError for a device that does not exist.
void load_rng_state(const StateDict& states);

}  // namespace lectern
