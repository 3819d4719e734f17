#pragma once

#include <cstddef>

#include "kernels/cuda/gemm.h"

namespace lectern::kernels::cuda {

/// One product, not of float64, through cuBLASLt, by the algorithm that its heuristics rank first: asked for
/// once for each kind of product and device, and never timed, so that two runs of a program take the same.
/// Also of two float8 types, a as it lies and b transposed, to float32. False when there is no algorithm;
/// nothing was done then.
bool gemm_lt(const Gemm& product);

/// Of the current device: 90 for 9.0. The driver is asked once, since it takes its time.
int compute_capability();

/// What algorithms may use beside the matrices, on the current device.
std::size_t workspace_bytes();

}  // namespace lectern::kernels::cuda
