#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "kernels/elementwise.h"
#include "kernels/index_position.h"

// Gathering and scattering elements by index. Indices are arrays of int64. Elements are moved
// unchanged, whatever their dtype. Uses all OpenMP threads above 32,768 elements; results do not depend on
// the thread count.

namespace lectern::kernels {

/// The first index outside [low, high), in memory order; none if all are inside. A GPU is not waited for: it
/// gives none and reports such an index later as one of `operation` (device/index_fault.h), with `high` as
/// the size; kernels continue meanwhile, and read or write only inside their arrays. O(indices).
LECTERN_KERNEL(std::optional<std::int64_t>, find_outside, std::string_view operation,
               std::span<const std::int64_t> sizes, const Array& index, std::int64_t low, std::int64_t high);

/// out = in, with each element read as many elements further on as its index says. `in` has strides for all
/// sizes, as out and index; it does not overlap out. O(elements).
LECTERN_KERNEL(void, take, std::span<const std::int64_t> sizes, const Array& out, const Array& in,
               const Array& index, const IndexedDim& dim);

/// offsets[i] = the offset of element i, row-major, in an array of these sizes and strides.
LECTERN_KERNEL(void, set_offsets, std::span<const std::int64_t> sizes, const std::int64_t* strides,
               std::int64_t* offsets);

/// offsets[i] += the offset of the i-th index, row-major.
LECTERN_KERNEL(void, add_offsets, std::span<const std::int64_t> sizes, std::int64_t* offsets,
               const Array& index, const IndexedDim& dim);

/// Where values go: the i-th to the elements from offsets[i] on. Both arrays are consumed: values for the
/// same elements may be grouped by sorting, so that one thread writes them, in order.
struct Destinations {
  std::uint64_t* offsets;
  std::int64_t* places;  ///< workspace
  std::int64_t count;
  int bits;  ///< offsets are below 2^bits
};

/// target[offsets[i] + e] = values[i * value_stride + e] for the elements e of an array of these sizes, for
/// all destinations; the last of several values for one element wins. Both arrays have the same dtype.
/// O(destinations · elements).
LECTERN_KERNEL(void, put, std::span<const std::int64_t> sizes, const Array& target, const Array& values,
               std::int64_t value_stride, const Destinations& destinations);

/// The same with += : the values for one element are summed in the compute type, in their order, and rounded
/// once.
LECTERN_KERNEL(void, accumulate, std::span<const std::int64_t> sizes, const Array& target,
               const Array& values, std::int64_t value_stride, const Destinations& destinations);

}  // namespace lectern::kernels
