#pragma once

#include "base/host_device.h"

namespace lectern::kernels::cuda {

/// What a scaler knows of gradients, in the memory of the GPU.
struct GradScale {
  const float* inv_scale;  ///< what all gradients are multiplied with; null: 1
  const float* found_inf;  ///< not 0: the step is skipped; null: it is not

  LECTERN_HD bool skips() const { return found_inf != nullptr && *found_inf != 0; }
  LECTERN_HD float factor() const { return inv_scale == nullptr ? 1 : *inv_scale; }
};

}  // namespace lectern::kernels::cuda
