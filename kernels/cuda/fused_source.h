#pragma once

#include <cstdint>
#include <string>

#include "kernels/fused.h"

// The source of a kernel for a fused program: a struct whose operator computes each step as a statement, from
// the functors that all other kernels use (kernels/cuda/fused_kernel.h), with sizes and strides as constants.
// What lies between inputs and outputs stays in registers:
//
//   elements  without values per row: a thread has a few neighbours
//   rows      a group of threads has a row: it goes over it once for each reduction that needs those before,
//             and once more for the outputs, and computes elements again rather than keep them: memory is
//             read once, then caches
//   parts     rows too long for that, which are reduced in parts
//   columns   a group has some rows, and each of its threads the same columns of all of them, whose states
//             stay in registers
//
// Parts and columns are merged by a second kernel, in a fixed order.

namespace lectern::kernels::cuda {

struct FusedSource {
  struct Launch {
    int threads = 0;          ///< of a group
    std::int64_t groups = 0;  ///< 0: there is none
  };

  std::string text;
  Launch program, merge;        ///< of the kernels of these names
  std::size_t state_bytes = 0;  ///< of the workspace between them
};

/// The most neighbours that a thread can read at once from arrays that are aligned to as many of them.
int fused_pack(const FusedProgram& program);

/// Both kernels have as fields the addresses of the inputs, the numbers, the addresses of the outputs and of
/// the workspace. `pack` is fused_pack(), or 1 where arrays are not aligned.
FusedSource write_fused_source(const FusedProgram& program, int pack);

}  // namespace lectern::kernels::cuda
