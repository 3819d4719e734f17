#include "device/cuda.h"

namespace lectern::cuda {

std::size_t cudnn_version() {
  return 0;
}

}  // namespace lectern::cuda
