#pragma once

#include <cstdint>

#include "kernels/norms.h"

// norm() and norm_backward() of rows that blocks take one after the other (kernels/cuda/one_pass_rows.h).
// They return whether they take the arrays; if not, nothing was launched.

namespace lectern::kernels::cuda {

/// Takes long rows of 16-bit floats with weights or biases. These are float32, 32 bytes of them for 16 of a
/// row: with 32 bytes from a thread's to the next one's, reading them takes twice the transactions. In shared
/// memory they lie in two halves.
bool norm_in_one_pass(Norm kind, const NormShape& shape, double eps, const Array& out, const Array& x,
                      const NormParameters& parameters, const NormStatistics& statistics);

/// With gradients of weight or bias: each row is read once for all of them.
bool norm_backward_in_one_pass(Norm kind, const NormShape& shape, const Array& out, const Array& grad,
                               const Array& x, const void* weight, const NormStatistics& statistics,
                               const NormParameters& gradients);

/// Partial sums that the latter makes, or 0 if it does not take rows of this length and dtype.
std::int64_t one_pass_norm_parts(const NormShape& shape, Dtype dtype);

}  // namespace lectern::kernels::cuda
