#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "kernels/elementwise.h"
#include "kernels/index_position.h"

// Reading and writing elements where indices point, on arrays in the CPU's memory. Indices are arrays of
// int64. Elements are moved as they are, whatever their dtype. Above 32,768 elements all OpenMP threads take
// part; results do not depend on their number.

namespace lectern::kernels {

/// An index that is less than `low`, or `high` or more: the first in the order of memory; none where all are
/// inside. O(indices).
std::optional<std::int64_t> find_outside(std::span<const std::int64_t> sizes, const Array& index,
                                         std::int64_t low, std::int64_t high);

/// out = in, with each element read as many elements further on as its index says. `in` has strides for all
/// sizes, as out and index; it does not overlap out. O(elements).
void take(std::span<const std::int64_t> sizes, const Array& out, const Array& in, const Array& index,
          const IndexedDim& dim);

/// offsets[i] = the element with that number in row-major order of an array of these sizes and strides.
void set_offsets(std::span<const std::int64_t> sizes, const std::int64_t* strides, std::int64_t* offsets);

/// offsets[i] += where the i-th index in row-major order leads.
void add_offsets(std::span<const std::int64_t> sizes, std::int64_t* offsets, const Array& index,
                 const IndexedDim& dim);

/// Where values go: the i-th to the elements from offsets[i] on. Both arrays are used up: what goes to the
/// same elements may be brought together by sorting, so that one thread writes it, in the order of the
/// values.
struct Destinations {
  std::uint64_t* offsets;
  std::int64_t* places;  ///< nothing yet
  std::int64_t count;
};

/// target[offsets[i] + e] = values[i * value_stride + e] for the elements e of an array of these sizes, for
/// all destinations; of several values for one element the last one stays. Both arrays have the same dtype.
/// O(destinations · elements).
void put(std::span<const std::int64_t> sizes, const Array& target, const Array& values,
         std::int64_t value_stride, const Destinations& destinations);

/// The same with += : what goes to one element is added up in the computing type, in the order of the values,
/// and rounded once.
void accumulate(std::span<const std::int64_t> sizes, const Array& target, const Array& values,
                std::int64_t value_stride, const Destinations& destinations);

}  // namespace lectern::kernels
