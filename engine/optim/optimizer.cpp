#include "optim/optimizer.h"

#include <algorithm>
#include <unordered_set>

#include "autograd/backward.h"
#include "autograd/graph.h"
#include "base/number_text.h"
#include "base/tensor_error.h"
#include "tensor/layout.h"

namespace lectern::optim {

std::vector<Tensor> gradients_of(const std::vector<Tensor>& parameters) {
  std::vector<Tensor> gradients;
  for (const Tensor& parameter : parameters) {
    if (Tensor gradient = parameter.grad(); gradient.defined()) gradients.push_back(std::move(gradient));
  }
  return gradients;
}

Optimizer::Optimizer(const Params& params, Options defaults, std::string_view name,
                     std::vector<std::string> required)
    : name_(name), defaults_(std::move(defaults)), required_(std::move(required)) {
  const auto is_empty = [](const ParamGroup& group) { return group.params.empty(); };
  if (std::ranges::all_of(params.groups(), is_empty))
    throw TensorError(name_, "there are no parameters to optimize");
  for (const ParamGroup& group : params.groups()) add_param_group(group);
}

std::vector<Tensor> Optimizer::parameters() const {
  std::vector<Tensor> all;
  for (const ParamGroup& group : groups_) all.insert(all.end(), group.params.begin(), group.params.end());
  return all;
}

Optimizer::Key Optimizer::key(const Tensor& parameter) {
  return autograd::Graph::accumulator(parameter);
}

void Optimizer::add_param_group(ParamGroup group) {
  for (const auto& [option, value] : group.options) {
    const bool required = std::find(required_.begin(), required_.end(), option) != required_.end();
    if (!required && !defaults_.contains(option))
      throw TensorError(name_, "a parameter group has an unknown option, " + option);
  }
  for (const std::string& option : required_) {
    if (!group.options.contains(option) && !defaults_.contains(option))
      throw TensorError(name_, "a parameter group has no value of the required option " + option);
  }
  std::unordered_set<Key> seen;
  for (const Tensor& parameter : parameters()) seen.insert(key(parameter));
  for (const Tensor& parameter : group.params) {
    if (!parameter.defined()) throw TensorError(name_, "a parameter is undefined");
    if (!parameter.is_floating_point() || is_float8(parameter.dtype()))
      throw TensorError(name_, "the dtype of a parameter", "float64, float32, float16 or bfloat16",
                        lectern::name(parameter.dtype()));
    if (!parameter.is_leaf())
      throw TensorError(
          name_, "can't optimize a non-leaf tensor, the result of " + std::string(parameter.grad_fn()));
    check_writable(name_, parameter);
    if (!seen.insert(key(parameter)).second)
      throw TensorError(name_, "a parameter of shape " + to_string(parameter.sizes()) + " appears twice");
  }
  group.options.insert(defaults_.begin(), defaults_.end());
  check(group);
  groups_.push_back(std::move(group));
}

void Optimizer::step(const GradScale& scale) {
  if (scale.found_inf.item<double>() != 0) return;
  {
    const NoGradGuard no_grad;
    for (const Tensor& gradient : gradients_of(parameters())) gradient.mul_(scale.inv_scale);
  }
  step();
}

void Optimizer::zero_grad(bool set_to_none) const {
  autograd::zero_grad(parameters(), set_to_none);
}

Optimizer::State& Optimizer::state(const Tensor& parameter) {
  const Key wanted = key(parameter);
  const auto found = states_.find(wanted);
  if (found != states_.end()) return found->second;
  for (const Tensor& other : parameters()) {
    if (key(other) == wanted) return states_[wanted];
  }
  throw TensorError(name_,
                    "a tensor of shape " + to_string(parameter.sizes()) + " is not one of the parameters");
}

const Optimizer::State* Optimizer::find_state(const Tensor& parameter) const {
  const auto found = states_.find(key(parameter));
  return found == states_.end() ? nullptr : &found->second;
}

void Optimizer::check_all() const {
  for (const ParamGroup& group : groups_) check(group);
}

void Optimizer::check_range(std::string_view option, double value, std::optional<double> below) const {
  if (value >= 0 && (!below || value < *below)) return;
  throw TensorError(name_, option, below ? "in [0, " + number_text(*below) + ")" : "at least 0",
                    number_text(value));
}

void Optimizer::check_betas(const ParamGroup& group) const {
  check_range("betas[0]", group["betas"][0], 1);
  check_range("betas[1]", group["betas"][1], 1);
}

void Optimizer::check_gradients(const GradScale* scale) const {
  for (const Tensor& parameter : parameters()) {
    const Tensor grad = parameter.grad();
    if (!grad.defined()) continue;
    if (!are_alike(grad, parameter))
      throw TensorError(name_, "the gradient of a parameter", described(parameter), described(grad));
    if (scale == nullptr) continue;
    for (const Tensor& value : {scale->inv_scale, scale->found_inf}) {
      if (value.sizes().empty() && value.dtype() == float32 && value.device() == parameter.device()) continue;
      throw TensorError(name_, "inv_scale and found_inf",
                        "one float32 element each on " + parameter.device().name(), described(value));
    }
  }
}

}  // namespace lectern::optim
