#include "optim/fused.h"

#include <algorithm>
#include <compare>
#include <deque>
#include <map>

#include "autograd/grad_mode.h"
#include "base/tensor_error.h"
#include "device/counters.h"
#include "kernels/updates.h"
#include "optim/fused_step.h"
#include "optim/state_tensor.h"
#include "tensor/creation.h"
#include "tensor/layout.h"

namespace lectern::optim {

/// One step: add() all parameters, then run().
class FusedOptimizer::Pass {
 public:
  explicit Pass(const GradScale* scale) : step_(scale) {}

  bool is_skipped() const { return step_.is_skipped(); }

  /// `own`: the parameter's settings, if they are not the plan's.
  void add(const Plan& plan, const Tensor& parameter, State& state, const std::optional<Settings>& own) {
    const Settings& all = own ? own_.emplace_back(*own) : plan.settings;
    const Sizes strides = result_strides(parameter);
    kernels::Update update{
        .parameter = step_.change(parameter, strides),
        .grad = step_.read(parameter.grad(), strides),
        .states = {},
        .numel = parameter.numel(),
        .settings = std::visit([](const auto& settings) -> const void* { return &settings; }, all),
        .factor = plan.maximize ? -step_.factor() : step_.factor(),
        .count = {}};
    const bool has_state =
        std::ranges::any_of(plan.states, [&](const auto& name) { return state[name].defined(); });
    if (!has_state && !plan.states.empty()) state["step"] = Tensor();
    for (std::size_t k = 0; k < plan.states.size(); ++k) {
      Tensor& tensor = state[plan.states[k]];
      if (!tensor.defined()) tensor = state_tensor(full_like(parameter, plan.initial_value));
      if (!are_alike(tensor, parameter))
        throw TensorError("step", plan.states[k], "like its parameter", "of another shape, dtype or device");
      update.states[k] = step_.change(tensor, strides);
    }
    if (!plan.states.empty()) update.count = step_.count(state["step"], parameter.device(), plan.capturable);
    batches_[{plan.rule, parameter.dtype(), parameter.device()}].push_back(update);
    const auto arrays = static_cast<std::int64_t>(3 + 2 * plan.states.size());
    count((kernels::flops_per_element(plan.rule) + (step_.is_scaled() ? 1 : 0)) * parameter.numel(),
          arrays * parameter.nbytes());
  }

  void run() {
    for (const auto& [key, updates] : batches_)
      kernels::update_parameters("step", key.device, key.rule, key.dtype, updates, step_.on_gpu(key.device));
    step_.finish();
  }

 private:
  struct Key {
    kernels::UpdateRule rule;
    Dtype dtype;
    Device device;

    friend auto operator<=>(const Key&, const Key&) = default;  // NOLINT(modernize-use-nullptr)
  };

  FusedStep step_;
  std::deque<Settings> own_;
  std::map<Key, std::vector<kernels::Update>> batches_;  ///< one kernel call each
};

void FusedOptimizer::run(const GradScale* scale) {
  const NoGradGuard no_grad;
  std::vector<Plan> plans;
  for (const ParamGroup& group : param_groups()) plans.push_back(plan(group));
  check_gradients(scale);
  Pass pass(scale);
  if (pass.is_skipped()) return;
  for (std::size_t g = 0; g < plans.size(); ++g) {
    for (const Tensor& parameter : param_groups()[g].params) {
      if (!parameter.grad().defined()) continue;
      State& kept = state(parameter);
      pass.add(plans[g], parameter, kept, settings_of(plans[g], kept));
    }
  }
  pass.run();
}

std::optional<StateSpecs> FusedOptimizer::state_specs(const ParamGroup& group,
                                                      const Tensor& parameter) const {
  StateSpecs specs;
  for (const std::string& name : plan(group).states) specs[name] = {parameter.sizes()};
  for (const std::string& name : optional_states()) specs[name] = {parameter.sizes(), false};
  const bool required =
      std::any_of(specs.begin(), specs.end(), [](const auto& entry) { return entry.second.required; });
  if (!specs.empty()) specs["step"] = {{}, required};
  return specs;
}

}  // namespace lectern::optim
