// Saving and loading an optimizer's state.
#include "optim/state_dict.h"

#include <charconv>
#include <cmath>
#include <set>

#include "autograd/grad_mode.h"
#include "base/noun.h"
#include "base/tensor_error.h"
#include "optim/optimizer.h"
#include "optim/state_tensor.h"
#include "tensor/creation.h"

namespace lectern::optim {
namespace {

using Problems = std::vector<std::string>;

constexpr std::string_view kParams = "params";

std::string numbered(std::string_view prefix, std::size_t index, std::string_view name) {
  return std::string(prefix).append(std::to_string(index)).append(".").append(name);
}

void load_options(const StateDict& saved, std::vector<ParamGroup>& groups, Problems& problems) {
  for (std::size_t g = 0; g < groups.size(); ++g) {
    for (auto& [name, value] : groups[g].options) {
      const std::string entry = numbered(kGroupPrefix, g, name);
      const Tensor* const found = saved.find(entry);
      if (found == nullptr) {
        problems.push_back(entry + " is missing");
      } else if (!value.assign(*found)) {
        problems.push_back(entry + " has shape " + to_string(found->sizes()));
      }
    }
    const std::string entry = numbered(kGroupPrefix, g, kParams);
    const Tensor* const indices = saved.find(entry);
    if (indices == nullptr) {
      problems.push_back(entry + " is missing");
    } else if (indices->numel() != static_cast<std::int64_t>(groups[g].params.size())) {
      problems.push_back(
          "group " + std::to_string(g) + " has " + with_noun(groups[g].params.size(), "parameter") + ", " +
          std::to_string(indices->numel()) + (indices->numel() == 1 ? " was saved" : " were saved"));
    }
  }
}

/// The saved state of each of `count` parameters.
std::vector<Optimizer::State> saved_states(const StateDict& saved, std::size_t count,
                                           const std::vector<ParamGroup>& groups, Problems& problems) {
  std::vector<Optimizer::State> states(count);
  for (const auto& [entry, tensor] : saved) {
    const auto parts = parse_state_name(entry);
    if (parts && parts->prefix == kStatePrefix && parts->index < count) {
      states[parts->index].emplace(parts->name, tensor);
    } else if (!parts || parts->prefix != kGroupPrefix || parts->index >= groups.size() ||
               (parts->name != kParams && !groups[parts->index].options.contains(parts->name))) {
      problems.push_back(entry + " is unknown to this optimizer");
    }
  }
  return states;
}

/// What is wrong with a state of the i-th parameter.
void check_state(std::size_t i, const Optimizer::State& state, const StateSpecs& specs, Problems& problems) {
  for (const auto& [name, spec] : specs) {
    const std::string entry = numbered(kStatePrefix, i, name);
    const auto found = state.find(name);
    if (found == state.end()) {
      if (spec.required) problems.push_back(entry + " is missing");
    } else if (name == "step" && state.size() == 1 && specs.size() > 1) {
      problems.push_back(entry + " is present without the other states");
    } else if (found->second.sizes() != spec.sizes) {
      problems.push_back(entry + " has shape " + to_string(found->second.sizes()) + ", not " +
                         to_string(spec.sizes));
    } else if (name == "step") {
      const double count = found->second.item().to_double();
      if (!std::isfinite(count) || count < 0 || count != std::floor(count))
        problems.push_back(entry + " is " + std::to_string(count) + ", not a nonnegative integer");
    }
  }
  for (const auto& [name, tensor] : state) {
    if (!specs.contains(name))
      problems.push_back(numbered(kStatePrefix, i, name) + " is unknown to this optimizer");
  }
}

/// A copy in the form of the parameter's state. If an optimizer's states are known, all are floating.
Tensor loaded(std::string_view name, const Tensor& saved, const Tensor& parameter, Dtype floating,
              const std::optional<StateSpecs>& known) {
  if (name == "step") return state_tensor(saved.to(cpu, known ? float32 : saved.dtype()).clone());
  if (known && known->at(std::string(name)).is_number) return state_tensor(saved.to(cpu, float32).clone());
  const Dtype dtype = known || saved.is_floating_point() ? floating : saved.dtype();
  const TensorOptions options{.dtype = dtype, .device = parameter.device()};
  const bool alike = saved.sizes() == parameter.sizes();
  return state_tensor(alike ? empty_like(parameter, options) : empty(saved.sizes(), options)).copy_(saved);
}

}  // namespace

std::optional<StateName> parse_state_name(std::string_view text) {
  for (const std::string_view prefix : {kStatePrefix, kGroupPrefix}) {
    if (!text.starts_with(prefix)) continue;
    StateName parts{prefix, 0, {}};
    const char* const end = text.data() + text.size();
    const auto [dot, error] = std::from_chars(text.data() + prefix.size(), end, parts.index);
    if (error != std::errc() || dot == end || *dot != '.') return {};
    parts.name = {dot + 1, static_cast<std::size_t>(end - dot - 1)};
    return parts;
  }
  return {};
}

StateDict Optimizer::state_dict() const {
  StateDict dict;
  const std::vector<Tensor> all = parameters();
  for (std::size_t i = 0; i < all.size(); ++i) {
    const State* const state = find_state(all[i]);
    if (state == nullptr) continue;
    for (const auto& [name, tensor] : *state) {
      if (tensor.defined()) dict.insert(numbered(kStatePrefix, i, name), tensor);
    }
  }
  std::size_t first = 0;
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    for (const auto& [name, value] : groups_[g].options)
      dict.insert(numbered(kGroupPrefix, g, name), value.tensor());
    const std::size_t end = first + groups_[g].params.size();
    dict.insert(numbered(kGroupPrefix, g, kParams), arange(first, end, 1, {.dtype = int64, .device = cpu}));
    first = end;
  }
  return dict;
}

void Optimizer::load_state_dict(const StateDict& saved) {
  const NoGradGuard no_grad;
  Problems problems;
  std::vector<ParamGroup> groups = groups_;
  load_options(saved, groups, problems);
  const std::vector<Tensor> all = parameters();
  const std::vector<State> saved_by_index = saved_states(saved, all.size(), groups, problems);
  std::vector<std::optional<StateSpecs>> specs;
  for (const ParamGroup& group : groups) {
    for (const Tensor& parameter : group.params) specs.push_back(state_specs(group, parameter));
  }
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (specs[i] && !saved_by_index[i].empty()) check_state(i, saved_by_index[i], *specs[i], problems);
  }
  if (!problems.empty()) {
    std::string message;
    for (const std::string& problem : problems) message += (message.empty() ? "" : "; ") + problem;
    throw TensorError(name_ + ".load_state_dict", message);
  }
  for (const ParamGroup& group : groups) check(group);

  std::unordered_map<Key, State> states;
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (const auto& [name, tensor] : saved_by_index[i])
      states[key(all[i])][name] = loaded(name, tensor, all[i], state_dtype(all[i]), specs[i]);
  }
  groups_ = std::move(groups);
  states_ = std::move(states);
}

}  // namespace lectern::optim
