#include "optim/adafactor.h"

#include <map>

#include "autograd/grad_mode.h"
#include "base/number_text.h"
#include "base/tensor_error.h"
#include "device/counters.h"
#include "kernels/adafactor.h"
#include "ops/compute_dtype.h"
#include "optim/fused_step.h"
#include "optim/state_tensor.h"
#include "tensor/creation.h"
#include "tensor/layout.h"

namespace lectern::optim {
namespace {

bool is_factored(const Tensor& parameter) {
  return parameter.dim() >= 2;
}

kernels::MatrixTiles tiles_of(const Tensor& parameter) {
  if (!is_factored(parameter)) return {1, 1, parameter.numel()};
  const std::int64_t rows = parameter.size(-2), columns = parameter.size(-1);
  return {parameter.numel() / (rows * columns), rows, columns};
}

kernels::AdafactorSettings settings_of(const ParamGroup& group) {
  return {.lr = group["lr"],
          .eps_square = group["eps"][0],
          .eps_scale = group["eps"][1],
          .clip_threshold = group["clip_threshold"],
          .decay_rate = group["decay_rate"],
          .beta1 = group["beta1"],
          .weight_decay = group["weight_decay"],
          .scale_parameter = group["scale_parameter"] != 0,
          .relative_step = group["relative_step"] != 0,
          .warmup_init = group["warmup_init"] != 0};
}

}  // namespace

/// One step: add() all parameters, then run().
class Adafactor::Pass {
 public:
  explicit Pass(const GradScale* scale) : step_(scale) {}

  bool is_skipped() const { return step_.is_skipped(); }

  void add(const ParamGroup& group, const Tensor& parameter, State& state, const StateSpecs& specs) {
    kernels::AdafactorUpdate update{.tiles = tiles_of(parameter),
                                    .parameter = step_.change(parameter, strides_of(parameter)),
                                    .grad = step_.read(parameter.grad(), strides_of(parameter)),
                                    .rows = nullptr,
                                    .columns = nullptr,
                                    .updates = nullptr,
                                    .settings = settings_of(group),
                                    .factor = step_.factor(),
                                    .count = step_.count(state["step"], parameter.device())};
    const auto data = [&](const char* name) {
      return state_data(parameter, state[name], name, specs.at(name).sizes);
    };
    if (is_factored(parameter)) update.rows = data("exp_avg_sq_row");
    update.columns = data(is_factored(parameter) ? "exp_avg_sq_col" : "exp_avg_sq");
    if (update.settings.beta1 != 0) update.updates = data("exp_avg");
    batches_[{parameter.dtype(), parameter.device()}].push_back(update);
    count_cost(parameter, update);
  }

  void run() {
    for (const auto& [key, updates] : batches_)
      kernels::adafactor("step", key.second, key.first, updates, step_.on_gpu(key.second));
    step_.finish();
  }

 private:
  static Sizes strides_of(const Tensor& tensor) { return contiguous_strides(tensor.sizes()); }

  void* state_data(const Tensor& parameter, Tensor& state, const char* name, const Sizes& sizes) {
    const Dtype dtype = compute_dtype(parameter.dtype());
    if (!state.defined()) state = state_tensor(zeros(sizes, {.dtype = dtype, .device = parameter.device()}));
    if (state.sizes() != sizes || state.dtype() != dtype || state.device() != parameter.device())
      throw TensorError("step", name,
                        std::string(lectern::name(dtype)) + " of shape " + to_string(sizes) + " on " +
                            parameter.device().name(),
                        described(state));
    return step_.change(state, strides_of(state));
  }

  void count_cost(const Tensor& parameter, const kernels::AdafactorUpdate& update) const {
    const auto& [matrices, rows, columns] = update.tiles;
    const std::int64_t factored = is_factored(parameter) ? 1 : 0;
    const std::int64_t averages = matrices * (factored * rows + columns);
    const std::int64_t element_flops = 8 + 2 * factored + (step_.is_scaled() ? 1 : 0) +
                                       (update.settings.scale_parameter ? 2 : 0) +
                                       (update.updates != nullptr ? 3 : 0);
    const std::int64_t updates = update.updates == nullptr ? 0 : parameter.numel();
    count(element_flops * parameter.numel() + 7 * averages + factored * 2 * matrices * rows,
          3 * parameter.nbytes() + 2 * (averages + updates) * element_size(compute_dtype(parameter.dtype())));
  }

  FusedStep step_;
  std::map<std::pair<Dtype, Device>, std::vector<kernels::AdafactorUpdate>>
      batches_;  ///< one kernel call each
};

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
    throw TensorError(name(), "relative_step", "false with an lr", "true");
  if (group["warmup_init"] && !group["relative_step"])
    throw TensorError(name(), "warmup_init", "false without relative_step", "true");
}

void Adafactor::run(const GradScale* scale) {
  const NoGradGuard no_grad;
  check_gradients(scale);
  Pass pass(scale);
  if (pass.is_skipped()) return;
  for (const ParamGroup& group : param_groups()) {
    for (const Tensor& parameter : group.params) {
      if (parameter.grad().defined() && parameter.numel() > 0)
        pass.add(group, parameter, state(parameter), *state_specs(group, parameter));
    }
  }
  pass.run();
}

std::optional<StateSpecs> Adafactor::state_specs(const ParamGroup& /*group*/, const Tensor& parameter) const {
  StateSpecs specs{{"step", {}}, {"exp_avg", {parameter.sizes(), false}}};
  Sizes row = parameter.sizes(), col = parameter.sizes();
  if (is_factored(parameter)) {
    row.erase(row.size() - 1);
    col.erase(col.size() - 2);
    specs["exp_avg_sq_row"] = {row};
    specs["exp_avg_sq_col"] = {col};
  } else {
    specs["exp_avg_sq"] = {parameter.sizes()};
  }
  return specs;
}

Dtype Adafactor::state_dtype(const Tensor& parameter) const {
  return compute_dtype(parameter.dtype());
}

}  // namespace lectern::optim
