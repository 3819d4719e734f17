#include "optim/lr_schedule.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <string>
#include <string_view>
#include <utility>

#include "base/noun.h"
#include "base/number_text.h"
#include "base/tensor_error.h"

namespace lectern::optim {
namespace {

constexpr std::string_view kSchedule = "LRScheduler";

void check_steps(std::string_view what, std::int64_t steps, std::int64_t least) {
  if (steps < least)
    throw TensorError(kSchedule, what, "at least " + std::to_string(least), std::to_string(steps));
}

void check_factor(std::string_view what, double factor) {
  if (!(factor >= 0 && factor <= 1)) throw TensorError(kSchedule, what, "in [0, 1]", number_text(factor));
}

/// How many of the rising numbers are at most `step`.
std::size_t passed(const std::vector<std::int64_t>& rising, std::int64_t step) {
  return static_cast<std::size_t>(std::ranges::upper_bound(rising, step) - rising.begin());
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

Schedule exponential_lr(double gamma) {
  return [=](std::int64_t step, double base) { return base * std::pow(gamma, static_cast<double>(step)); };
}

Schedule multi_step_lr(std::vector<std::int64_t> milestones, double gamma) {
  std::ranges::sort(milestones);
  return [gamma, milestones = std::move(milestones)](std::int64_t step, double base) {
    return base * std::pow(gamma, static_cast<double>(passed(milestones, step)));
  };
}

Schedule polynomial_lr(std::int64_t total_iters, double power) {
  check_steps("total_iters", total_iters, 1);
  return [=](std::int64_t step, double base) {
    const double done = static_cast<double>(std::min(step, total_iters)) / static_cast<double>(total_iters);
    return base * std::pow(1 - done, power);
  };
}

Schedule cosine_annealing_warm_restarts(std::int64_t t_0, std::int64_t t_mult, double eta_min) {
  check_steps("t_0", t_0, 1);
  check_steps("t_mult", t_mult, 1);
  return [=](std::int64_t step, double base) {
    std::int64_t since = step, length = t_0;
    if (t_mult == 1) since = step % t_0;
    while (since >= length) {
      since -= length;
      length *= t_mult;
    }
    return cosine_annealing_lr(length, eta_min)(since, base);
  };
}

Schedule sequential_lr(std::vector<Schedule> schedules, std::vector<std::int64_t> milestones) {
  if (schedules.size() != milestones.size() + 1)
    throw TensorError(kSchedule, "the number of schedules",
                      "one more than the " + with_noun(milestones.size(), "milestone"),
                      std::to_string(schedules.size()));
  if (!std::ranges::is_sorted(milestones, std::less_equal<>()))
    throw TensorError(kSchedule, "the milestones of a sequence must rise");
  return
      [schedules = std::move(schedules), milestones = std::move(milestones)](std::int64_t step, double base) {
        const std::size_t at = passed(milestones, step);
        return schedules[at](at == 0 ? step : step - milestones[at - 1], base);
      };
}

}  // namespace lectern::optim
