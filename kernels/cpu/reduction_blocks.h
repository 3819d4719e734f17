#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/cpu/element_blocks.h"
#include "kernels/cpu/isa.h"
#include "kernels/reduction_table.h"

namespace lectern::kernels::cpu {

/// Values of a part of a run, and the parts of the longest run reduced at once.
inline constexpr std::int64_t kRunPart = 1024;
inline constexpr std::int64_t kRunParts = 64;

/// A reduction in a compute type, on contiguous values of that type. States are opaque; `pitch` counts values
/// from one run or row to the next; `index` is the position of the first run or row along the reduction.
struct ReductionBlocks {
  std::size_t state_size;  ///< 0: not supported in this type
  void (*start)(void* states, std::int64_t count);
  /// states[r] = run r, of `length` values, reduced: each kRunPart of them in 8 or, above 127, 64 interleaved
  /// sums; the parts, at most kRunParts, pairwise.
  void (*runs)(void* states, const void* values, std::int64_t runs, std::int64_t pitch, std::int64_t length,
               std::int64_t index);
  /// states[i] absorbs the i-th value of each row, row by row; `rows` rows of `length` values.
  void (*rows)(void* states, const void* values, std::int64_t rows, std::int64_t pitch, std::int64_t length,
               std::int64_t index);
  /// states[i] absorbs others[i].
  void (*merge)(void* states, const void* others, std::int64_t count);
  /// The results of reductions of `elements` values each.
  void (*finish)(void* values, const void* states, std::int64_t count, std::int64_t elements);
  /// Null if there are none.
  void (*positions)(std::int64_t* positions, const void* states, std::int64_t count);
};

/// The size of the largest state, in bytes.
inline constexpr std::int64_t kLargestState = 24;

/// Merges `count` groups of `width` states each into the first one, by halves.
inline void merge_groups(const ReductionBlocks& blocks, std::byte* states, std::int64_t count,
                         std::int64_t width) {
  while (count > 1) {
    const std::int64_t half = (count + 1) / 2;
    blocks.merge(states, states + half * width * static_cast<std::int64_t>(blocks.state_size),
                 (count - half) * width);
    count = half;
  }
}

inline constexpr std::size_t kReductions = 0 LECTERN_REDUCTIONS(LECTERN_COUNT);

struct ReductionKernels {
  ReductionBlocks table[kReductions][kComputeTypes];
};

LECTERN_PER_ISA(ReductionKernels, reduction_kernels)

}  // namespace lectern::kernels::cpu
