#pragma once

#include <cstdint>
#include <type_traits>

#include "base/host_device.h"
#include "kernels/cuda/reduction_target.h"
#include "kernels/reduce_row.h"
#include "kernels/reduction_functors.h"

// The largest or smallest element of a row and its position. A thread compares a chunk's best with the best
// before, and remembers of which chunk it is; where in there it looks for in the end.

namespace lectern::kernels::cuda {

/// Whether reduce_position() computes a step: of floats, for which comparing each would take longer than the
/// memory; not of doubles or states.
template <typename Step, typename Row>
inline constexpr bool kFindsPosition = false;
template <typename Step, typename Row>
requires kHasPosition<Step>
inline constexpr bool kFindsPosition<Step, Row> = std::is_same_v<typename Row::Value, float>;

/// Max or Min of two floats; a NaN if there is one. One instruction from compute capability 8.0 on.
template <typename Extremum>
LECTERN_HD float extremum(float a, float b) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  float best;
  if constexpr (std::is_same_v<Extremum, Max<float>>) {
    asm("max.NaN.f32 %0, %1, %2;" : "=f"(best) : "f"(a), "f"(b));
  } else {
    asm("min.NaN.f32 %0, %1, %2;" : "=f"(best) : "f"(a), "f"(b));
  }
  return best;
#else
  return Extremum::merge(a, b);
#endif
}

/// The best of the chunks that a thread has seen, in the order of their indices.
template <typename Step, typename Row>
class BestChunk {
 public:
  LECTERN_HD explicit BestChunk(std::int64_t first) : at_(first) {}

  /// Of a chunk of which `count` elements are there.
  LECTERN_HD void see(const float (&values)[Row::kChunk], std::int64_t at, std::int64_t count) {
    float best = values[0];
    LECTERN_UNROLLED
    for (int i = 1; i < Row::kChunk; ++i) {
      if (i < count) best = extremum<typename Step::Value>(best, values[i]);
    }
    best = extremum<typename Step::Value>(best_, best);
    if (Step::same(best, best_)) return;
    best_ = best;
    at_ = at;
  }
  LECTERN_HD typename Step::State state(const Row& row, std::int64_t end) const {
    typename Step::State found = Step::start();
    if (at_ >= end) return found;
    float values[Row::kChunk];
    row.chunk(at_, end, values);
    LECTERN_UNROLLED
    for (int i = Row::kChunk - 1; i >= 0; --i) {
      if (at_ + i < end && Step::same(values[i], best_)) found = {values[i], at_ + i};
    }
    return found;
  }

 private:
  float best_ = Step::Value::start();
  std::int64_t at_;  ///< of the first chunk, if none is better than the start
};

/// reduce_row() of a reduction with a position.
template <typename Step, typename Group, typename Row>
LECTERN_HD typename Step::State reduce_position(const Group& group, const Row& row, std::int64_t begin,
                                                std::int64_t end) {
  BestChunk<Step, Row> best(begin + group.rank() * Row::kChunk);
  for_chunks(group, row, begin, end,
             [&](const auto& values, std::int64_t at, std::int64_t count) { best.see(values, at, count); });
  return group.reduce(best.state(row, end), MergeStates<Step>{});
}

}  // namespace lectern::kernels::cuda
