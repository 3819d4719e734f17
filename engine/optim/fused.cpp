#include "optim/fused.h"

#include <algorithm>

#include "autograd/grad_mode.h"
#include "base/tensor_error.h"
#include "device/counters.h"
#include "kernels/cuda/updates.h"
#include "optim/dense_numbers.h"
#include "tensor/creation.h"
#include "tensor/layout.h"
#include "tensor/on_device.h"

namespace lectern::optim {
namespace {

/// What one call of a kernel updates.
struct Batch {
  kernels::UpdateRule rule;
  Dtype dtype;
  Device device;
  std::vector<kernels::Update> updates = {};
};

}  // namespace

/// One step: add() all parameters, then run().
class FusedOptimizer::Pass {
 public:
  explicit Pass(const GradScale* scale)
      : scale_(scale), on_host_(scale != nullptr && scale->found_inf.device().is_cpu()) {}

  bool is_skipped() const { return on_host_ && scale_->found_inf.item<double>() != 0; }

  void add(const Plan& plan, const Tensor& parameter, State& state) {
    const Sizes strides = result_strides(parameter);
    kernels::Update update{
        .parameter = changed(parameter, strides),
        .grad = read_.emplace_back(parameter.grad(), strides).data(),
        .states = {},
        .numel = parameter.numel(),
        .settings = std::visit([](const auto& of) -> const void* { return &of; }, plan.settings),
        .factor = plan.maximize ? -1. : 1.,
        .step = 1};
    if (on_host_) update.factor *= scale_->inv_scale.item<double>();
    for (std::size_t k = 0; k < plan.states.size(); ++k) {
      Tensor& kept = state[plan.states[k]];
      if (!kept.defined()) kept = full_like(parameter, plan.start);
      if (kept.sizes() != parameter.sizes() || kept.dtype() != parameter.dtype() ||
          kept.device() != parameter.device())
        throw TensorError("step", plan.states[k], "like its parameter", "of another shape, dtype or device");
      update.states[k] = changed(kept, strides);
    }
    if (!plan.states.empty()) count_step(update, state["step"], parameter.device());
    batch(plan.rule, parameter).updates.push_back(update);
    const auto arrays = static_cast<std::int64_t>(3 + 2 * plan.states.size());
    count((kernels::flops_of(plan.rule) + (scale_ == nullptr ? 0 : 1)) * parameter.numel(),
          arrays * parameter.nbytes());
  }

  void run() {
    for (const Batch& batch : batches_) {
      on_device(
          "step", batch.device, [&] { kernels::update(batch.rule, batch.dtype, batch.updates); },
          [&] {
            const bool scaled = scale_ != nullptr;
            kernels::cuda::update(batch.rule, batch.dtype, batch.updates,
                                  {scaled ? scale_->inv_scale.data<float>() : nullptr,
                                   scaled ? scale_->found_inf.data<float>() : nullptr});
          });
    }
    for (const DenseNumbers& numbers : changed_) numbers.write_back();
    for (float* step : steps_on_host_) *step += 1;
  }

 private:
  void* changed(const Tensor& tensor, const Sizes& strides) {
    return changed_.emplace_back(tensor, strides).data();
  }

  /// On the GPU from the first step on that only the GPU knows to be skipped or not.
  void count_step(kernels::Update& update, Tensor& step, Device device) {
    if (!step.defined()) step = zeros({}, {.dtype = float32, .device = cpu});
    if (!step.sizes().empty() || step.dtype() != float32)
      throw TensorError("step", "the count of steps", "one number of float32", "another tensor");
    if (scale_ != nullptr && !on_host_ && step.device().is_cpu())
      step = full({}, step.item(), {.dtype = float32, .device = device});
    if (step.device().is_cpu()) {
      steps_on_host_.push_back(step.data<float>());
      update.step = static_cast<double>(*step.data<float>()) + 1;
    } else {
      update.step_on_gpu = step.data<float>();
    }
  }

  Batch& batch(kernels::UpdateRule rule, const Tensor& parameter) {
    const auto found = std::find_if(batches_.begin(), batches_.end(), [&](const Batch& other) {
      return other.rule == rule && other.dtype == parameter.dtype() && other.device == parameter.device();
    });
    if (found != batches_.end()) return *found;
    return batches_.emplace_back(Batch{rule, parameter.dtype(), parameter.device()});
  }

  const GradScale* scale_;
  bool on_host_;
  std::vector<Batch> batches_;
  std::vector<DenseNumbers> read_, changed_;
  std::vector<float*> steps_on_host_;
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
  for (const ParamGroup& group : param_groups()) {
    plans.push_back(plan(group));
    for (const Tensor& parameter : group.params) {
      if (!parameter.grad().defined()) continue;
      check_gradient(parameter);
      if (scale != nullptr) check_scale(*scale, parameter);
    }
  }
  Pass pass(scale);
  if (pass.is_skipped()) return;
  for (std::size_t g = 0; g < plans.size(); ++g) {
    for (const Tensor& parameter : param_groups()[g].params) {
      if (parameter.grad().defined()) pass.add(plans[g], parameter, state(parameter));
    }
  }
  pass.run();
}

std::optional<std::map<std::string, Sizes>> FusedOptimizer::state_shapes(const ParamGroup& group,
                                                                         const Tensor& parameter) const {
  std::map<std::string, Sizes> shapes;
  const Plan of_group = plan(group);
  for (const std::string& name : of_group.states) shapes[name] = parameter.sizes();
  if (!shapes.empty()) shapes["step"] = {};
  return shapes;
}

}  // namespace lectern::optim
