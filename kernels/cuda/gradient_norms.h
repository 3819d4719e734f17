#pragma once

#include "kernels/gradient_norms.h"

namespace lectern::kernels::cuda {

// The same as kernels/gradient_norms.h on arrays in the memory of the current CUDA device, given to the
// current stream: each of these is one launch for all arrays. The host waits for nothing.

/// Writes the norm to `total`, one number of `dtype` on the device.
void total_norm(TotalNorm kind, std::span<const Numbers> arrays, void* total, Dtype dtype);

/// The same, after which the arrays are multiplied with the norm's clip_factor().
void clip_by_norm(TotalNorm kind, std::span<const Numbers> arrays, double max_norm, void* total, Dtype dtype);

/// Multiplies the arrays with the clip_factor() of such a norm; where that is 1 nothing is read or written.
void clip(std::span<const Numbers> arrays, double max_norm, const void* total, Dtype dtype);

}  // namespace lectern::kernels::cuda
