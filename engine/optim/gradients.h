#pragma once

#include <vector>

#include "tensor/tensor.h"

namespace lectern::optim {

class Optimizer;

/// The gradients that there are, in the order of the parameters.
std::vector<Tensor> gradients_of(const std::vector<Tensor>& parameters);
/// Of all groups.
std::vector<Tensor> gradients_of(const Optimizer& optimizer);

}  // namespace lectern::optim
