#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "optim/optimizer.h"
#include "tensor/state_dict.h"

// Learning rates that change from step to step. Each is a function of the step and of the rate that a group
// began with, in closed form: as PyTorch's torch.optim.lr_scheduler, but for the roundings of its products.
// A TensorError for a factor out of [0, 1] (gamma may be any), and for less than one step where some are
// divided by.

namespace lectern::optim {

/// The rate in a step, counted from 0, of a group that began with `base`: a multiple of that, and a constant.
using Schedule = std::function<double(std::int64_t step, double base)>;

/// base × factor before step `total_iters`, base from then on.
Schedule constant_lr(double factor = 1. / 3, std::int64_t total_iters = 5);
/// base × gamma^⌊step / step_size⌋
Schedule step_lr(std::int64_t step_size, double gamma = 0.1);
/// base times a factor that goes from start_factor to end_factor in total_iters steps, and stays there.
Schedule linear_lr(double start_factor = 1. / 3, double end_factor = 1, std::int64_t total_iters = 5);
/// eta_min + (base - eta_min) (1 + cos(π step / t_max)) / 2
Schedule cosine_annealing_lr(std::int64_t t_max, double eta_min = 0);

struct LinearWarmupCosineOptions {
  std::int64_t warmup_steps;
  std::int64_t total_steps;  ///< with those of the warm-up
  double min_lr = 0;
  double start_factor = 0;
};
/// From base × start_factor up to base, in warmup_steps, like linear_lr; then down to min_lr, at total_steps,
/// like cosine_annealing_lr; from then on min_lr.
Schedule linear_warmup_cosine(const LinearWarmupCosineOptions& options);

/// Sets "lr" of all groups of an optimizer, which must outlive it. It begins with the rates that the groups
/// have when it is made, and sets those of step 0 at once. Call step() after the optimizer's. Groups that are
/// added later are left alone; a TensorError when one was taken away.
///
/// A rate that was changed since, by hand or by another scheduler of the optimizer, goes on from there, as in
/// PyTorch: as that of a group which began with what would have led to it. Where nothing would have (the
/// schedule was at a rate of its own, such as 0), and with LambdaLR, the rate is the schedule's.
class LRScheduler {
 public:
  /// What becomes of a rate that was changed since.
  enum class Changed : std::uint8_t { goes_on, is_overwritten };

  LRScheduler(Optimizer& optimizer, const Schedule& schedule, Changed changed = Changed::goes_on);
  /// One for each group.
  LRScheduler(Optimizer& optimizer, std::vector<Schedule> schedules, Changed changed = Changed::goes_on);

  void step();
  std::int64_t last_epoch() const { return last_epoch_; }
  /// The rates that are set, one for each group.
  const std::vector<double>& get_last_lr() const { return last_lr_; }

  /// Those that the groups had before the first scheduler of the optimizer.
  const std::vector<double>& base_lrs() const { return base_lrs_; }

  /// "last_epoch", and "base_lrs", "begun_lrs" and "last_lr" of all groups.
  StateDict state_dict() const;
  /// Sets the rates that were saved; several schedulers of one optimizer are loaded in the order in which
  /// they step. A TensorError for another number of groups, and for a step below 0.
  void load_state_dict(const StateDict& saved);

 private:
  void check_groups() const;
  void set_rates();

  Optimizer& optimizer_;
  std::vector<Schedule> schedules_;
  Changed changed_;
  std::vector<double> base_lrs_;
  std::vector<double> begun_lrs_;  ///< of which the schedules make the rates
  std::vector<double> last_lr_;
  std::int64_t last_epoch_ = 0;
};

/// base × factor(step)
class LambdaLR : public LRScheduler {
 public:
  LambdaLR(Optimizer& optimizer, std::function<double(std::int64_t step)> factor);
};

class ConstantLR : public LRScheduler {
 public:
  explicit ConstantLR(Optimizer& optimizer, double factor = 1. / 3, std::int64_t total_iters = 5)
      : LRScheduler(optimizer, constant_lr(factor, total_iters)) {}
};

class StepLR : public LRScheduler {
 public:
  StepLR(Optimizer& optimizer, std::int64_t step_size, double gamma = 0.1)
      : LRScheduler(optimizer, step_lr(step_size, gamma)) {}
};

class LinearLR : public LRScheduler {
 public:
  explicit LinearLR(Optimizer& optimizer, double start_factor = 1. / 3, double end_factor = 1,
                    std::int64_t total_iters = 5)
      : LRScheduler(optimizer, linear_lr(start_factor, end_factor, total_iters)) {}
};

class CosineAnnealingLR : public LRScheduler {
 public:
  CosineAnnealingLR(Optimizer& optimizer, std::int64_t t_max, double eta_min = 0)
      : LRScheduler(optimizer, cosine_annealing_lr(t_max, eta_min)) {}
};

class LinearWarmupCosine : public LRScheduler {
 public:
  LinearWarmupCosine(Optimizer& optimizer, const LinearWarmupCosineOptions& options)
      : LRScheduler(optimizer, linear_warmup_cosine(options)) {}
};

}  // namespace lectern::optim
