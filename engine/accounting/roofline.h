#pragma once

#include <algorithm>

// Time and its lower bounds, from operations, bytes and a machine's peak rates. Pure functions of numbers,
// for calculators too.

namespace lectern::accounting {

/// The cost of a piece of work.
struct Work {
  double flops;
  double bytes;

  /// Arithmetic intensity, operations per byte.
  constexpr double intensity() const { return flops / bytes; }
};

/// The product of a rows × inner and an inner × columns matrix: 2 · rows · inner · columns operations; each
/// operand read once, the result written once.
constexpr Work matrix_product(double rows, double inner, double columns, double bytes_per_element) {
  return {2 * rows * inner * columns, (rows * inner + inner * columns + rows * columns) * bytes_per_element};
}

/// A device as a roofline (Williams et al. 2009): its peak operations and bytes per second.
struct Roofline {
  double flops_per_second;
  double bytes_per_second;

  /// The ridge point: work of a higher intensity is bound by compute, of a lower one by memory.
  constexpr double ridge() const { return flops_per_second / bytes_per_second; }
  constexpr double attainable(double intensity) const {
    return std::min(flops_per_second, intensity * bytes_per_second);
  }
  /// A lower bound on the seconds that the work takes.
  constexpr double seconds(const Work& work) const {
    return std::max(work.flops / flops_per_second, work.bytes / bytes_per_second);
  }
  constexpr bool memory_bound(const Work& work) const { return work.intensity() < ridge(); }
};

/// Seconds for `flops` on `devices` that reach the share `mfu` of their peak rate.
constexpr double training_seconds(double flops, double devices, double peak_flops, double mfu) {
  return flops / (devices * peak_flops * mfu);
}
/// The operations that devices perform in that time.
constexpr double training_flops(double seconds, double devices, double peak_flops, double mfu) {
  return seconds * devices * peak_flops * mfu;
}

}  // namespace lectern::accounting
