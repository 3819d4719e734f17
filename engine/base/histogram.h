#pragma once

#include <algorithm>
#include <cstddef>

namespace lectern {

/// The intervals of a tensor's histogram.
inline constexpr std::size_t kHistogramBins = 24;

/// In which of `bins` intervals of one width from `low` to `high`, which differ, a number between them lies;
/// the last one includes its end.
inline std::size_t histogram_bin(double number, double low, double high, std::size_t bins) {
  const double place = (number - low) / (high - low) * static_cast<double>(bins);
  return std::min(static_cast<std::size_t>(place), bins - 1);
}

}  // namespace lectern
