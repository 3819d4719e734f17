#pragma once

#include "device/cublas.h"

namespace lectern::test {

/// cuBLASLt on the host. Its one algorithm needs a workspace and addresses of 16 bytes, also of an epilogue's
/// vector, and has the epilogues BIAS, BGRADA and BGRADB in 32-bit arithmetic; else there is none.
cuda::CublasLt simulated_cublas_lt();

}  // namespace lectern::test
