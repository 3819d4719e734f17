#pragma once

#include "kernels/cuda/grad_scale.h"
#include "kernels/updates.h"

namespace lectern::kernels::cuda {

/// A step with the semantics of kernels/updates.h on arrays on the current CUDA device, enqueued on the
/// current stream: one launch for all parameters. It first increments step counts that are on the GPU, unless
/// found_inf is set. The host does not wait.
void update(UpdateRule rule, Dtype dtype, std::span<const Update> updates, const GradScale& scale);

}  // namespace lectern::kernels::cuda
