#include "device/cublas.h"

#include <string>

#include "base/tensor_error.h"
#include "device/thread_handles.h"

namespace lectern::cuda {
namespace {

cublasHandle_t create_cublas_handle() {
  cublasHandle_t handle = nullptr;
  check_status("cublasCreate", cublas().Create(&handle));
  check_status("cublasSetMathMode",
               cublas().SetMathMode(handle, CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION));
  return handle;
}

}  // namespace

cublasHandle_t cublas_handle(const Stream& stream) {
  thread_local ThreadHandles<cublasHandle_t, create_cublas_handle> handles;
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
