#pragma once

#include <variant>

#include "kernels/updates.h"
#include "optim/optimizer.h"

namespace lectern::optim {

/// An optimizer whose step is one pass over all parameters by a rule of kernels/updates.h; on a GPU it is one
/// launch for all groups that share rule and dtype. Numbers are computed in float32 (of float64 parameters in
/// float64) and rounded once; what is kept has the dtype of the parameter, and its layout.
///
/// Counted for each number of a parameter: the rule's operations (kernels/update_functors.h), one more with a
/// GradScale, and the bytes of its gradient once, of itself and each of its states twice.
///
/// Of a rule that keeps something the steps of a parameter are counted (optim/fused_step.h).
class FusedOptimizer : public Optimizer {
 public:
  void step() override;
  void step(const GradScale& scale) override;

 protected:
  using Optimizer::Optimizer;

  /// What a step does with the parameters of a group.
  struct Plan {
    kernels::UpdateRule rule;
    std::variant<kernels::SgdSettings, kernels::AdagradSettings, kernels::RmspropSettings,
                 kernels::AdamSettings>
        settings;
    std::vector<std::string> states;  ///< the names of what is kept
    bool maximize = false;
    double start = 0;  ///< what states are at first
  };
  virtual Plan plan(const ParamGroup& group) const = 0;
  /// The names of what is kept with some options only.
  virtual std::vector<std::string> kept_sometimes() const { return {}; }

  std::optional<std::map<std::string, Kept>> kept_states(const ParamGroup& group,
                                                         const Tensor& parameter) const override;

 private:
  class Pass;
  void run(const GradScale* scale);
};

}  // namespace lectern::optim
