#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "kernels/elementwise.h"

namespace lectern::kernels {

/// Summary statistics of many elements. All but the counts are of the finite ones.
struct Moments {
  std::int64_t finite = 0;
  std::int64_t nan = 0;
  std::int64_t infinite = 0;
  double mean = 0;
  double squares = 0;  ///< the sum of (x - mean)²
  double min = std::numeric_limits<double>::infinity();
  double max = -std::numeric_limits<double>::infinity();
  std::int64_t integer_min = std::numeric_limits<std::int64_t>::max();  ///< exactly, of integers and bool
  std::int64_t integer_max = std::numeric_limits<std::int64_t>::min();

  /// Combines both by the formula of Chan, Golub, LeVeque (1979), "Updating Formulae and a Pairwise Algorithm
  /// for Computing Sample Variances".
  void merge(const Moments& other);
};

namespace cpu {

/// Computed in double. One pass over memory, O(elements), nothing is allocated in proportion to them.
/// Independent of the number of threads and of the processor.
Moments moments(std::span<const std::int64_t> sizes, const Array& array);

/// How many of the finite elements, which lie in [low, high], are in each of `bins` intervals
/// (base/histogram.h). One more pass, with the same promises.
std::vector<std::int64_t> histogram(std::span<const std::int64_t> sizes, const Array& array, double low,
                                    double high, std::size_t bins);

}  // namespace cpu

}  // namespace lectern::kernels
