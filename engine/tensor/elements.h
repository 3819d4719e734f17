#pragma once

#include <cstdint>
#include <vector>

#include "kernels/moments.h"
#include "tensor/tensor.h"

namespace lectern {

/// The selected positions in each dimension.
using Selection = std::vector<std::vector<std::int64_t>>;

/// All positions.
Selection select_all(const Sizes& sizes);
/// All positions in dimensions of size up to 2·edge; the first and last `edge` in larger ones.
Selection select_edges(const Sizes& sizes, std::int64_t edge);
/// How many elements are selected.
std::int64_t numel(const Selection& selection);

/// Elements of a tensor in row-major order, exact for every dtype.
struct Elements {
  std::vector<double> reals;           ///< of a floating-point dtype
  std::vector<std::int64_t> integers;  ///< of any other
};

/// Reads through the strides, without copying a tensor on the CPU. Like everything here it is invisible to
/// counters and memory statistics: inspection costs the program nothing.
Elements read_elements(const Tensor& tensor, const Selection& selection);

/// Summary statistics of a tensor's elements; all but the counts cover finite elements only. Deterministic,
/// O(numel), one pass over memory on the CPU.
kernels::Moments statistics(const Tensor& tensor);

struct Distribution {
  kernels::Moments moments;
  /// How many of the finite elements lie in each of kHistogramBins intervals (base/histogram.h) from the
  /// smallest to the largest; empty where these are equal, infinitely far apart, or no elements.
  std::vector<std::int64_t> histogram;
};

/// The same, and a second pass for the histogram.
Distribution distribution(const Tensor& tensor);

}  // namespace lectern
