#pragma once

#include "tensor/tensor.h"

namespace lectern::optim {

/// A scaler's inputs to a step: 0-d float32 tensors on the parameters' device, not read by the host.
struct GradScale {
  Tensor inv_scale;  ///< factor of the gradients
  Tensor found_inf;  ///< nonzero if one of them is infinite or NaN: the step is skipped
};

}  // namespace lectern::optim
