#pragma once

namespace lectern::kernels {

/// Where a line is written.
template <typename T>
struct LineTarget {
  T* data;
  T* draft;     ///< for what is computed on the way: near where the line is not, else the line itself
  bool stream;  ///< kernels/cpu/streaming.h
};

}  // namespace lectern::kernels
