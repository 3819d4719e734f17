#pragma once

#include "kernels/adafactor.h"
#include "kernels/cuda/grad_scale.h"

namespace lectern::kernels::cuda {

/// A step with the meaning of kernels/adafactor.h on arrays in the memory of the current CUDA device, given
/// to the current stream: one launch for all parameters, which adds 1 to steps that are counted on the GPU,
/// unless found_inf says no. The host waits for nothing.
void adafactor(Dtype dtype, std::span<const AdafactorUpdate> updates, const GradScale& scale);

}  // namespace lectern::kernels::cuda
