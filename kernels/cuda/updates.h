#pragma once

#include "kernels/cuda/grad_scale.h"
#include "kernels/updates.h"

namespace lectern::kernels::cuda {

/// A step with the meaning of kernels/updates.h on arrays in the memory of the current CUDA device, given to
/// the current stream: one launch for all parameters. Where steps are counted on the GPU, it begins with
/// adding 1 to them, unless found_inf says no. The host waits for nothing.
void update(UpdateRule rule, Dtype dtype, std::span<const Update> updates, const GradScale& scale);

}  // namespace lectern::kernels::cuda
