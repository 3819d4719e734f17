#include "amp/grad_scaler.h"

#include <algorithm>
#include <limits>

#include "autograd/grad_mode.h"
#include "base/number_text.h"
#include "base/tensor_error.h"
#include "ops/elementwise.h"
#include "ops/selection.h"
#include "optim/clip_grad.h"
#include "tensor/creation.h"

namespace lectern::amp {
namespace {

void check(std::string_view option, bool holds, std::string_view expected, double value) {
  if (!holds) throw TensorError("GradScaler", option, expected, number_text(value));
}

void check_scale(std::string_view option, double scale) {
  check(option, scale > 0 && scale <= std::numeric_limits<float>::max(), "positive, and finite in float32",
        scale);
}

}  // namespace

GradScaler::GradScaler(const Options& options)
    : options_(options), next_scale_(options.enabled ? options.init_scale : 1) {
  check_scale("init_scale", options.init_scale);
  check("growth_factor", options.growth_factor > 1, "above 1", options.growth_factor);
  check("backoff_factor", options.backoff_factor > 0 && options.backoff_factor < 1, "between 0 and 1",
        options.backoff_factor);
  check("growth_interval", options.growth_interval > 0, "positive",
        static_cast<double>(options.growth_interval));
}

/// In one pass over them.
Tensor GradScaler::found_inf(const optim::Optimizer& optimizer, Device device) const {
  const Tensor largest = nn::utils::get_total_norm(optim::gradients_of(optimizer.parameters()),
                                                   std::numeric_limits<double>::infinity());
  return largest.isfinite().logical_not().to(device, float32);
}

void GradScaler::initialize(const Tensor& loss) {
  if (scale_.defined()) return;
  scale_ = full({}, next_scale_, {.dtype = float32, .device = loss.device()});
  growth_tracker_ = full({}, next_tracker_, {.dtype = int32, .device = loss.device()});
}

Tensor GradScaler::scale(const Tensor& loss) {
  if (!options_.enabled) return loss;
  initialize(loss);
  return loss * scale_.to(loss.device());
}

GradScaler::OptimizerState& GradScaler::optimizer_state(std::string_view operation,
                                                        const optim::Optimizer& optimizer) {
  if (!scale_.defined()) throw TensorError(operation, "scale(loss) must be called first");
  const auto found = std::ranges::find(states_, &optimizer, &OptimizerState::optimizer);
  if (found != states_.end()) return *found;
  return states_.emplace_back(OptimizerState{&optimizer, found_inf(optimizer, scale_.device())});
}

void GradScaler::unscale_(optim::Optimizer& optimizer) {
  if (!options_.enabled) return;
  const NoGradGuard no_grad;
  OptimizerState& state = optimizer_state("GradScaler::unscale_", optimizer);
  if (state.is_unscaled || state.is_stepped) {
    throw TensorError("GradScaler::unscale_", state.is_stepped
                                                  ? "it was called after step()"
                                                  : "it was already called since the last update()");
  }
  state.is_unscaled = true;
  const Tensor inverse = scale_.reciprocal();
  for (const Tensor& gradient : optim::gradients_of(optimizer.parameters()))
    gradient.mul_(inverse.to(gradient.device()));
}

void GradScaler::step(optim::Optimizer& optimizer) {
  if (!options_.enabled) return optimizer.step();
  const NoGradGuard no_grad;
  OptimizerState& state = optimizer_state("GradScaler::step", optimizer);
  if (state.is_stepped)
    throw TensorError("GradScaler::step", "it was already called for this optimizer since the last update()");
  state.is_stepped = true;
  const Tensor inverse = state.is_unscaled ? ones_like(scale_) : scale_.reciprocal();
  optimizer.step(optim::GradScale{.inv_scale = inverse, .found_inf = state.found_inf});
}

void GradScaler::update() {
  if (!options_.enabled) return;
  if (states_.empty()) throw TensorError("GradScaler::update", "step() or unscale_() must be called first");
  const NoGradGuard no_grad;
  Tensor found_infs = zeros_like(scale_);
  for (const OptimizerState& state : states_) found_infs.add_(state.found_inf.to(scale_.device()));
  const Tensor overflowed = found_infs.ne(0);
  const Tensor successful = growth_tracker_ + 1;
  const Tensor larger = scale_ * options_.growth_factor;
  const Tensor is_due = successful.ge(options_.growth_interval);
  const Tensor grown = where(is_due.logical_and(larger.isfinite()), larger, scale_);
  scale_ = where(overflowed, scale_ * options_.backoff_factor, grown);
  growth_tracker_ = successful.masked_fill(overflowed.logical_or(is_due), 0);
  states_.clear();
}

void GradScaler::update(double new_scale) {
  if (!options_.enabled) return;
  check_scale("new_scale", new_scale);
  next_scale_ = new_scale;
  if (scale_.defined()) scale_ = full_like(scale_, new_scale);
  states_.clear();
}

double GradScaler::get_scale() const {
  return scale_.defined() ? scale_.item<double>() : next_scale_;
}

StateDict GradScaler::state_dict() const {
  if (!options_.enabled) return {};
  const TensorOptions host{.dtype = int32, .device = cpu};
  return {{"scale", full({}, get_scale(), {.dtype = float32, .device = cpu})},
          {"growth_tracker",
           growth_tracker_.defined() ? growth_tracker_.to(cpu).clone() : full({}, next_tracker_, host)}};
}

void GradScaler::load_state_dict(const StateDict& state) {
  if (!options_.enabled) return;
  const double scale = state.at("scale").item<double>();
  const auto tracker = state.at("growth_tracker").item<std::int64_t>();
  check_scale("scale", scale);
  check("growth_tracker", tracker >= 0 && tracker < std::numeric_limits<std::int32_t>::max(),
        "0 or more, and an int32", static_cast<double>(tracker));
  next_scale_ = scale;
  next_tracker_ = tracker;
  scale_ = growth_tracker_ = Tensor();
  states_.clear();
}

}  // namespace lectern::amp
