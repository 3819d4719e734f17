#pragma once

#include <string_view>

#include "device/cuda.h"
#include "device/device.h"

namespace lectern {

/// Dispatches by device: calls on_cpu(), or on_cuda() with the device as the current one; a launch that
/// failed is then a TensorError of the operation, whose name lives as long as the program. A build without
/// CUDA has no CUDA tensors and omits what on_cuda() calls.
template <typename OnCpu, typename OnCuda>
void on_device([[maybe_unused]] std::string_view operation, [[maybe_unused]] Device device,
               const OnCpu& on_cpu, [[maybe_unused]] const OnCuda& on_cuda) {
#ifdef LECTERN_HAS_CUDA
  if (device.is_cuda()) {
    const cuda::DeviceGuard guard(device.index());
    on_cuda();
    cuda::check(operation);
    return;
  }
#endif
  on_cpu();
}

}  // namespace lectern
