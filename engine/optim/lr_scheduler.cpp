#include "optim/lr_scheduler.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "base/noun.h"
#include "base/tensor_error.h"
#include "tensor/creation.h"

namespace lectern::optim {
namespace {

constexpr std::string_view kName = "LRScheduler";

Tensor tensor_of(const std::vector<double>& rates) {
  const Tensor result = empty({static_cast<std::int64_t>(rates.size())}, {.dtype = float64, .device = cpu});
  std::copy(rates.begin(), rates.end(), result.data<double>());
  return result;
}

/// A TensorError unless there is one per group.
std::vector<double> rates_of(const StateDict& saved, const char* name, std::size_t groups) {
  const Tensor rates = saved.at(name).to(cpu, float64).contiguous();
  if (rates.numel() != static_cast<std::int64_t>(groups))
    throw TensorError(kName, name, with_noun(groups, "rate"), std::to_string(rates.numel()));
  return {rates.data<double>(), rates.data<double>() + rates.numel()};
}

}  // namespace

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
    const double constant = schedules_[g](last_epoch_, 0), factor = schedules_[g](last_epoch_, 1) - constant;
    if (factor == 0) {
      begun_lrs_[g] = base_lrs_[g];
    } else if (lr != last_lr_[g]) {
      begun_lrs_[g] = (lr - constant) / factor;
    }
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
  check_groups();
  std::vector<double> current;
  for (std::size_t g = 0; g < schedules_.size(); ++g) current.push_back(optimizer_.param_groups()[g]["lr"]);
  return {{"last_epoch", tensor(last_epoch_, {.device = cpu})},
          {"base_lrs", tensor_of(base_lrs_)},
          {"begun_lrs", tensor_of(begun_lrs_)},
          {"last_lr", tensor_of(last_lr_)},
          {"lr", tensor_of(current)}};
}

void LRScheduler::load_state_dict(const StateDict& saved) {
  check_groups();
  const auto last_epoch = saved.at("last_epoch").item<std::int64_t>();
  if (last_epoch < 0) throw TensorError(kName, "last_epoch", "at least 0", std::to_string(last_epoch));
  const auto rates = [&](const char* name) { return rates_of(saved, name, schedules_.size()); };
  auto base_lrs = rates("base_lrs"), begun_lrs = rates("begun_lrs"), last_lr = rates("last_lr");
  const auto current = rates("lr");
  last_epoch_ = last_epoch;
  base_lrs_ = std::move(base_lrs), begun_lrs_ = std::move(begun_lrs), last_lr_ = std::move(last_lr);
  for (std::size_t g = 0; g < schedules_.size(); ++g) {
    ParamGroup& group = optimizer_.param_groups()[g];
    group["lr"] = current[g];
    group.initial_lr = base_lrs_[g];
  }
}

LambdaLR::LambdaLR(Optimizer& optimizer, std::function<double(std::int64_t step)> factor)
    : LRScheduler(optimizer, Schedule([factor = std::move(factor)](std::int64_t step, double base) {
                    return base * factor(step);
                  }),
                  OnChange::overwrite) {}

ChainedScheduler::ChainedScheduler(std::vector<LRScheduler*> schedulers)
    : schedulers_(std::move(schedulers)) {
  if (schedulers_.empty()) throw TensorError("ChainedScheduler", "there are no schedulers to chain");
  if (std::ranges::find(schedulers_, nullptr) != schedulers_.end())
    throw TensorError("ChainedScheduler", "a scheduler is null");
  const auto is_of_another = [&](const LRScheduler* scheduler) {
    return &scheduler->optimizer() != &schedulers_.front()->optimizer();
  };
  if (std::ranges::any_of(schedulers_, is_of_another))
    throw TensorError("ChainedScheduler", "all schedulers must be of one optimizer");
}

void ChainedScheduler::step() {
  for (LRScheduler* const scheduler : schedulers_) scheduler->step();
}

StateDict ChainedScheduler::state_dict() const {
  StateDict all;
  for (std::size_t i = 0; i < schedulers_.size(); ++i) {
    for (const auto& [name, value] : schedulers_[i]->state_dict())
      all.insert("schedulers." + std::to_string(i) + "." + name, value);
  }
  return all;
}

void ChainedScheduler::load_state_dict(const StateDict& saved) {
  for (std::size_t i = 0; i < schedulers_.size(); ++i) {
    const std::string prefix = "schedulers." + std::to_string(i) + ".";
    StateDict entries;
    for (const auto& [name, value] : saved) {
      if (name.starts_with(prefix)) entries.insert(name.substr(prefix.size()), value);
    }
    schedulers_[i]->load_state_dict(entries);
  }
}

}  // namespace lectern::optim
