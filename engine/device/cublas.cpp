#include "device/cublas.h"

#include <array>
#include <mutex>
#include <string>
#include <vector>

#include "base/tensor_error.h"
#include "device/context.h"

namespace lectern::cuda {
namespace {

/// Handles of threads that have ended, by device; never destroyed, since CUDA may go first.
struct Spare {
  std::mutex mutex;
  std::array<std::vector<cublasHandle_t>, Context::kMaxDevices> handles;
};
Spare& spare() {
  static Spare& handles = *new Spare;
  return handles;
}

class ThreadHandles {
 public:
  ~ThreadHandles() {
    const std::lock_guard lock(spare().mutex);
    for (std::size_t device = 0; device < handles_.size(); ++device) {
      if (handles_[device] != nullptr) spare().handles[device].push_back(handles_[device]);
    }
  }

  cublasHandle_t get(std::size_t device) {
    cublasHandle_t& handle = handles_[device];
    if (handle != nullptr) return handle;
    // A thread new to CUDA has no context, and cuBLAS does not create one.
    set_device(static_cast<int>(device));
    handle = reuse(device);
    if (handle == nullptr) handle = create();
    return handle;
  }

 private:
  static cublasHandle_t create() {
    cublasHandle_t handle = nullptr;
    check_status("cublasCreate", cublas().Create(&handle));
    check_status("cublasSetMathMode",
                 cublas().SetMathMode(handle, CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION));
    return handle;
  }

  static cublasHandle_t reuse(std::size_t device) {
    const std::lock_guard lock(spare().mutex);
    auto& handles = spare().handles[device];
    if (handles.empty()) return nullptr;
    cublasHandle_t handle = handles.back();
    handles.pop_back();
    return handle;
  }

  std::array<cublasHandle_t, Context::kMaxDevices> handles_{};
};

}  // namespace

cublasHandle_t cublas_handle(const Stream& stream) {
  thread_local ThreadHandles handles;
  const DeviceGuard guard(stream.device());
  cublasHandle_t handle = handles.get(static_cast<std::size_t>(stream.device()));
  check_status("cublasSetStream", cublas().SetStream(handle, stream.handle()));
  return handle;
}

void check_status(std::string_view operation, cublasStatus_t status) {
  if (status != CUBLAS_STATUS_SUCCESS) {
    throw TensorError(operation, std::string("cuBLAS: ").append(cublas().GetStatusString(status)));
  }
}

}  // namespace lectern::cuda
