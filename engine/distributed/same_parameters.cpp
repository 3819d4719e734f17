#include "distributed/same_parameters.h"

#include <string>

#include <fmt/format.h>

#include "base/tensor_error.h"
#include "distributed/launch.h"

namespace lectern::distributed {

nn::Module::Named<Tensor> trained_parameters(const nn::Module& module) {
  nn::Module::Named<Tensor> trained;
  for (const auto& [name, parameter] : module.named_parameters()) {
    if (parameter.requires_grad()) trained.emplace_back(name, parameter);
  }
  return trained;
}

void check_same_parameters(std::string_view operation, const nn::Module::Named<Tensor>& parameters,
                           const Group& group) {
  if (parameters.empty())
    throw TensorError(operation, "the module has no parameter that requires a gradient");
  std::string call = fmt::format("{} of {} parameters:", operation, parameters.size());
  for (const auto& [name, parameter] : parameters) call += fmt::format(" {} {},", name, signature(parameter));
  call.pop_back();
  const Launch launch(std::string(operation), {.group = group});
  launch.start(call, 0, 0, {});
}

}  // namespace lectern::distributed
