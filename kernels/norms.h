#pragma once

#include <cstdint>

#include "kernels/elementwise.h"

// layer_norm and rms_norm of the rows of matrices, of any floating dtypes; see kernels/norm_row.h.
// Computed in the compute type of out's dtype, rounded once; statistics, weights, biases and their gradients
// are of that type and contiguous. `out` is contiguous and overlaps no input. Memory is read once and written
// once while a row fits the L2 cache. Results do not depend on the number of threads. On a GPU weights and
// biases are aligned to 16 bytes. O(elements).

namespace lectern::kernels {

enum class Norm : std::uint8_t { layer, rms };

/// A matrix that is normalised row by row.
struct NormShape {
  std::int64_t rows;
  std::int64_t length;  ///< of a row
};

/// Values of the compute type, one per row.
struct NormStatistics {
  void* mean;  ///< null for rms
  void* rstd;
};

/// Values of the compute type, one per element of a row.
struct NormParameters {
  void* weight;  ///< null: 1
  void* bias;    ///< null: 0
};

/// Fills the statistics.
LECTERN_KERNEL(void, norm, Norm kind, const NormShape& shape, double eps, const Array& out, const Array& x,
               const NormParameters& parameters, const NormStatistics& statistics);

/// How many partial sums of `gradients` norm_backward makes for rows of a dtype. On a GPU it depends on how
/// many multiprocessors that has.
LECTERN_KERNEL(std::int64_t, norm_gradient_parts, const NormShape& shape, Dtype dtype);

/// out = the gradient of x. `gradients` receives, where not null, norm_gradient_parts() rows each, whose sums
/// are the gradients of weight and bias.
LECTERN_KERNEL(void, norm_backward, Norm kind, const NormShape& shape, const Array& out, const Array& grad,
               const Array& x, const void* weight, const NormStatistics& statistics,
               const NormParameters& gradients);

}  // namespace lectern::kernels
