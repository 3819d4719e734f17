#include "optim/one_cycle_lr.h"

#include <cmath>
#include <numbers>
#include <string>
#include <string_view>

#include "base/noun.h"
#include "base/number_text.h"
#include "base/tensor_error.h"

namespace lectern::optim {
namespace {

constexpr std::string_view kOneCycle = "OneCycleLR";

/// What a phase goes from and to.
struct Phase {
  double end_step;
  double first_rate, last_rate;
  double first_momentum, last_momentum;
};

/// Of a group that begins with the rate `base`.
std::vector<Phase> phases_of(const OneCycleOptions& options, double base) {
  const double steps = static_cast<double>(options.total_steps), rise = options.pct_start * steps;
  const double most = base * options.div_factor, least = base / options.final_div_factor;
  const double low = options.base_momentum, high = options.max_momentum;
  if (!options.three_phase) return {{rise - 1, base, most, high, low}, {steps - 1, most, least, low, high}};
  return {{rise - 1, base, most, high, low},
          {2 * rise - 2, most, base, low, high},
          {steps - 1, base, least, high, high}};
}

struct Setting {
  double rate, momentum;
};

Setting setting_of(const OneCycleOptions& options, std::int64_t step, double base) {
  const auto between = [&](double first, double last, double done) {
    if (options.anneal_strategy == OneCycleOptions::Anneal::linear) return first + (last - first) * done;
    return last + (first - last) / 2 * (1 + std::cos(std::numbers::pi * done));
  };
  const std::vector<Phase> phases = phases_of(options, base);
  const double at = static_cast<double>(step);
  std::size_t i = 0;
  while (i + 1 < phases.size() && at > phases[i].end_step) ++i;
  const Phase& phase = phases[i];
  const double begin = i == 0 ? 0 : phases[i - 1].end_step;
  const double length = phase.end_step - begin;
  const double done = length == 0 ? 1 : (at - begin) / length;  // one of no steps is over
  return {between(phase.first_rate, phase.last_rate, done),
          between(phase.first_momentum, phase.last_momentum, done)};
}

bool has_momentum(const ParamGroup& group) {
  return group.options.contains("momentum") || group.options.contains("betas");
}

void check_options(const Optimizer& optimizer, const OneCycleOptions& options) {
  if (options.total_steps < 1)
    throw TensorError(kOneCycle, "total_steps", "at least 1", std::to_string(options.total_steps));
  if (!(options.pct_start >= 0 && options.pct_start <= 1))
    throw TensorError(kOneCycle, "pct_start", "in [0, 1]", number_text(options.pct_start));
  const std::size_t groups = optimizer.param_groups().size();
  if (options.max_lr.size() != 1 && options.max_lr.size() != groups)
    throw TensorError(kOneCycle, "max_lr",
                      "one rate, or as many as there are groups, " + std::to_string(groups),
                      with_noun(options.max_lr.size(), "rate"));
  for (const ParamGroup& group : optimizer.param_groups()) {
    if (options.cycle_momentum && !has_momentum(group))
      throw TensorError(kOneCycle, "the optimizer has no momentum to cycle; set cycle_momentum to false");
  }
}

/// The optimizer, with the rates that its groups begin with.
Optimizer& begun(Optimizer& optimizer, const OneCycleOptions& options) {
  check_options(optimizer, options);
  for (std::size_t g = 0; g < optimizer.param_groups().size(); ++g) {
    ParamGroup& group = optimizer.param_groups()[g];
    const double most = options.max_lr[options.max_lr.size() == 1 ? 0 : g];
    group.initial_lr = most / options.div_factor;
    group["lr"] = *group.initial_lr;
  }
  return optimizer;
}

}  // namespace

OneCycleLR::OneCycleLR(Optimizer& optimizer, const OneCycleOptions& options)
    : LRScheduler(begun(optimizer, options), Schedule([options](std::int64_t step, double base) {
                    return setting_of(options, step, base).rate;
                  }),
                  OnChange::overwrite),
      options_(options) {
  set_momentum();
}

void OneCycleLR::step() {
  if (last_epoch() + 1 > options_.total_steps)
    throw TensorError(kOneCycle, "the step", "at most " + std::to_string(options_.total_steps),
                      std::to_string(last_epoch() + 1));
  LRScheduler::step();
  set_momentum();
}

void OneCycleLR::load_state_dict(const StateDict& saved) {
  LRScheduler::load_state_dict(saved);
  set_momentum();
}

void OneCycleLR::set_momentum() const {
  if (!options_.cycle_momentum) return;
  const double momentum = setting_of(options_, last_epoch(), 1).momentum;
  for (ParamGroup& group : optimizer().param_groups()) {
    if (group.options.contains("betas")) {
      group["betas"] = {momentum, group["betas"][1]};
    } else if (group.options.contains("momentum")) {
      group["momentum"] = momentum;
    }
  }
}

}  // namespace lectern::optim
