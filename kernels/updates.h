#pragma once

#include <cstdint>
#include <span>

#include "kernels/update_functors.h"
#include "kernels/update_table.h"
#include "tensor/dtype.h"

// A step of an optimizer on arrays in the CPU's memory, of all parameters at once: each number of a
// parameter, its gradient and its states are read once, computed in double for float64, else in float, and
// written once, rounded once. Nothing is allocated in proportion to them. Above 32,768 numbers all OpenMP
// threads take part; results do not depend on their number, nor on the instruction set. O(numbers).

namespace lectern::kernels {

enum class UpdateRule : std::uint8_t {
#define LECTERN_ROW(name, Functor) name,
  LECTERN_UPDATES(LECTERN_ROW)
#undef LECTERN_ROW
};

inline constexpr int kMostStates = 3;

/// Of a rule; and floating-point operations of one number.
int states_of(UpdateRule rule);
int flops_of(UpdateRule rule);

/// Which step of a parameter it is, from 1.
struct StepCount {
  double step = 1;
  float* on_gpu = nullptr;  ///< where steps are counted instead; on a GPU only (kernels/cuda/updates.h)
};

/// One parameter: arrays of one dtype, each of `numel` numbers one after the other, none of which overlap.
struct Update {
  void* parameter;
  const void* grad;
  void* states[kMostStates];  ///< as many as the rule has
  std::int64_t numel;
  const void* settings;  ///< the rule's Settings
  double factor;         ///< what gradients are multiplied with first
  StepCount count;
};

/// `dtype` is float64, float32, float16 or bfloat16.
void update(UpdateRule rule, Dtype dtype, std::span<const Update> updates);

}  // namespace lectern::kernels
