#pragma once

#include <vector>

#include "tensor/tensor.h"

namespace lectern::optim {

class Optimizer;

/// The defined gradients, in the order of the parameters.
std::vector<Tensor> gradients_of(const std::vector<Tensor>& parameters);
/// For all groups.
std::vector<Tensor> gradients_of(const Optimizer& optimizer);

}  // namespace lectern::optim
