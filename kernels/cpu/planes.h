#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "kernels/cpu/isa.h"

namespace lectern::kernels::cpu {

/// Rows of elements; strides in bytes, any of which may be 0 in a source plane.
template <typename Byte>
struct BasicPlane {
  Byte* data;
  std::int64_t element;  ///< from one element of a row to the next
  std::int64_t row;      ///< from one row to the next
};
using Plane = BasicPlane<std::byte>;
using ConstPlane = BasicPlane<const std::byte>;

/// Whether its elements are contiguous.
template <typename Byte>
bool is_packed(const BasicPlane<Byte>& plane, std::int64_t length, std::int64_t rows,
               std::int64_t element_size) {
  return plane.element == element_size && (rows == 1 || plane.row == length * element_size);
}

/// Copies `rows` rows of `length` elements. The planes must not overlap. Where rows of one are columns of the
/// other, the columns are read in memory order.
using PlaneCopy = void (*)(const Plane& to, const ConstPlane& from, std::int64_t length, std::int64_t rows);

struct PlaneKernels {
  PlaneCopy copy[4];  ///< of elements of 1, 2, 4, 8 bytes
  /// The same, streamed (kernels/cpu/streaming.h) where rows are long.
  PlaneCopy stream[4];

  PlaneCopy copy_kernel(std::int64_t element_size) const { return copy[power(element_size)]; }
  PlaneCopy stream_kernel(std::int64_t element_size) const { return stream[power(element_size)]; }

  static int power(std::int64_t size) { return std::countr_zero(static_cast<std::uint64_t>(size)); }
};

LECTERN_PER_ISA(PlaneKernels, plane_kernels)

}  // namespace lectern::kernels::cpu
