#pragma once

#include <cstdint>
#include <functional>
#include <vector>

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

/// base × gamma^step
Schedule exponential_lr(double gamma);
/// base × gamma^n, where n of the milestones, in any order, are at most the step.
Schedule multi_step_lr(std::vector<std::int64_t> milestones, double gamma = 0.1);
/// base × (1 - step / total_iters)^power, then 0.
Schedule polynomial_lr(std::int64_t total_iters = 5, double power = 1);
/// Loshchilov, Hutter (2017), "SGDR: Stochastic Gradient Descent with Warm Restarts": cosine_annealing_lr
/// over t_0 steps, then from the beginning over t_mult times as many, and so on. A TensorError for t_mult
/// below 1.
Schedule cosine_annealing_warm_restarts(std::int64_t t_0, std::int64_t t_mult = 1, double eta_min = 0);
/// schedules[i], from its step 0 on, between milestones i - 1 and i. A TensorError unless the milestones rise
/// and there is one less of them.
Schedule sequential_lr(std::vector<Schedule> schedules, std::vector<std::int64_t> milestones);

}  // namespace lectern::optim
