#pragma once

#include "device/cuda.h"

namespace lectern::kernels::cuda {

/// Properties of the current device, which are asked for once: that takes longer than a launch.
const lectern::cuda::DeviceProperties& current_gpu();

}  // namespace lectern::kernels::cuda
