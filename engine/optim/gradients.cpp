#include "optim/gradients.h"

#include "optim/optimizer.h"

namespace lectern::optim {
namespace {

void append(std::vector<Tensor>& gradients, const std::vector<Tensor>& parameters) {
  for (const Tensor& parameter : parameters) {
    if (Tensor gradient = parameter.grad(); gradient.defined()) gradients.push_back(std::move(gradient));
  }
}

}  // namespace

std::vector<Tensor> gradients_of(const std::vector<Tensor>& parameters) {
  std::vector<Tensor> gradients;
  append(gradients, parameters);
  return gradients;
}

std::vector<Tensor> gradients_of(const Optimizer& optimizer) {
  std::vector<Tensor> gradients;
  for (const ParamGroup& group : optimizer.param_groups()) append(gradients, group.params);
  return gradients;
}

}  // namespace lectern::optim
