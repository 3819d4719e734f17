#pragma once

#include <string_view>

#include "distributed/process_group.h"
#include "nn/module.h"

namespace lectern::distributed {

/// Those that require a gradient.
nn::Module::Named<Tensor> trained_parameters(const nn::Module& module);

/// A TensorError naming `operation` where the ranks' parameters differ in number, name, shape or dtype, and
/// where there is none.
void check_same_parameters(std::string_view operation, const nn::Module::Named<Tensor>& parameters,
                           const Group& group);

}  // namespace lectern::distributed
