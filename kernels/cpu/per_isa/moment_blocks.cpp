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
LECTERN_HD void fold(const T* numbers, std::int64_t count, Take take) {
  std::int64_t done = 0;
  for (; done + kLanes <= count; done += kLanes) {
    prefetch_ahead<kLanes * sizeof(T)>(numbers + done);
    for (int lane = 0; lane < kLanes; ++lane) take(lane, numbers[done + lane]);
  }
  for (int lane = 0; done + lane < count; ++lane) take(lane, numbers[done + lane]);
}

/// Sums the differences from one of the elements, not the elements: its own distance from the mean is part of
/// the variance, so that what cancels in the end is at most `count` times as large.
template <typename T>
Moments of_finite(const T* numbers, std::int64_t count) {
  Moments result;
  if (count == 0) return result;
  const auto origin = static_cast<double>(numbers[0]);
  T low[kLanes], high[kLanes];
  double sums[kLanes], squares[kLanes];
  for (int lane = 0; lane < kLanes; ++lane) {
    low[lane] = high[lane] = numbers[0];
    sums[lane] = squares[lane] = 0;
  }
  fold(
      numbers, count, [&](int lane, T x) __attribute__((always_inline)) {
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
Moments of_any(const T* numbers, std::int64_t count) {
  Moments result = of_finite(numbers, count);
  if (is_finite(result.squares)) return result;
  // An element is not finite, or the sums overflowed.
  T usual[kMomentBlock];
  std::int64_t kept = 0, nan = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    if (is_finite(numbers[i])) usual[kept++] = numbers[i];
    nan += is_nan(numbers[i]);
  }
  result = of_finite(usual, kept);
  result.nan = nan;
  result.infinite = count - kept - nan;
  return result;
}

}  // namespace

constinit const MomentBlocks moment_blocks = {of_any<float>, of_any<double>, of_finite<std::int64_t>};

}  // namespace lectern::kernels::cpu::LECTERN_ISA
