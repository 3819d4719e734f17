#include "optim/reduce_lr_on_plateau.h"

#include <algorithm>
#include <limits>
#include <string>
#include <string_view>

#include "base/noun.h"
#include "base/number_text.h"
#include "base/tensor_error.h"
#include "tensor/creation.h"

namespace lectern::optim {
namespace {

constexpr std::string_view kPlateau = "ReduceLROnPlateau";

Tensor number_tensor(const Scalar& value, Dtype dtype) {
  return full({}, value, {.dtype = dtype, .device = cpu});
}

}  // namespace

ReduceLROnPlateau::ReduceLROnPlateau(Optimizer& optimizer, const ReduceLROnPlateauOptions& options)
    : optimizer_(optimizer),
      options_(options),
      best_((options.mode == ReduceLROnPlateauOptions::Mode::min ? 1 : -1) *
            std::numeric_limits<double>::infinity()) {
  if (!(options.factor < 1))
    throw TensorError(kPlateau, "the factor", "below 1", number_text(options.factor));
  const std::size_t groups = optimizer.param_groups().size(), given = options.min_lr.size();
  if (given > 1 && given != groups)
    throw TensorError(kPlateau, "min_lr",
                      "one rate, or as many as there are groups, " + std::to_string(groups),
                      with_noun(given, "rate"));
}

bool ReduceLROnPlateau::is_better(double metric) const {
  const bool relative = options_.threshold_mode == ReduceLROnPlateauOptions::ThresholdMode::rel;
  if (options_.mode == ReduceLROnPlateauOptions::Mode::min)
    return metric < (relative ? best_ * (1 - options_.threshold) : best_ - options_.threshold);
  return metric > (relative ? best_ * (1 + options_.threshold) : best_ + options_.threshold);
}

void ReduceLROnPlateau::step(double metric) {
  ++last_epoch_;
  if (is_better(metric)) {
    best_ = metric;
    num_bad_epochs_ = 0;
  } else {
    ++num_bad_epochs_;
  }
  if (cooldown_counter_ > 0) {
    --cooldown_counter_;
    num_bad_epochs_ = 0;
  }
  if (num_bad_epochs_ <= options_.patience) return;
  reduce();
  cooldown_counter_ = options_.cooldown;
  num_bad_epochs_ = 0;
}

void ReduceLROnPlateau::reduce() {
  for (std::size_t g = 0; g < optimizer_.param_groups().size(); ++g) {
    const std::vector<double>& least = options_.min_lr;
    const double floor = least.empty() ? 0 : least[std::min(g, least.size() - 1)];
    Option& lr = optimizer_.param_groups()[g]["lr"];
    const double reduced = std::max(lr * options_.factor, floor);
    if (lr - reduced > options_.eps) lr = reduced;
  }
}

std::vector<double> ReduceLROnPlateau::get_last_lr() const {
  std::vector<double> rates;
  for (const ParamGroup& group : optimizer_.param_groups()) rates.push_back(group["lr"]);
  return rates;
}

StateDict ReduceLROnPlateau::state_dict() const {
  const std::vector<double> rates = get_last_lr();
  const Tensor last_lr = empty({static_cast<std::int64_t>(rates.size())}, {.dtype = float64, .device = cpu});
  std::ranges::copy(rates, last_lr.data<double>());
  return {{"last_epoch", number_tensor(last_epoch_, int64)},
          {"best", number_tensor(best_, float64)},
          {"num_bad_epochs", number_tensor(num_bad_epochs_, int64)},
          {"cooldown_counter", number_tensor(cooldown_counter_, int64)},
          {"last_lr", last_lr}};
}

void ReduceLROnPlateau::load_state_dict(const StateDict& saved) {
  const auto count = [&](const char* name) {
    const auto value = saved.at(name).item<std::int64_t>();
    if (value < 0) throw TensorError(kPlateau, name, "at least 0", std::to_string(value));
    return value;
  };
  const std::int64_t last_epoch = count("last_epoch"), bad = count("num_bad_epochs"),
                     cooldown = count("cooldown_counter");
  const double best = saved.at("best").item<double>();
  const Tensor rates = saved.at("last_lr").to(cpu, float64).contiguous();
  const std::size_t groups = optimizer_.param_groups().size();
  if (rates.numel() != static_cast<std::int64_t>(groups))
    throw TensorError(kPlateau, "last_lr", with_noun(groups, "rate"), std::to_string(rates.numel()));
  last_epoch_ = last_epoch, num_bad_epochs_ = bad, cooldown_counter_ = cooldown, best_ = best;
  for (std::size_t g = 0; g < groups; ++g) optimizer_.param_groups()[g]["lr"] = rates.data<double>()[g];
}

}  // namespace lectern::optim
