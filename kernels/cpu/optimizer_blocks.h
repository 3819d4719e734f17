#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/cpu/isa.h"
#include "kernels/gradient_norms.h"
#include "kernels/updates.h"

namespace lectern::kernels {

#define LECTERN_ROW(name, Functor) +1
inline constexpr std::size_t kUpdateRules = 0 LECTERN_UPDATES(LECTERN_ROW);
#undef LECTERN_ROW

/// Where the numbers of one block are.
template <typename T>
struct UpdateBlock {
  T* parameter;
  const T* grad;
  T* states[kMostStates];
  std::int64_t count;
};

template <RealComputeType T>
struct OptimizerBlocksOf {
  void (*update[kUpdateRules])(const UpdateBlock<T>& block, const Update& of);
  double (*norm_part)(TotalNorm kind, const T* numbers, std::int64_t count);
  void (*scale)(T* numbers, T factor, std::int64_t count);
};

struct OptimizerBlocks {
  OptimizerBlocksOf<float> of_floats;
  OptimizerBlocksOf<double> of_doubles;
  double (*norm_of_parts)(TotalNorm kind, const double* parts, std::int64_t count);

  template <RealComputeType T>
  const OptimizerBlocksOf<T>& of() const {
    if constexpr (sizeof(T) == sizeof(float)) {
      return of_floats;
    } else {
      return of_doubles;
    }
  }
};

LECTERN_CPU_FAMILY(OptimizerBlocks, optimizer_blocks)

}  // namespace lectern::kernels
