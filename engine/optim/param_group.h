#pragma once

#include <initializer_list>
#include <optional>
#include <string_view>
#include <vector>

#include "optim/option.h"

namespace lectern::optim {

/// Parameters with the same options.
struct ParamGroup {
  std::vector<Tensor> params;
  Options options = {};  ///< passed to an optimizer, those that differ from its own; then all
  std::optional<double> initial_lr = {};  ///< the "lr" at the first LRScheduler

  /// An option: `group["lr"] = 0.1`. A TensorError for an unknown name.
  Option& operator[](std::string_view name);
  const Option& operator[](std::string_view name) const;
};

/// The argument of optimizers: parameters, forming one group, or groups.
class Params {
 public:
  Params(const std::vector<Tensor>& params) : groups_{{params}} {}
  Params(std::initializer_list<Tensor> params) : groups_{{params}} {}
  Params(std::vector<ParamGroup> groups) : groups_(std::move(groups)) {}
  Params(std::initializer_list<ParamGroup> groups) : groups_(groups) {}

  const std::vector<ParamGroup>& groups() const { return groups_; }

 private:
  std::vector<ParamGroup> groups_;
};

}  // namespace lectern::optim
