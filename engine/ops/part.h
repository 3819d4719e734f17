#pragma once

#include "tensor/copy.h"
#include "tensor/creation.h"
#include "tensor/tensor.h"

namespace lectern {

/// The gradient of a tensor of which only a part was used: `grad` there, 0 elsewhere. part(whole) is that
/// part of a tensor of shape `sizes`.
template <typename Part>
Tensor grad_of_part(const Tensor& grad, const Sizes& sizes, const Part& part) {
  Tensor whole = zeros(sizes, {.dtype = grad.dtype(), .device = grad.device()});
  copy_elements(part(whole), grad);
  return whole;
}

}  // namespace lectern
