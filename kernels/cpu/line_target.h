#pragma once

namespace lectern::kernels::cpu {

/// Where a line is written.
template <typename T>
struct LineTarget {
  T* data;
  /// A buffer of the same length for intermediate values: the line itself or, if streamed, another one; null
  /// then unless asked for.
  T* draft;
  bool stream;  ///< kernels/cpu/streaming.h; callers do finish_streaming()
};

}  // namespace lectern::kernels::cpu
