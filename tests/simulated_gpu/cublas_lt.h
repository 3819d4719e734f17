#pragma once

#include "device/cublas.h"

namespace lectern::test {

/// cuBLASLt on the host. Its one algorithm needs a workspace and addresses of 16 bytes; without them there is
/// none.
cuda::CublasLt simulated_cublas_lt();

}  // namespace lectern::test
