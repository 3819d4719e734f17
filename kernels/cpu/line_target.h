#pragma once

namespace lectern::kernels {

/// Where a line is written.
template <typename T>
struct LineTarget {
  T* data;
  /// A place of the same length for what is computed on the way: the line itself or, where it is streamed,
  /// another one; null then if none was asked for.
  T* draft;
  bool stream;  ///< kernels/cpu/streaming.h; who calls does finish_streaming()
};

}  // namespace lectern::kernels
