#pragma once

#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "optim/lr_schedule.h"
#include "optim/optimizer.h"
#include "tensor/state_dict.h"

namespace lectern::optim {

/// Sets "lr" of all groups of an optimizer, which must outlive it. The groups' current rates are the base
/// rates; step 0's are set at once. Call step() after the optimizer's. Groups added later are ignored; a
/// TensorError when one was removed.
///
/// A rate changed since, by hand or by another scheduler of the optimizer, is continued from, as in PyTorch:
/// as if the group had started with the base that leads to it. Where no base does (the schedule was at a
/// fixed rate, such as 0), the schedule goes on from its own base. With LambdaLR and
/// CosineAnnealingWarmRestarts the schedule's rate wins.
class LRScheduler {
 public:
  /// How to treat a rate that was changed since.
  enum class OnChange : std::uint8_t { keep, overwrite };

  LRScheduler(Optimizer& optimizer, const Schedule& schedule, OnChange on_change = OnChange::keep);
  /// One schedule per group.
  LRScheduler(Optimizer& optimizer, std::vector<Schedule> schedules, OnChange on_change = OnChange::keep);
  virtual ~LRScheduler() = default;
  LRScheduler(const LRScheduler&) = delete;
  LRScheduler& operator=(const LRScheduler&) = delete;

  virtual void step();
  std::int64_t last_epoch() const { return last_epoch_; }
  /// The current rates, one per group.
  const std::vector<double>& get_last_lr() const { return last_lr_; }

  /// The groups' rates before the optimizer's first scheduler.
  const std::vector<double>& base_lrs() const { return base_lrs_; }

  /// "last_epoch", and of all groups "base_lrs", "begun_lrs", "last_lr" and "lr", their current rates.
  StateDict state_dict() const;
  /// Sets the groups' rates to those at the time of saving, also where they were changed since the last step.
  /// A TensorError for another number of groups, and for a negative step.
  virtual void load_state_dict(const StateDict& saved);

 protected:
  friend class ChainedScheduler;
  Optimizer& optimizer() const { return optimizer_; }

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

class ExponentialLR : public LRScheduler {
 public:
  ExponentialLR(Optimizer& optimizer, double gamma) : LRScheduler(optimizer, exponential_lr(gamma)) {}
};

class MultiStepLR : public LRScheduler {
 public:
  MultiStepLR(Optimizer& optimizer, std::vector<std::int64_t> milestones, double gamma = 0.1)
      : LRScheduler(optimizer, multi_step_lr(std::move(milestones), gamma)) {}
};

class PolynomialLR : public LRScheduler {
 public:
  explicit PolynomialLR(Optimizer& optimizer, std::int64_t total_iters = 5, double power = 1)
      : LRScheduler(optimizer, polynomial_lr(total_iters, power)) {}
};

class CosineAnnealingWarmRestarts : public LRScheduler {
 public:
  CosineAnnealingWarmRestarts(Optimizer& optimizer, std::int64_t t_0, std::int64_t t_mult = 1,
                              double eta_min = 0)
      : LRScheduler(optimizer, cosine_annealing_warm_restarts(t_0, t_mult, eta_min), OnChange::overwrite) {}
};

/// One schedule after the other: `SequentialLR(optimizer, {linear_lr(0.1, 1, 10), exponential_lr(0.9)},
/// {10})`.
class SequentialLR : public LRScheduler {
 public:
  SequentialLR(Optimizer& optimizer, std::vector<Schedule> schedules, std::vector<std::int64_t> milestones)
      : LRScheduler(optimizer, sequential_lr(std::move(schedules), std::move(milestones))) {}
};

class LinearWarmupCosine : public LRScheduler {
 public:
  LinearWarmupCosine(Optimizer& optimizer, const LinearWarmupCosineOptions& options)
      : LRScheduler(optimizer, linear_warmup_cosine(options)) {}
};

/// Schedulers of one optimizer that step together, in this order: their factors multiply. They must outlive
/// it.
class ChainedScheduler {
 public:
  /// A TensorError when there are none, or one is of another optimizer.
  explicit ChainedScheduler(std::vector<LRScheduler*> schedulers);

  void step();
  const std::vector<double>& get_last_lr() const { return schedulers_.back()->get_last_lr(); }
  /// "schedulers.i.NAME" for the i-th scheduler's.
  StateDict state_dict() const;
  void load_state_dict(const StateDict& saved);

 private:
  std::vector<LRScheduler*> schedulers_;
};

}  // namespace lectern::optim
