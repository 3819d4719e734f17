#include <cuda_runtime_api.h>

#include "kernels/cuda/toolkit.h"

namespace lectern::cuda {

int toolkit_version() {
  return CUDART_VERSION;
}

}  // namespace lectern::cuda
