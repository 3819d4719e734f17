// The product of two matrices of n × n floats, c = a b, from the definition to registers. All compute the same.

#pragma once

#include <algorithm>
#include <cstdint>

// Lectures are compiled to be stepped through; these loops are to be timed.
#pragma GCC push_options
#pragma GCC optimize("O3")

// One element of c after the other: down a column of b.  @stepover
inline void by_definition(const float* a, const float* b, float* c, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = 0; j < n; ++j) {
      float sum = 0;
      for (int64_t k = 0; k < n; ++k) sum += a[i * n + k] * b[k * n + j];
      c[i * n + j] = sum;
    }
  }
}

// The inner two loops exchanged: along a row of b, and of c.  @stepover
inline void by_rows(const float* a, const float* b, float* c, int64_t n) {
  std::fill_n(c, n * n, 0.F);
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t k = 0; k < n; ++k) {
      const float factor = a[i * n + k];
      for (int64_t j = 0; j < n; ++j) c[i * n + j] += factor * b[k * n + j];
    }
  }
}

// The same for tiles of side × side, which stay in the cache until they are done with.  @stepover
inline void by_tiles(const float* a, const float* b, float* c, int64_t n, int64_t side) {
  std::fill_n(c, n * n, 0.F);
  for (int64_t top = 0; top < n; top += side) {
    for (int64_t left = 0; left < n; left += side) {
      for (int64_t inner = 0; inner < n; inner += side) {
        for (int64_t i = top; i < top + side; ++i) {
          for (int64_t k = inner; k < inner + side; ++k) {
            const float factor = a[i * n + k];
            for (int64_t j = left; j < left + side; ++j) c[i * n + j] += factor * b[k * n + j];
          }
        }
      }
    }
  }
}

// Blocks of 4 × 8 elements of c in registers. Returns how many numbers were loaded.  @stepover
inline int64_t by_registers(const float* a, const float* b, float* c, int64_t n) {
  constexpr int64_t kRows = 4, kColumns = 8;
  int64_t loads = 0;
  for (int64_t top = 0; top < n; top += kRows) {
    for (int64_t left = 0; left < n; left += kColumns) {
      float sums[kRows][kColumns] = {};
      for (int64_t k = 0; k < n; ++k) {
        const float* const row = b + k * n + left;
        for (int64_t column = 0; column < kColumns; ++column) {
          for (int64_t r = 0; r < kRows; ++r) sums[r][column] += a[(top + r) * n + k] * row[column];
        }
        loads += kRows + kColumns;  // a number of a serves eight times, one of b four
      }
      for (int64_t r = 0; r < kRows; ++r) std::copy_n(sums[r], kColumns, c + (top + r) * n + left);
    }
  }
  return loads;
}

#pragma GCC pop_options
