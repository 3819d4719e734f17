#pragma once

#include <cstdint>
#include <optional>

#include "kernels/reduction_table.h"
#include "tensor/tensor.h"

namespace lectern {

/// Cumulative sums and products along `dim`, the scans of kernels/reduction_table.h: result[i] = x[0] + … +
/// x[i], for cumprod x[0] · … · x[i]. The result is contiguous and has `dtype`; by default int64 for integers
/// and bool, else x's own. Elements are converted to it first; floats are accumulated in float64. A
/// TensorError when the dimension is out of range. O(elements); one floating-point operation each. The
/// gradient of cumprod is composed of other operations, and correct for zeros too.
///
/// logcumsumexp: result[i] = ln(e^x[0] + … + e^x[i]), without overflow; a TensorError when the dtype is not
/// floating. Its gradient is composed of other operations.
#define LECTERN_FUNCTION(name, Functor, autocast) \
  Tensor name(const Tensor& x, std::int64_t dim, std::optional<Dtype> dtype = {});
LECTERN_SCANS(LECTERN_FUNCTION)
#undef LECTERN_FUNCTION

}  // namespace lectern
