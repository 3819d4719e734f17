#pragma once

#include <cmath>
#include <optional>

#include "ops/counting_loops.h"
#include "ops/shape_classes.h"
#include "tensor/tensor.h"

// Normalisation of channels, element by element, for tests of what it costs.

namespace lectern::test {

/// A normalisation of x, whose weight and bias may be undefined, in groups of channels or of whole channels;
/// with an eps of 1e-5.
struct ChannelNormalization {
  Tensor x, weight, bias;
  std::optional<std::int64_t> groups;
  Tensor mean, variance;  ///< given; or undefined

  Sizes sets() const { return groups ? Sizes{x.size(0), *groups} : Sizes{x.size(1)}; }
  /// Which of them an index of x belongs to.
  Sizes set(const Sizes& index) const {
    return groups ? Sizes{index[0], index[1] / (x.size(1) / *groups)} : Sizes{index[1]};
  }
  double elements_of_set() const {
    return static_cast<double>(x.numel()) / static_cast<double>(checked_numel("", sets()));
  }
};

/// The mean and variance of each set, counted as they are found.
struct FoundMoments {
  Array mean, variance;
};
inline FoundMoments find_moments(const ChannelNormalization& of, const Array& in) {
  const Array sums = Array::workspace(of.sets()), squares = Array::workspace(of.sets());
  const auto mean = [&](double sum) { return sum / of.elements_of_set(); };
  for_each_index(of.x.sizes(), [&](const Sizes& i) { sums.set(of.set(i), sums[of.set(i)] + in[i]); });
  const Array means = finished(sums, mean);
  for_each_index(of.x.sizes(), [&](const Sizes& i) {
    const Counted distance = in[i] - Counted{means.value(of.set(i))};
    squares.set(of.set(i), squares[of.set(i)] + distance * distance);
  });
  return {means, finished(squares, mean)};
}

}  // namespace lectern::test
