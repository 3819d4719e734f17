#pragma once

#include <cstdint>
#include <type_traits>

#include "kernels/cpu/isa.h"

namespace lectern::kernels::cpu {

/// The rows of a plane that a row of windows spans, with the padding beside them.
template <RealComputeType T>
struct PoolLines {
  const T* data;
  std::int64_t count;
  std::int64_t pitch;                     ///< elements from one line to the next
  std::int64_t index;                     ///< in the plane, of the first line's first element
  std::int64_t index_pitch;               ///< from one line to the next
  std::int64_t kernel, stride, dilation;  ///< of the windows along a line
};

/// An index in a plane, of the size of an element.
template <RealComputeType T>
using PoolIndex = std::conditional_t<sizeof(T) == sizeof(float), std::int32_t, std::int64_t>;

/// Windows are searched in groups of at most so many.
inline constexpr int kPoolGroup = 8;

template <RealComputeType T>
struct PoolLineFunctions {
  /// The maxima of whole groups of windows, and their indices, which begin as what a window of -∞ gives.
  void (*maxima)(T* values, PoolIndex<T>* indices, const PoolLines<T>& lines, std::int64_t windows);
};

using PoolLineKernels = RealFunctions<PoolLineFunctions>;

LECTERN_PER_ISA(PoolLineKernels, pool_line_kernels)

}  // namespace lectern::kernels::cpu
