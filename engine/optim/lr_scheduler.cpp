#include "optim/lr_scheduler.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/number_text.h"
#include "base/tensor_error.h"
#include "tensor/creation.h"

namespace lectern::optim {
namespace {

constexpr std::string_view kName = "LRScheduler";

void check_steps(std::string_view what, std::int64_t steps, std::int64_t least) {
  if (steps < least)
    throw TensorError(kName, what, "at least " + std::to_string(least), std::to_string(steps));
}

void check_factor(std::string_view what, double factor) {
  if (!(factor >= 0 && factor <= 1)) throw TensorError(kName, what, "in [0, 1]", number_text(factor));
}

Tensor tensor_of(const std::vector<double>& rates) {
  const Tensor result = empty({static_cast<std::int64_t>(rates.size())}, {.dtype = float64, .device = cpu});
  std::copy(rates.begin(), rates.end(), result.data<double>());
  return result;
}

/// A TensorError unless there is one per group.
std::vector<double> rates_of(const StateDict& saved, const char* name, std::size_t groups) {
  const Tensor rates = saved.at(name).to(cpu, float64).contiguous();
  if (rates.numel() != static_cast<std::int64_t>(groups))
    throw TensorError(kName, name, std::to_string(groups) + " rates", std::to_string(rates.numel()));
  return {rates.data<double>(), rates.data<double>() + rates.numel()};
}

}  // namespace

Schedule constant_lr(double factor, std::int64_t total_iters) {
  check_factor("the factor", factor);
  return [=](std::int64_t step, double base) { return step < total_iters ? base * factor : base; };
}

Schedule step_lr(std::int64_t step_size, double gamma) {
  check_steps("step_size", step_size, 1);
  return [=](std::int64_t step, double base) {
    const std::int64_t times = step / step_size;
    return base * std::pow(gamma, static_cast<double>(times));
  };
}

Schedule linear_lr(double start_factor, double end_factor, std::int64_t total_iters) {
  check_factor("start_factor", start_factor);
  check_factor("end_factor", end_factor);
  check_steps("total_iters", total_iters, 1);
  return [=](std::int64_t step, double base) {
    const double done = static_cast<double>(std::min(step, total_iters)) / static_cast<double>(total_iters);
    return base * (start_factor + (end_factor - start_factor) * done);
  };
}

Schedule cosine_annealing_lr(std::int64_t t_max, double eta_min) {
  check_steps("t_max", t_max, 1);
  return [=](std::int64_t step, double base) {
    const double done = static_cast<double>(step) / static_cast<double>(t_max);
    return eta_min + (base - eta_min) * (1 + std::cos(std::numbers::pi * done)) / 2;
  };
}

Schedule linear_warmup_cosine(const LinearWarmupCosineOptions& options) {
  check_steps("warmup_steps", options.warmup_steps, 0);
  check_steps("total_steps", options.total_steps, options.warmup_steps + 1);
  const Schedule warmup = linear_lr(options.start_factor, 1, std::max<std::int64_t>(options.warmup_steps, 1));
  const Schedule decay = cosine_annealing_lr(options.total_steps - options.warmup_steps, options.min_lr);
  return [=](std::int64_t step, double base) {
    if (step < options.warmup_steps) return warmup(step, base);
    return decay(std::min(step, options.total_steps) - options.warmup_steps, base);
  };
}

LRScheduler::LRScheduler(Optimizer& optimizer, const Schedule& schedule, OnChange on_change)
    : LRScheduler(optimizer, std::vector<Schedule>(optimizer.param_groups().size(), schedule), on_change) {}

LRScheduler::LRScheduler(Optimizer& optimizer, std::vector<Schedule> schedules, OnChange on_change)
    : optimizer_(optimizer), schedules_(std::move(schedules)), on_change_(on_change) {
  const std::size_t groups = optimizer.param_groups().size();
  if (schedules_.size() != groups)
    throw TensorError(kName, "the number of schedules", std::to_string(groups) + ", one for each group",
                      std::to_string(schedules_.size()));
  for (ParamGroup& group : optimizer.param_groups()) {
    const double lr = group["lr"];
    if (!group.initial_lr) group.initial_lr = lr;
    base_lrs_.push_back(*group.initial_lr);
    begun_lrs_.push_back(on_change == OnChange::keep ? lr : base_lrs_.back());
  }
  set_rates();
}

void LRScheduler::step() {
  check_groups();
  for (std::size_t g = 0; on_change_ == OnChange::keep && g < schedules_.size(); ++g) {
    const double lr = optimizer_.param_groups()[g]["lr"];
    if (lr == last_lr_[g]) continue;
    const double constant = schedules_[g](last_epoch_, 0), factor = schedules_[g](last_epoch_, 1) - constant;
    if (factor != 0) begun_lrs_[g] = (lr - constant) / factor;
  }
  ++last_epoch_;
  set_rates();
}

void LRScheduler::check_groups() const {
  if (optimizer_.param_groups().size() < schedules_.size())
    throw TensorError(kName, "the number of parameter groups",
                      "at least " + std::to_string(schedules_.size()),
                      std::to_string(optimizer_.param_groups().size()));
}

void LRScheduler::set_rates() {
  last_lr_.clear();
  for (std::size_t g = 0; g < schedules_.size(); ++g) {
    last_lr_.push_back(schedules_[g](last_epoch_, begun_lrs_[g]));
    optimizer_.param_groups()[g]["lr"] = last_lr_[g];
  }
}

StateDict LRScheduler::state_dict() const {
  return {{"last_epoch", tensor(last_epoch_, {.device = cpu})},
          {"base_lrs", tensor_of(base_lrs_)},
          {"begun_lrs", tensor_of(begun_lrs_)},
          {"last_lr", tensor_of(last_lr_)}};
}

void LRScheduler::load_state_dict(const StateDict& saved) {
  check_groups();
  const auto last_epoch = saved.at("last_epoch").item<std::int64_t>();
  check_steps("last_epoch", last_epoch, 0);
  const auto rates = [&](const char* name) { return rates_of(saved, name, schedules_.size()); };
  auto base_lrs = rates("base_lrs"), begun_lrs = rates("begun_lrs"), last_lr = rates("last_lr");
  last_epoch_ = last_epoch;
  base_lrs_ = std::move(base_lrs), begun_lrs_ = std::move(begun_lrs), last_lr_ = std::move(last_lr);
  for (std::size_t g = 0; g < schedules_.size(); ++g) {
    ParamGroup& group = optimizer_.param_groups()[g];
    group["lr"] = last_lr_[g];
    group.initial_lr = base_lrs_[g];
  }
}

LambdaLR::LambdaLR(Optimizer& optimizer, std::function<double(std::int64_t step)> factor)
    : LRScheduler(optimizer, Schedule([factor = std::move(factor)](std::int64_t step, double base) {
                    return base * factor(step);
                  }),
                  OnChange::overwrite) {}

}  // namespace lectern::optim
