#include "kernels/cpu/moment_blocks.h"

#include <type_traits>

#include "base/host_device.h"
#include "kernels/cpu/cache.h"
#include "kernels/math.h"

namespace lectern::kernels::cpu::LECTERN_ISA {
namespace {

/// Element i goes to lane i mod kLanes: one order for all register widths.
constexpr int kLanes = 64;

/// Calls take(i mod kLanes, element i).
template <typename T, typename Take>
LECTERN_HD void fold(const T* values, std::int64_t count, Take take) {
  std::int64_t done = 0;
  for (; done + kLanes <= count; done += kLanes) {
    prefetch_ahead<kLanes * sizeof(T)>(values + done);
    for (int lane = 0; lane < kLanes; ++lane) take(lane, values[done + lane]);
  }
  for (int lane = 0; done + lane < count; ++lane) take(lane, values[done + lane]);
}

/// Sums the differences from one of the elements, not the elements: its own distance from the mean is part of
/// the variance, so that what cancels in the end is at most `count` times as large.
template <typename T>
Moments finite_moments(const T* values, std::int64_t count) {
  Moments result;
  if (count == 0) return result;
  const auto origin = static_cast<double>(values[0]);
  T low[kLanes], high[kLanes];
  double sums[kLanes], squares[kLanes];
  for (int lane = 0; lane < kLanes; ++lane) {
    low[lane] = high[lane] = values[0];
    sums[lane] = squares[lane] = 0;
  }
  fold(
      values, count, [&](int lane, T x) __attribute__((always_inline)) {
        low[lane] = x < low[lane] ? x : low[lane];
        high[lane] = x > high[lane] ? x : high[lane];
        const double distance = static_cast<double>(x) - origin;
        sums[lane] += distance;
        squares[lane] += distance * distance;
      });
  for (int lane = 1; lane < kLanes; ++lane) {
    low[0] = low[lane] < low[0] ? low[lane] : low[0];
    high[0] = high[lane] > high[0] ? high[lane] : high[0];
    sums[0] += sums[lane];
    squares[0] += squares[lane];
  }
  result.finite = count;
  result.min = static_cast<double>(low[0]);
  result.max = static_cast<double>(high[0]);
  if constexpr (std::is_integral_v<T>) {
    result.integer_min = low[0];
    result.integer_max = high[0];
  }
  const double shift = sums[0] / static_cast<double>(count);
  result.mean = origin + shift;
  const double left = squares[0] - shift * sums[0];
  result.squares = left < 0 ? 0 : left;
  return result;
}

template <typename T>
Moments moments(const T* values, std::int64_t count) {
  Moments result = finite_moments(values, count);
  if (math::is_finite(result.squares)) return result;
  // An element is not finite, or the sums overflowed.
  T usual[kMomentBlock];
  std::int64_t kept = 0, nan = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    if (math::is_finite(values[i])) usual[kept++] = values[i];
    nan += math::is_nan(values[i]);
  }
  result = finite_moments(usual, kept);
  result.nan = nan;
  result.infinite = count - kept - nan;
  return result;
}

}  // namespace

constinit const MomentBlocks moment_blocks = {moments<float>, moments<double>, finite_moments<std::int64_t>};

}  // namespace lectern::kernels::cpu::LECTERN_ISA
