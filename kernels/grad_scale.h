#pragma once

#include "base/host_device.h"

namespace lectern::kernels {

/// A scaler's state in GPU memory; null for a step on the CPU, where Update has the factor.
struct GradScale {
  const float* inv_scale;  ///< factor of all gradients; null: 1
  const float* found_inf;  ///< not 0: the step is skipped; null: it is not

  LECTERN_HD bool skips() const { return found_inf != nullptr && *found_inf != 0; }
  LECTERN_HD float factor() const { return inv_scale == nullptr ? 1 : *inv_scale; }
};

}  // namespace lectern::kernels
