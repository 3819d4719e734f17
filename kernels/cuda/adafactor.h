#pragma once

#include "kernels/adafactor.h"
#include "kernels/cuda/grad_scale.h"

namespace lectern::kernels::cuda {

/// A step with the semantics of kernels/adafactor.h on arrays on the current CUDA device, enqueued on the
/// current stream: one launch for all parameters, which increments step counts on the GPU unless found_inf is
/// set. The host does not wait.
void adafactor(Dtype dtype, std::span<const AdafactorUpdate> updates, const GradScale& scale);

}  // namespace lectern::kernels::cuda
