#pragma once

#include <cstddef>

#include "kernels/cuda/gemm.h"

namespace lectern::kernels::cuda {

/// One product, not of float64, through cuBLASLt, by the algorithm that its heuristics rank first: asked for
/// once for each kind of product and device, and never timed, so that two runs of a program take the same.
/// False when there is none; nothing was done then.
bool gemm_lt(const Gemm& product);

/// What algorithms may use beside the matrices, on the current device.
std::size_t workspace_bytes();

}  // namespace lectern::kernels::cuda
