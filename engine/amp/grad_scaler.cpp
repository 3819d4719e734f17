#include "amp/grad_scaler.h"

#include <algorithm>
#include <limits>

#include "autograd/grad_mode.h"
#include "base/number_text.h"
#include "base/tensor_error.h"
#include "ops/elementwise.h"
#include "ops/selection.h"
#include "optim/clip_grad.h"
#include "optim/gradients.h"
#include "tensor/creation.h"

namespace lectern::amp {
namespace {

/// 1 if one of the gradients is infinite or NaN, else 0: a float32 on the device, in one pass over them.
Tensor infinity_among(const optim::Optimizer& optimizer, Device device) {
  const Tensor largest =
      nn::utils::get_total_norm(optim::gradients_of(optimizer), std::numeric_limits<double>::infinity());
  return largest.isfinite().logical_not().to(device, float32);
}

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

void GradScaler::begin(const Tensor& loss) {
  if (scale_.defined()) return;
  scale_ = full({}, next_scale_, {.dtype = float32, .device = loss.device()});
  growth_tracker_ = full({}, next_tracker_, {.dtype = int32, .device = loss.device()});
}

Tensor GradScaler::scale(const Tensor& loss) {
  if (!options_.enabled) return loss;
  begin(loss);
  return loss * scale_.to(loss.device());
}

GradScaler::Seen& GradScaler::seen(std::string_view operation, const optim::Optimizer& optimizer) {
  if (!scale_.defined()) throw TensorError(operation, "there was no scale(loss) before");
  const auto known = std::ranges::find(seen_, &optimizer, &Seen::optimizer);
  if (known != seen_.end()) return *known;
  return seen_.emplace_back(Seen{&optimizer, infinity_among(optimizer, scale_.device())});
}

void GradScaler::unscale_(optim::Optimizer& optimizer) {
  if (!options_.enabled) return;
  const NoGradGuard no_grad;
  Seen& known = seen("GradScaler::unscale_", optimizer);
  if (known.is_unscaled || known.is_stepped) {
    throw TensorError("GradScaler::unscale_",
                      known.is_stepped ? "it comes after step()"
                                       : "the gradients are unscaled already since the last update()");
  }
  known.is_unscaled = true;
  const Tensor inverse = scale_.reciprocal();
  for (const Tensor& gradient : optim::gradients_of(optimizer)) gradient.mul_(inverse.to(gradient.device()));
}

void GradScaler::step(optim::Optimizer& optimizer) {
  if (!options_.enabled) return optimizer.step();
  const NoGradGuard no_grad;
  Seen& known = seen("GradScaler::step", optimizer);
  if (known.is_stepped)
    throw TensorError("GradScaler::step", "it was called for this optimizer already since the last update()");
  known.is_stepped = true;
  const Tensor inverse = known.is_unscaled ? ones_like(scale_) : scale_.reciprocal();
  optimizer.step(optim::GradScale{.inv_scale = inverse, .found_inf = known.found_inf});
}

void GradScaler::update() {
  if (!options_.enabled) return;
  if (seen_.empty()) throw TensorError("GradScaler::update", "there was no step() or unscale_() before");
  const NoGradGuard no_grad;
  Tensor found = zeros_like(scale_);
  for (const Seen& known : seen_) found.add_(known.found_inf.to(scale_.device()));
  const Tensor is_bad = found.ne(0);
  const Tensor successful = growth_tracker_ + 1;
  const Tensor larger = scale_ * options_.growth_factor;
  const Tensor is_time = successful.ge(options_.growth_interval);
  const Tensor grown = where(is_time.logical_and(larger.isfinite()), larger, scale_);
  scale_ = where(is_bad, scale_ * options_.backoff_factor, grown);
  growth_tracker_ = successful.masked_fill(is_bad.logical_or(is_time), 0);
  seen_.clear();
}

void GradScaler::update(double new_scale) {
  if (!options_.enabled) return;
  check_scale("new_scale", new_scale);
  next_scale_ = new_scale;
  if (scale_.defined()) scale_ = full_like(scale_, new_scale);
  seen_.clear();
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
  seen_.clear();
}

}  // namespace lectern::amp
