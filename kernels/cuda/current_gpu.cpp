#include "kernels/cuda/current_gpu.h"

#include <cstddef>
#include <vector>

namespace lectern::kernels::cuda {

const lectern::cuda::DeviceProperties& current_gpu() {
  static const std::vector<lectern::cuda::DeviceProperties> devices = [] {
    std::vector<lectern::cuda::DeviceProperties> all;
    for (int i = 0; i < lectern::cuda::device_count(); ++i) {
      all.push_back(lectern::cuda::get_device_properties(i));
    }
    return all;
  }();
  return devices[static_cast<std::size_t>(lectern::cuda::current_device())];
}

}  // namespace lectern::kernels::cuda
