#pragma once

#include <cstdint>

#include "base/host_device.h"
#include "kernels/cuda/reduction_positions.h"
#include "kernels/exp_log.h"
#include "kernels/reduce_row.h"
#include "kernels/reduction_functors.h"

// ln of the sum of e^x of a row of floats. A thread compares a chunk's maximum, not each of its elements,
// with the largest before, and scales the sum before only if it rises.

namespace lectern::kernels::cuda {

/// The sum of the chunks that a thread has seen.
template <int kChunk>
class PowerSum {
 public:
  /// Of a chunk of which `count` elements are there.
  LECTERN_HD void see(const float (&values)[kChunk], std::int64_t count) {
    float largest = extremum<Max<float>>(state_.max, values[0]);
    LECTERN_UNROLLED
    for (int i = 1; i < kChunk; ++i) {
      if (i < count) largest = extremum<Max<float>>(largest, values[i]);
    }
    if (largest != state_.max) state_ = {largest, state_.sum * power(state_.max, largest)};
    float sum = power(values[0], largest);
    LECTERN_UNROLLED
    for (int i = 1; i < kChunk; ++i) {
      if (i < count) sum += power(values[i], largest);
    }
    state_.sum += sum;
  }
  LECTERN_HD LogSumExp<float>::State state() const { return state_; }

 private:
  /// 1 for equal infinities too, whose difference is NaN.
  LECTERN_HD static float power(float value, float largest) {
    return value == largest ? 1.0F : math::short_exp_term(value - largest);
  }

  LogSumExp<float>::State state_ = LogSumExp<float>::start();
};

/// reduce_row() of LogSumExp<float>.
template <typename Group, typename Row>
LECTERN_HD LogSumExp<float>::State reduce_powers(const Group& group, const Row& row, std::int64_t begin,
                                                 std::int64_t end) {
  PowerSum<Row::kChunk> powers;
  for_chunks(group, row, begin, end,
             [&](const auto& values, std::int64_t, std::int64_t count) { powers.see(values, count); });
  return group.reduce(powers.state(), MergeStates<LogSumExp<float>>{});
}

}  // namespace lectern::kernels::cuda
