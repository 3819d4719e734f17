#pragma once

#include "kernels/updates.h"

namespace lectern::kernels::cuda {

/// Numbers in the memory of the GPU; null: 1, and 0.
struct GradScale {
  const float* inv_scale;  ///< what all gradients are multiplied with
  const float* found_inf;  ///< not 0: nothing changes
};

/// A step with the meaning of kernels/updates.h on arrays in the memory of the current CUDA device, given to
/// the current stream: one launch for all parameters. Where updates have a step_on_gpu, one more comes first,
/// which adds 1 to it unless found_inf says no. The host waits for nothing.
void update(UpdateRule rule, Dtype dtype, std::span<const Update> updates, const GradScale& scale);

}  // namespace lectern::kernels::cuda
