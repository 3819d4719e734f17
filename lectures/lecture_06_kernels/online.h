// Maximum and sum of a row in one pass, for softmax and attention.

#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

// Of the numbers so far: the maximum, and the sum of exp(x - max).
struct Online {
  float max = -std::numeric_limits<float>::infinity();
  float sum = 0;
};

// One number more.  @stepover
inline Online with(const Online& before, float x) {
  const float max = std::max(before.max, x);
  return {max, before.sum * std::exp(before.max - max) + std::exp(x - max)};
}

// The two parts of a row together.  @stepover
inline Online merged(const Online& a, const Online& b) {
  const float max = std::max(a.max, b.max);
  return {max, a.sum * std::exp(a.max - max) + b.sum * std::exp(b.max - max)};
}

// Lectures are compiled to be stepped through; what follows is to be timed.
#pragma GCC push_options
#pragma GCC optimize("O3")

// How a row's maximum and sum are found.  @stepover
inline Online three_passes(const float* x, int64_t n) {
  Online row;
  for (int64_t i = 0; i < n; ++i) row.max = std::max(row.max, x[i]);
  for (int64_t i = 0; i < n; ++i) row.sum += std::exp(x[i] - row.max);
  return row;
}
// @stepover
inline Online one_chain(const float* x, int64_t n) {
  Online row;
  for (int64_t i = 0; i < n; ++i) row = with(row, x[i]);
  return row;
}
// @stepover
inline Online sixteen_chains(const float* x, int64_t n) {
  Online lanes[16];
  for (int64_t i = 0; i < n; ++i) lanes[i % 16] = with(lanes[i % 16], x[i]);
  Online row;
  for (const Online& lane : lanes) row = merged(row, lane);
  return row;
}

// The softmax of rows of n numbers, `all` together.  @stepover
inline void softmax_of_all(const float* x, float* y, int64_t all, int64_t n, Online (*of_row)(const float*, int64_t)) {
  for (int64_t begin = 0; begin < all; begin += n) {
    const Online row = of_row(x + begin, n);
    for (int64_t i = begin; i < begin + n; ++i) y[i] = std::exp(x[i] - row.max) / row.sum;
  }
}

#pragma GCC pop_options
