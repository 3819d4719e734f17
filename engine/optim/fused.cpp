#include "optim/fused.h"

#include <algorithm>

#include "autograd/grad_mode.h"
#include "base/tensor_error.h"
#include "device/counters.h"
#include "kernels/updates.h"
#include "optim/fused_step.h"
#include "tensor/creation.h"
#include "tensor/layout.h"

namespace lectern::optim {

/// One step: add() all parameters, then run().
class FusedOptimizer::Pass {
 public:
  explicit Pass(const GradScale* scale) : step_(scale) {}

  bool is_skipped() const { return step_.is_skipped(); }

  void add(const Plan& plan, const Tensor& parameter, State& state) {
    const Sizes strides = result_strides(parameter);
    kernels::Update update{
        .parameter = step_.change(parameter, strides),
        .grad = step_.read(parameter.grad(), strides),
        .states = {},
        .numel = parameter.numel(),
        .settings = std::visit([](const auto& of) -> const void* { return &of; }, plan.settings),
        .factor = plan.maximize ? -step_.factor() : step_.factor(),
        .count = {}};
    const bool has_begun =
        std::ranges::any_of(plan.states, [&](const auto& name) { return state[name].defined(); });
    if (!has_begun && !plan.states.empty()) state["step"] = Tensor();
    for (std::size_t k = 0; k < plan.states.size(); ++k) {
      Tensor& kept = state[plan.states[k]];
      if (!kept.defined()) kept = full_like(parameter, plan.start);
      if (kept.sizes() != parameter.sizes() || kept.dtype() != parameter.dtype() ||
          kept.device() != parameter.device())
        throw TensorError("step", plan.states[k], "like its parameter", "of another shape, dtype or device");
      update.states[k] = step_.change(kept, strides);
    }
    if (!plan.states.empty()) update.count = step_.count(state["step"], parameter.device());
    batch(plan.rule, parameter).updates.push_back(update);
    const auto arrays = static_cast<std::int64_t>(3 + 2 * plan.states.size());
    count((kernels::flops_of(plan.rule) + (step_.is_scaled() ? 1 : 0)) * parameter.numel(),
          arrays * parameter.nbytes());
  }

  void run() {
    for (const Batch& batch : batches_)
      kernels::update_parameters("step", batch.device, batch.rule, batch.dtype, batch.updates,
                      step_.on_gpu(batch.device));
    step_.finish();
  }

 private:
  /// The updates of one kernel call.
  struct Batch {
    kernels::UpdateRule rule;
    Dtype dtype;
    Device device;
    std::vector<kernels::Update> updates = {};
  };

  Batch& batch(kernels::UpdateRule rule, const Tensor& parameter) {
    const auto found = std::find_if(batches_.begin(), batches_.end(), [&](const Batch& other) {
      return other.rule == rule && other.dtype == parameter.dtype() && other.device == parameter.device();
    });
    if (found != batches_.end()) return *found;
    return batches_.emplace_back(Batch{rule, parameter.dtype(), parameter.device()});
  }

  FusedStep step_;
  std::vector<Batch> batches_;
};

void FusedOptimizer::step() {
  run(nullptr);
}

void FusedOptimizer::step(const GradScale& scale) {
  run(&scale);
}

void FusedOptimizer::run(const GradScale* scale) {
  const NoGradGuard no_grad;
  std::vector<Plan> plans;
  for (const ParamGroup& group : param_groups()) plans.push_back(plan(group));
  check_gradients(scale);
  Pass pass(scale);
  if (pass.is_skipped()) return;
  for (std::size_t g = 0; g < plans.size(); ++g) {
    for (const Tensor& parameter : param_groups()[g].params) {
      if (parameter.grad().defined()) pass.add(plans[g], parameter, state(parameter));
    }
  }
  pass.run();
}

std::optional<std::map<std::string, Optimizer::Kept>> FusedOptimizer::kept_states(
    const ParamGroup& group, const Tensor& parameter) const {
  std::map<std::string, Kept> kept;
  for (const std::string& name : plan(group).states) kept[name] = {parameter.sizes()};
  for (const std::string& name : kept_sometimes()) kept[name] = {parameter.sizes(), false};
  const bool always =
      std::any_of(kept.begin(), kept.end(), [](const auto& entry) { return entry.second.always; });
  if (!kept.empty()) kept["step"] = {{}, always};
  return kept;
}

}  // namespace lectern::optim
