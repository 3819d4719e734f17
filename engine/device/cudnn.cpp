#include "device/cudnn.h"

#include <string>

#include "base/tensor_error.h"
#include "device/thread_handles.h"

namespace lectern::cuda {
namespace {

cudnnHandle_t create_cudnn_handle() {
  cudnnHandle_t handle = nullptr;
  check_status("cudnnCreate", cudnn()->Create(&handle));
  return handle;
}

}  // namespace

std::size_t cudnn_version() {
  return cudnn() == nullptr ? 0 : cudnn()->GetVersion();
}

cudnnHandle_t cudnn_handle(const Stream& stream) {
  thread_local ThreadHandles<cudnnHandle_t, create_cudnn_handle> handles;
  const DeviceGuard guard(stream.device());
  cudnnHandle_t handle = handles.get(static_cast<std::size_t>(stream.device()));
  check_status("cudnnSetStream", cudnn()->SetStream(handle, stream.handle()));
  return handle;
}

void check_status(std::string_view operation, cudnnStatus_t status) {
  if (status != CUDNN_STATUS_SUCCESS)
    throw TensorError(operation, std::string("cuDNN: ").append(cudnn()->GetErrorString(status)));
}

}  // namespace lectern::cuda
