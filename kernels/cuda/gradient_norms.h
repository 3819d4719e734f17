#pragma once

#include "kernels/gradient_norms.h"

namespace lectern::kernels::cuda {

// The same as kernels/gradient_norms.h on arrays on the current CUDA device, enqueued on the current stream,
// each with one launch for all arrays. The host does not wait.

/// Writes the norm to `total`, a scalar of `dtype` on the device.
void total_norm(TotalNorm kind, std::span<const Numbers> arrays, void* total, Dtype dtype);

/// The same, then multiplies the arrays by the norm's clip_factor().
void clip_by_norm(TotalNorm kind, std::span<const Numbers> arrays, double max_norm, void* total, Dtype dtype);

/// Multiplies the arrays by the clip_factor() of such a norm; if that is 1 nothing is read or written.
void clip(std::span<const Numbers> arrays, double max_norm, const void* total, Dtype dtype);

}  // namespace lectern::kernels::cuda
