#pragma once

namespace lectern::cuda {

/// Version of the CUDA toolkit that the kernels were compiled with: 13000 for 13.0.
int toolkit_version();

}  // namespace lectern::cuda
