#pragma once

#include <cstdint>

#include "base/host_device.h"
#include "kernels/compute_type.h"
#include "kernels/convert_number.h"
#include "kernels/elementwise.h"
#include "kernels/fold_functors.h"
#include "kernels/indexing.h"
#include "kernels/kernel.h"

// Products, maxima and minima of the values that are scattered to one element; sums are in
// kernels/indexing.h.

namespace lectern::kernels {

enum class ScatterFold : std::uint8_t { prod, amax, amin };

/// target[offsets[i]] = values[i] and all others for the same element, and the element itself with
/// `include_self`, combined in order in the compute type and rounded once. `values` is contiguous, of the
/// target's dtype. NaN propagates. Uses all OpenMP threads above 32,768 values; results do not depend on the
/// thread count. O(destinations), beside sorting them (kernels/sort.h).
LECTERN_KERNEL(void, scatter_fold, ScatterFold operation, const Array& target, const Array& values,
               const Destinations& destinations, bool include_self);

template <ComputeType C>
LECTERN_HD C combined(ScatterFold operation, C a, C b) {
  if (operation == ScatterFold::prod) return Mul{}(a, b);
  return operation == ScatterFold::amax ? Maximum{}(a, b) : Minimum{}(a, b);
}

/// The sorted destinations that begin a run for one element, as a thread has them.
template <typename T>
struct FoldedRuns {
  ScatterFold operation;
  T* target;
  const T* values;
  Destinations destinations;
  bool include_self;

  /// Combines the run that begins at `first`, if one does.
  LECTERN_HD void fold(std::int64_t first) const {
    const std::uint64_t* const offsets = destinations.offsets;
    const std::uint64_t offset = offsets[first];
    if (first > 0 && offsets[first - 1] == offset) return;
    std::int64_t at = first;
    Compute<T> state =
        convert_number<Compute<T>>(include_self ? target[offset] : values[destinations.places[at++]]);
    for (; at < destinations.count && offsets[at] == offset; ++at)
      state = combined(operation, state, convert_number<Compute<T>>(values[destinations.places[at]]));
    target[offset] = convert_number<T>(state);
  }
};

}  // namespace lectern::kernels
