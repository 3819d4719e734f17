#pragma once

#include "kernels/reduction_table.h"
#include "tensor/tensor.h"

// Reductions of the form name(x, dims, keepdim), also methods of Tensor; those with other parameters are in
// sum.h, prod.h, norm.h, variance.h and extremum.h. Over `dims`, by default all; they are removed or, with
// `keepdim`, have size 1. A TensorError when a dimension is out of range or repeated. O(elements).
//
//   all, any    Whether all, or any, elements are nonzero; NaN is nonzero. Of dtype bool; uint8 for uint8.
//   For
//               no elements all() is true, any() false. One floating-point operation each.
//   amax, amin  Maxima and minima, as those of extremum.h; a TensorError when a dimension is of size 0.
//   logsumexp   ln Σ e^x, in one pass and without overflow; -inf for no elements. Computed in float64 for
//               float64, else in float32, and rounded once; float32 for integers and bool. 4 floating-point
//               operations each (maximum, difference, exponential, sum); its gradient grad e^(x - result), 3.

namespace lectern {

#define LECTERN_FUNCTION(name) Tensor name(const Tensor& x, const Sizes& dims = {}, bool keepdim = false);
LECTERN_REDUCTION_FUNCTIONS(LECTERN_FUNCTION)
#undef LECTERN_FUNCTION

}  // namespace lectern
