#pragma once

#include <cstddef>

#include "kernels/cuda/gemm.h"

namespace lectern::kernels::cuda {

/// One product, not of float64, through cuBLASLt, by the algorithm that its heuristics rank first: queried
/// once per kind of product and device, and never timed, so that two runs of a program use the same. Also of
/// two float8 types, a as is and b transposed, to float32. With any epilogue; its vector's address is a
/// multiple of 16. Returns false, with nothing done, if there is no algorithm.
bool gemm_lt(const Gemm& product);

/// Of the current device: 90 for 9.0. Queried once, since the driver is slow.
int compute_capability();

/// Workspace for algorithms, on the current device.
std::size_t workspace_bytes();

}  // namespace lectern::kernels::cuda
