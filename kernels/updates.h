#pragma once

#include <cstdint>
#include <span>

#include "base/dtype.h"
#include "kernels/grad_scale.h"
#include "kernels/kernel.h"
#include "kernels/update_functors.h"
#include "kernels/update_table.h"

// An optimizer step, for all parameters at once: each element of a parameter, its gradient and
// its states are read once, computed in double for float64, else in float, and written once, rounded once.
// Nothing is allocated in proportion to them. Uses all OpenMP threads above 32,768 elements; results depend
// neither on the thread count nor on the instruction set. O(elements).

namespace lectern::kernels {

enum class UpdateRule : std::uint8_t { LECTERN_UPDATES(LECTERN_NAME) };

inline constexpr int kMostStates = 3;

/// States per element.
constexpr int states_per_element(UpdateRule rule) {
#define LECTERN_ROW(name, Functor) Functor<float>::kStates,
  constexpr int kStates[] = {LECTERN_UPDATES(LECTERN_ROW)};
#undef LECTERN_ROW
  return kStates[static_cast<int>(rule)];
}

/// Floating-point operations per element.
constexpr int flops_per_element(UpdateRule rule) {
#define LECTERN_ROW(name, Functor) Functor<float>::kFlops,
  constexpr int kFlops[] = {LECTERN_UPDATES(LECTERN_ROW)};
#undef LECTERN_ROW
  return kFlops[static_cast<int>(rule)];
}

/// A parameter's step, from 1.
struct StepCount {
  double step = 1;
  float* on_gpu = nullptr;  ///< where steps are counted instead; on a GPU only
};

/// One parameter: contiguous arrays of one dtype, each of `numel` elements, none of which overlap.
struct Update {
  void* parameter;
  const void* grad;
  void* states[kMostStates];  ///< as many as the rule has
  std::int64_t numel;
  const void* settings;  ///< the rule's Settings
  double factor;         ///< multiplies gradients first
  StepCount count;
};

/// `dtype` is float64, float32, float16 or bfloat16. On a GPU one launch for all parameters, which first
/// increments step counts there unless found_inf is set (another launch, but for float32), and multiplies
/// gradients by `scale`, too; the host does not wait.
LECTERN_KERNEL(void, update_parameters, UpdateRule rule, Dtype dtype, std::span<const Update> updates,
               const GradScale& scale);

}  // namespace lectern::kernels
