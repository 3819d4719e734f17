#include "optim/adafactor.h"

#include <cmath>

#include "autograd/grad_mode.h"
#include "base/number_text.h"
#include "base/tensor_error.h"
#include "ops/compute_numbers.h"
#include "ops/elementwise.h"
#include "ops/norm.h"
#include "ops/selection.h"
#include "ops/sum.h"
#include "tensor/creation.h"

namespace lectern::optim {
namespace {

bool is_factored(const Tensor& parameter) {
  return parameter.dim() >= 2;
}

Tensor rms(const Tensor& x) {
  return norm(x) / std::sqrt(static_cast<double>(x.numel()));
}

/// The averages and sizes that one step makes of the ones before; kept only if it is not skipped.
class Pass {
 public:
  Pass(const ParamGroup& group, const Tensor& parameter, Optimizer::State& state, const GradScale* scale)
      : group_(group),
        parameter_(parameter),
        state_(state),
        scale_(scale),
        dtype_(compute_dtype(parameter.dtype())),
        p_(parameter.to(dtype_)),
        grad_(parameter.grad().to(dtype_)) {
    if (scale != nullptr) grad_ = grad_ * scale->inv_scale;
  }

  void run() {
    const Tensor counted = kept("step", {}, float32) + 1;
    const Tensor step = counted.to(dtype_);
    const Tensor share = step.pow(group_["decay_rate"].value());
    const Tensor direction = grad_ * scaling(share);
    const Tensor rate = rate_of(step);
    const Tensor excess = clamp(rms(direction) / group_["clip_threshold"].value(), Scalar(1.));
    Tensor update = direction * (rate / excess);
    if (const double beta1 = group_["beta1"]; beta1 != 0) {
      update = kept("exp_avg", p_.sizes(), dtype_) * beta1 + update * (1 - beta1);
      keep("exp_avg", update);
    }
    const Tensor decayed = p_ * (1 - rate * group_["weight_decay"].value());
    keep(parameter_, (decayed - update).to(parameter_.dtype()));
    keep("step", counted);
  }

 private:
  /// What the gradient is multiplied with.
  Tensor scaling(const Tensor& share) {
    const Tensor square = grad_ * grad_ + group_["eps"][0];
    if (!is_factored(parameter_)) return average("exp_avg_sq", square, share).rsqrt();
    const Tensor row = average("exp_avg_sq_row", square.mean({-1}), share);
    const Tensor col = average("exp_avg_sq_col", square.mean({-2}), share);
    return (row / row.mean({-1}, true)).rsqrt().unsqueeze(-1) * col.rsqrt().unsqueeze(-2);
  }

  Tensor average(const std::string& name, const Tensor& now, const Tensor& share) {
    const Tensor made = kept(name, now.sizes(), dtype_) * (1 - share) + now * share;
    keep(name, made);
    return made;
  }

  Tensor rate_of(const Tensor& step) const {
    Tensor rate = full({}, group_["lr"].value(), {.dtype = dtype_, .device = parameter_.device()});
    if (group_["relative_step"]) {
      const Tensor most = group_["warmup_init"] ? step * 1e-6 : full_like(step, 1e-2);
      rate = minimum(most, step.rsqrt());
    }
    return group_["scale_parameter"] ? rate * clamp(rms(p_), Scalar(group_["eps"][1])) : rate;
  }

  const Tensor& kept(const std::string& name, const Sizes& sizes, Dtype dtype) {
    Tensor& tensor = state_[name];
    const Device device = parameter_.device();
    return tensor = tensor.defined() ? tensor.to(device) : zeros(sizes, {.dtype = dtype, .device = device});
  }
  void keep(const std::string& name, const Tensor& made) { keep(state_[name], made); }
  void keep(const Tensor& target, const Tensor& made) const {
    target.copy_(scale_ == nullptr ? made : where(scale_->found_inf.eq(0), made, target));
  }

  const ParamGroup& group_;
  const Tensor& parameter_;
  Optimizer::State& state_;
  const GradScale* scale_;
  Dtype dtype_;
  Tensor p_, grad_;
};

}  // namespace

Adafactor::Adafactor(const Params& params, const AdafactorOptions& options)
    : Optimizer(params,
                {{"lr", options.lr.value_or(0)},
                 {"eps", options.eps},
                 {"clip_threshold", options.clip_threshold},
                 {"decay_rate", options.decay_rate},
                 {"beta1", options.beta1},
                 {"weight_decay", options.weight_decay},
                 {"scale_parameter", options.scale_parameter},
                 {"relative_step", !options.lr},
                 {"warmup_init", options.warmup_init}},
                "Adafactor") {
  check_all();
}

void Adafactor::check(const ParamGroup& group) const {
  for (const char* option : {"lr", "clip_threshold", "weight_decay"}) check_range(option, group[option]);
  check_range("eps[0]", group["eps"][0]);
  check_range("eps[1]", group["eps"][1]);
  check_range("beta1", group["beta1"], 1);
  if (const double decay_rate = group["decay_rate"]; !(decay_rate <= 0))
    throw TensorError(name(), "decay_rate", "at most 0", number_text(decay_rate));
  if (group["relative_step"] && group["lr"] != 0)
    throw TensorError(name(), "relative_step", "false where there is an lr", "true");
  if (group["warmup_init"] && !group["relative_step"])
    throw TensorError(name(), "warmup_init", "false where the rate is not relative to the step", "true");
}

void Adafactor::step() {
  run(nullptr);
}

void Adafactor::step(const GradScale& scale) {
  run(&scale);
}

void Adafactor::run(const GradScale* scale) {
  const NoGradGuard no_grad;
  for (const ParamGroup& group : param_groups()) {
    for (const Tensor& parameter : group.params) {
      if (!parameter.grad().defined()) continue;
      check_gradient(parameter);
      if (scale != nullptr) check_scale(*scale, parameter);
    }
  }
  for (const ParamGroup& group : param_groups()) {
    for (const Tensor& parameter : group.params) {
      if (parameter.grad().defined() && parameter.numel() > 0)
        Pass(group, parameter, state(parameter), scale).run();
    }
  }
}

std::optional<std::map<std::string, Sizes>> Adafactor::state_shapes(const ParamGroup& group,
                                                                    const Tensor& parameter) const {
  std::map<std::string, Sizes> shapes{{"step", {}}};
  Sizes row = parameter.sizes(), col = parameter.sizes();
  if (is_factored(parameter)) {
    row.erase(row.size() - 1);
    col.erase(col.size() - 2);
    shapes["exp_avg_sq_row"] = row;
    shapes["exp_avg_sq_col"] = col;
  } else {
    shapes["exp_avg_sq"] = parameter.sizes();
  }
  if (group["beta1"]) shapes["exp_avg"] = parameter.sizes();
  return shapes;
}

Dtype Adafactor::state_dtype(const Tensor& parameter) const {
  return compute_dtype(parameter.dtype());
}

}  // namespace lectern::optim
