#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "optim/optimizer.h"
#include "tensor/state_dict.h"

// Learning rate schedules. Each is a closed-form function of the step and a group's initial rate: as
// PyTorch's torch.optim.lr_scheduler, up to the rounding of its products. A TensorError for a factor outside
// [0, 1] (gamma may be any), and for less than one step where steps are a divisor.

namespace lectern::optim {

/// The rate in a step, counted from 0, of a group with initial rate `base`: linear in it.
using Schedule = std::function<double(std::int64_t step, double base)>;

/// base × factor before step `total_iters`, then base.
Schedule constant_lr(double factor = 1. / 3, std::int64_t total_iters = 5);
/// base × gamma^⌊step / step_size⌋
Schedule step_lr(std::int64_t step_size, double gamma = 0.1);
/// base times a factor that goes linearly from start_factor to end_factor in total_iters steps.
Schedule linear_lr(double start_factor = 1. / 3, double end_factor = 1, std::int64_t total_iters = 5);
/// eta_min + (base - eta_min) (1 + cos(π step / t_max)) / 2
Schedule cosine_annealing_lr(std::int64_t t_max, double eta_min = 0);

struct LinearWarmupCosineOptions {
  std::int64_t warmup_steps;
  std::int64_t total_steps;  ///< including the warm-up
  double min_lr = 0;
  double start_factor = 0;
};
/// From base × start_factor up to base in warmup_steps, like linear_lr; then down to min_lr at total_steps,
/// like cosine_annealing_lr; then constant.
Schedule linear_warmup_cosine(const LinearWarmupCosineOptions& options);

/// Sets "lr" of all groups of an optimizer, which must outlive it. The groups' current rates are the base
/// rates; step 0's are set at once. Call step() after the optimizer's. Groups added later are ignored; a
/// TensorError when one was removed.
///
/// A rate changed since, by hand or by another scheduler of the optimizer, is continued from, as in PyTorch:
/// as if the group had started with the base that leads to it. Where no base does (the schedule was at a
/// fixed rate, such as 0), and with LambdaLR, the schedule's rate wins.
class LRScheduler {
 public:
  /// How to treat a rate that was changed since.
  enum class OnChange : std::uint8_t { keep, overwrite };

  LRScheduler(Optimizer& optimizer, const Schedule& schedule, OnChange on_change = OnChange::keep);
  /// One schedule per group.
  LRScheduler(Optimizer& optimizer, std::vector<Schedule> schedules, OnChange on_change = OnChange::keep);

  void step();
  std::int64_t last_epoch() const { return last_epoch_; }
  /// The current rates, one per group.
  const std::vector<double>& get_last_lr() const { return last_lr_; }

  /// The groups' rates before the optimizer's first scheduler.
  const std::vector<double>& base_lrs() const { return base_lrs_; }

  /// "last_epoch", and "base_lrs", "begun_lrs" and "last_lr" of all groups.
  StateDict state_dict() const;
  /// Sets the saved rates; several schedulers of one optimizer are loaded in the order in which they step. A
  /// TensorError for another number of groups, and for a negative step.
  void load_state_dict(const StateDict& saved);

 private:
  void check_groups() const;
  void set_rates();

  Optimizer& optimizer_;
  std::vector<Schedule> schedules_;
  OnChange on_change_;
  std::vector<double> base_lrs_;
  std::vector<double> begun_lrs_;  ///< the schedules' bases
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
