#pragma once

#include <variant>

#include "kernels/updates.h"
#include "optim/optimizer.h"

namespace lectern::optim {

/// An optimizer whose step is one pass over all parameters by a rule of kernels/updates.h; on a GPU one
/// launch for all groups that share rule and dtype. Computes in float32 (for float64 parameters in float64)
/// and rounds once; states have the parameter's dtype and layout.
///
/// Counts per element of a parameter: the rule's operations (kernels/update_functors.h), one more with a
/// GradScale, and the bytes of its gradient once, of itself and each of its states twice.
///
/// For rules with state the steps of a parameter are counted (optim/fused_step.h).
class FusedOptimizer : public Optimizer {
 public:
  void step() override { run(nullptr); }
  void step(const GradScale& scale) override { run(&scale); }

 protected:
  using Optimizer::Optimizer;

  using Settings = std::variant<kernels::SgdSettings, kernels::AdagradSettings, kernels::RmspropSettings,
                                kernels::AdamSettings, kernels::NadamSettings, kernels::LionSettings>;

  /// The update of a group's parameters.
  struct Plan {
    kernels::UpdateRule rule;
    Settings settings;
    std::vector<std::string> states;  ///< the states' names
    bool maximize = false;
    bool capturable = false;   ///< steps are counted on the parameter's device
    double initial_value = 0;  ///< the states' initial value
  };
  virtual Plan plan(const ParamGroup& group) const = 0;
  /// The settings of a parameter, where they depend on its state.
  virtual std::optional<Settings> settings_of(const Plan&, const State&) const { return {}; }
  /// The names of states used with some options only.
  virtual std::vector<std::string> optional_states() const { return {}; }

  std::optional<StateSpecs> state_specs(const ParamGroup& group, const Tensor& parameter) const override;

 private:
  class Pass;
  void run(const GradScale* scale);
};

}  // namespace lectern::optim
