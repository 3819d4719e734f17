#pragma once

#include "tensor/tensor.h"

namespace lectern::optim {

/// What a scaler knows of the gradients before a step: 0-d tensors of float32 on the parameters' device,
/// which the host does not look at.
struct GradScale {
  Tensor inv_scale;  ///< what gradients are to be multiplied with
  Tensor found_inf;  ///< not 0 where one of them is infinite or NaN: the step is skipped
};

}  // namespace lectern::optim
