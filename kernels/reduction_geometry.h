#pragma once

#include <cstdint>
#include <span>

#include "kernels/elementwise.h"
#include "kernels/geometry.h"

namespace lectern::kernels {

/// The dimensions of a reduction, in two parts.
struct ReductionGeometry {
  enum Operand : std::uint8_t { kIn, kOut, kPositions };

  Geometry kept;     ///< over the results: strides of in, out and positions
  Geometry reduced;  ///< over the elements of a result: strides of in
};

/// The arguments are those of reduce() in kernels/reductions.h.
ReductionGeometry reduction_geometry(std::span<const std::int64_t> sizes, std::span<const bool> over,
                                     const Array& out, const Array& in, const Array* positions);

}  // namespace lectern::kernels
