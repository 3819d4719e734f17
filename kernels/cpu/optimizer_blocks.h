#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/adafactor_step.h"
#include "kernels/cpu/isa.h"
#include "kernels/gradient_norms.h"
#include "kernels/updates.h"

namespace lectern::kernels::cpu {

inline constexpr std::size_t kUpdateRules = 0 LECTERN_UPDATES(LECTERN_COUNT);

/// The arrays of one block.
template <typename T>
struct UpdateBlock {
  T* parameter;
  const T* grad;
  T* states[kMostStates];
  std::int64_t count;
};

/// A row of an Adafactor tile: the update of element i is factor · grad[i] · roots[i].
template <typename T>
struct AdafactorRow {
  const T* grad;
  const T* roots;
  T factor;
  std::int64_t count;
};

template <RealComputeType T>
struct RealOptimizerBlocks {
  void (*update[kUpdateRules])(const UpdateBlock<T>& block, const Update& update);
  double (*norm_part)(TotalNorm kind, const T* values, std::int64_t count);
  void (*scale)(T* values, T factor, std::int64_t count);

  /// sums[i] += (factor · values[i])²
  void (*add_squares)(const T* values, T factor, std::int64_t count, T* sums);
  void (*inverse_roots)(const T* averages, std::int64_t count, T* roots);
  /// The sum of the squares of a row's updates.
  double (*update_squares)(const AdafactorRow<T>& row);
  /// `updates`, their averages, may be null.
  void (*adafactor)(const AdafactorChange<T>& change, const AdafactorRow<T>& row, T* parameter, T* updates);
};

struct OptimizerBlocks : RealFunctions<RealOptimizerBlocks> {
  double (*total_norm)(TotalNorm kind, const double* parts, std::int64_t count);
};

LECTERN_PER_ISA(OptimizerBlocks, optimizer_blocks)

}  // namespace lectern::kernels::cpu
