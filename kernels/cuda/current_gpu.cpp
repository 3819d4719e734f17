#include "kernels/cuda/current_gpu.h"

#include <cstddef>
#include <vector>

namespace lectern::kernels::cuda {

const lectern::cuda::DeviceProperties& current_gpu() {
  static const std::vector<lectern::cuda::DeviceProperties> devices = [] {
    std::vector<lectern::cuda::DeviceProperties> all(static_cast<std::size_t>(lectern::cuda::device_count()));
    for (std::size_t i = 0; i < all.size(); ++i) {
      all[i] = lectern::cuda::get_device_properties(static_cast<int>(i));
    }
    return all;
  }();
  return devices[static_cast<std::size_t>(lectern::cuda::current_device())];
}

}  // namespace lectern::kernels::cuda
