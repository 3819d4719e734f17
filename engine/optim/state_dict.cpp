// Saving and loading an optimizer's state.
#include <charconv>
#include <cmath>
#include <set>

#include "autograd/grad_mode.h"
#include "base/tensor_error.h"
#include "optim/optimizer.h"
#include "tensor/creation.h"

namespace lectern::optim {
namespace {

constexpr std::string_view kState = "state.", kGroups = "param_groups.", kParams = "params";

std::string numbered(std::string_view prefix, std::size_t number, std::string_view name) {
  return std::string(prefix).append(std::to_string(number)).append(".").append(name);
}

/// A parsed "state.12.exp_avg".
struct Name {
  std::string_view prefix;
  std::size_t number;
  std::string_view rest;
};

std::optional<Name> parsed(std::string_view name) {
  for (const std::string_view prefix : {kState, kGroups}) {
    if (!name.starts_with(prefix)) continue;
    Name parts{prefix, 0, {}};
    const char* const end = name.data() + name.size();
    const auto [dot, error] = std::from_chars(name.data() + prefix.size(), end, parts.number);
    if (error != std::errc() || dot == end || *dot != '.') return {};
    parts.rest = {dot + 1, static_cast<std::size_t>(end - dot - 1)};
    return parts;
  }
  return {};
}

/// The indices of a group's parameters.
Tensor numbers_of(std::size_t first, std::size_t count) {
  return arange(first, first + count, 1, {.dtype = int64, .device = cpu});
}

/// A copy in the form of the parameter's state. If an optimizer's states are known, all are floating.
Tensor taken(std::string_view name, const Tensor& saved, const Tensor& parameter, Dtype floating,
             bool is_known) {
  if (name == "step") return saved.to(cpu, is_known ? float32 : saved.dtype()).clone();
  const Dtype dtype = is_known || saved.is_floating_point() ? floating : saved.dtype();
  const TensorOptions options{.dtype = dtype, .device = parameter.device()};
  if (saved.sizes() == parameter.sizes()) return empty_like(parameter, options).copy_(saved);
  return empty(saved.sizes(), options).copy_(saved);
}

/// What is wrong with a parameter's step count; "" if nothing.
std::string problem_of_step(const Tensor& step) {
  const double count = step.item().to_double();
  if (std::isfinite(count) && count >= 0 && count == std::floor(count)) return "";
  return " is " + std::to_string(count) + ", not a whole number of 0 or more";
}

std::string listed(const std::vector<std::string>& problems) {
  std::string text;
  for (const std::string& problem : problems) text += (text.empty() ? "" : "; ") + problem;
  return text;
}

}  // namespace

StateDict Optimizer::state_dict() const {
  StateDict dict;
  std::size_t first = 0;
  for (const ParamGroup& group : groups_) {
    for (std::size_t i = 0; i < group.params.size(); ++i) {
      const State* const kept = find_state(group.params[i]);
      if (kept == nullptr) continue;
      for (const auto& [name, tensor] : *kept) {
        if (tensor.defined()) dict.insert(numbered(kState, first + i, name), tensor);
      }
    }
    first += group.params.size();
  }
  first = 0;
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    for (const auto& [name, value] : groups_[g].options)
      dict.insert(numbered(kGroups, g, name), value.tensor());
    dict.insert(numbered(kGroups, g, kParams), numbers_of(first, groups_[g].params.size()));
    first += groups_[g].params.size();
  }
  return dict;
}

void Optimizer::load_state_dict(const StateDict& saved) {
  const NoGradGuard no_grad;
  std::vector<std::string> problems;
  std::vector<ParamGroup> groups = groups_;
  std::unordered_map<Key, State> states;
  std::vector<const Tensor*> parameters;
  std::vector<const ParamGroup*> group_of;

  for (std::size_t g = 0; g < groups.size(); ++g) {
    for (auto& [name, value] : groups[g].options) {
      const std::string entry = numbered(kGroups, g, name);
      const Tensor* const found = saved.find(entry);
      if (found == nullptr) {
        problems.push_back(entry + " is missing");
      } else if (!value.assign(*found)) {
        problems.push_back(entry + " has shape " + to_string(found->sizes()));
      }
    }
    const std::string entry = numbered(kGroups, g, kParams);
    const Tensor* const numbers = saved.find(entry);
    if (numbers == nullptr) {
      problems.push_back(entry + " is missing");
    } else if (numbers->numel() != static_cast<std::int64_t>(groups[g].params.size())) {
      problems.push_back("group " + std::to_string(g) + " has " + std::to_string(groups[g].params.size()) +
                         " parameters, " + std::to_string(numbers->numel()) + " were saved");
    }
    for (const Tensor& parameter : groups[g].params) {
      parameters.push_back(&parameter);
      group_of.push_back(&groups[g]);
    }
  }

  for (const auto& [entry, tensor] : saved) {
    const auto parts = parsed(entry);
    const bool known =
        parts && (parts->prefix == kState
                      ? parts->number < parameters.size()
                      : parts->number < groups.size() &&
                            (parts->rest == kParams || groups[parts->number].options.contains(parts->rest)));
    if (!known) {
      problems.push_back(entry + " is nothing that this optimizer has");
    } else if (parts->prefix == kState) {
      states[key(*parameters[parts->number])][std::string(parts->rest)] = tensor;
    }
  }

  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const auto found = states.find(key(*parameters[i]));
    const auto states_kept = kept_states(*group_of[i], *parameters[i]);
    if (found == states.end() || !states_kept) continue;
    for (const auto& [name, kept] : *states_kept) {
      const auto state = found->second.find(name);
      if (state == found->second.end()) {
        if (kept.always) problems.push_back(numbered(kState, i, name) + " is missing");
      } else if (name == "step" && found->second.size() == 1 && states_kept->size() > 1) {
        problems.push_back(numbered(kState, i, name) + " is there without what was made in these steps");
      } else if (state->second.sizes() != kept.sizes) {
        problems.push_back(numbered(kState, i, name) + " has shape " + to_string(state->second.sizes()) +
                           ", not " + to_string(kept.sizes));
      } else if (name == "step") {
        if (const std::string problem = problem_of_step(state->second); !problem.empty())
          problems.push_back(numbered(kState, i, name) + problem);
      }
    }
    for (const auto& [name, tensor] : found->second) {
      if (!states_kept->contains(name))
        problems.push_back(numbered(kState, i, name) + " is nothing that this optimizer has");
    }
  }
  if (!problems.empty()) throw TensorError(name_ + ".load_state_dict", listed(problems));
  for (const ParamGroup& group : groups) check(group);

  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const Tensor& parameter = *parameters[i];
    const auto found = states.find(key(parameter));
    if (found == states.end()) continue;
    const bool is_known = kept_states(*group_of[i], parameter).has_value();
    for (auto& [name, tensor] : found->second)
      tensor = taken(name, tensor, parameter, state_dtype(parameter), is_known);
  }
  groups_ = std::move(groups);
  states_ = std::move(states);
}

}  // namespace lectern::optim
