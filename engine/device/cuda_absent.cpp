#include "device/cuda_driver.h"

namespace lectern::cuda {

std::unique_ptr<Driver> find_driver(std::string* reason) {
  *reason = "this program was built without CUDA (no nvcc was found)";
  return nullptr;
}

}  // namespace lectern::cuda
