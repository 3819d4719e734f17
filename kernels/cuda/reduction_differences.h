#pragma once

#include <cstdint>
#include <type_traits>

#include "kernels/math.h"
#include "kernels/reduce_row.h"
#include "kernels/reduction_functors.h"

// Squared deviations of floats by a group of threads. Welford's method divides for each element, and merges
// of its states divide again, all in double: these divisions took longer than the memory. Here a group sums
// the differences from its first element and their squares, in double, and divides once. However far that
// element is from the mean, it costs no digits: it is one of those whose deviations are summed, so that no
// more than the digits of their number are lost of a double's.

namespace lectern::kernels::cuda {

/// The sum, and that of squares.
struct SumAndSquares {
  struct State {
    double sum;
    double squares;
  };

  LECTERN_HD static State start() { return {0, 0}; }
  LECTERN_HD static State absorb(State state, double value, std::int64_t) {
    return {state.sum + value, math::fma(value, value, state.squares)};
  }
  LECTERN_HD static State merge(State a, State b) { return {a.sum + b.sum, a.squares + b.squares}; }
};

/// A row of floats (kernels/reduce_row.h) less a number, exactly for nearly all.
template <typename Row>
struct DifferencesFrom : Row {
  using Value = double;
  float origin;

  LECTERN_HD DifferencesFrom(const Row& row, float from) : Row(row), origin(from) {}
  LECTERN_HD void whole(std::int64_t at, double* values) const {
    float read[Row::kChunk];
    Row::whole(at, read);
    subtract(read, values);
  }
  LECTERN_HD void chunk(std::int64_t at, std::int64_t end, double* values) const {
    float read[Row::kChunk];
    Row::chunk(at, end, read);
    subtract(read, values);
  }

 private:
  LECTERN_HD void subtract(const float (&read)[Row::kChunk], double* values) const {
    for (int i = 0; i < Row::kChunk; ++i) {
      values[i] = static_cast<double>(read[i]) - static_cast<double>(origin);
    }
  }
};

/// reduce_row() of SquaredDeviations.
template <typename Group, typename Row>
LECTERN_HD SquaredDeviations<float>::State reduce_differences(const Group& group, const Row& row,
                                                              std::int64_t begin, std::int64_t end) {
  float first[Row::kChunk] = {};
  if (begin < end) row.chunk(begin, begin + 1, first);
  const auto [sum, squares] =
      reduce_row<SumAndSquares>(group, DifferencesFrom<Row>(row, first[0]), begin, end);
  const double count = static_cast<double>(end - begin), mean = sum / (count > 0 ? count : 1.0);
  const double around_mean = squares - sum * mean;
  return {count, static_cast<double>(first[0]) + mean, around_mean < 0 ? 0.0 : around_mean};
}

}  // namespace lectern::kernels::cuda
