#pragma once

#include "base/host_device.h"

namespace lectern::kernels::cuda {

/// A scaler's state, in GPU memory.
struct GradScale {
  const float* inv_scale;  ///< factor of all gradients; null: 1
  const float* found_inf;  ///< not 0: the step is skipped; null: it is not

  LECTERN_HD bool skips() const { return found_inf != nullptr && *found_inf != 0; }
  LECTERN_HD float factor() const { return inv_scale == nullptr ? 1 : *inv_scale; }
};

}  // namespace lectern::kernels::cuda
