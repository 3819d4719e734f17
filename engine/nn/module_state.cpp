#include "autograd/grad_mode.h"
#include "base/tensor_error.h"
#include "nn/module.h"

namespace lectern::nn {
namespace {

std::string listed(const std::string& what, const std::vector<std::string>& keys) {
  if (keys.empty()) return {};
  std::string line = "\n\t" + what + " key(s) in state_dict: ";
  for (const std::string& key : keys) line.append(&key == keys.data() ? "\"" : ", \"").append(key) += '"';
  return line;
}

}  // namespace

void Module::collect_state(StateDict& state, const std::string& prefix) const {
  check_members();
  const auto add = [&](const std::string& name, const Tensor& tensor) {
    if (tensor.defined()) state.insert(prefix + name, tensor.detach());
  };
  for (const auto& [name, parameter, persistent] : parameters_) add(name, *parameter);
  for (const auto& [name, buffer, persistent] : buffers_) {
    if (persistent) add(name, *buffer);
  }
  for (const auto& [name, module, persistent] : modules_) module->collect_state(state, prefix + name + ".");
}

StateDict Module::state_dict() const {
  StateDict state;
  collect_state(state, "");
  return state;
}

IncompatibleKeys Module::load_state_dict(const StateDict& state, bool strict) {
  IncompatibleKeys keys;
  std::string misshapen;
  const StateDict own = state_dict();
  for (const auto& [key, tensor] : own) {
    const Tensor* const given = state.find(key);
    if (given == nullptr) {
      keys.missing_keys.push_back(key);
    } else if (given->sizes() != tensor.sizes()) {
      misshapen += "\n\tsize mismatch for " + key + ": " + to_string(given->sizes()) + " in state_dict, " +
                   to_string(tensor.sizes()) + " in the module";
    }
  }
  for (const auto& [key, tensor] : state) {
    if (!own.contains(key)) keys.unexpected_keys.push_back(key);
  }

  std::string problems = misshapen;
  if (strict) {
    problems = listed("Missing", keys.missing_keys) + listed("Unexpected", keys.unexpected_keys) + misshapen;
  }
  if (!problems.empty()) throw TensorError("load_state_dict", "error(s) for " + name() + problems);

  const NoGradGuard no_grad;
  for (const auto& [key, tensor] : own) {
    if (const Tensor* const given = state.find(key)) tensor.copy_(*given);
  }
  return keys;
}

}  // namespace lectern::nn
