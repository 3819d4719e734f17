// Transpositions of n × n floats, to be timed.

#pragma once

#include <cstdint>

// Lectures are compiled to be stepped through; these loops are to be timed.
#pragma GCC push_options
#pragma GCC optimize("O3")

// y = xᵀ, of n × n floats.  @stepover
inline void transpose_by_rows(const float* x, float* y, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = 0; j < n; ++j) y[j * n + i] = x[i * n + j];
  }
}

// The same, a tile of side × side after the other.  @stepover
inline void transpose_by_tiles(const float* x, float* y, int64_t n, int64_t side) {
  for (int64_t top = 0; top < n; top += side) {
    for (int64_t left = 0; left < n; left += side) {
      for (int64_t i = top; i < top + side; ++i) {
        for (int64_t j = left; j < left + side; ++j) y[j * n + i] = x[i * n + j];
      }
    }
  }
}

#pragma GCC pop_options
