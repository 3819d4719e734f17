#include "kernels/cuda/gemm.h"

#include <array>
#include <atomic>

#include "device/context.h"
#include "kernels/cuda/gemm_lt.h"
#include "kernels/cuda/gemm_types.h"
#include "kernels/cuda/scratch.h"

namespace lectern::kernels::cuda {
namespace {

using lectern::cuda::check_status;
using lectern::cuda::cublas;

void gemm_ex(const Gemm& product) {
  const Scratch workspace(workspace_bytes());
  cublasHandle_t handle = lectern::cuda::cublas_handle();
  check_status("cublasSetWorkspace", cublas().SetWorkspace(handle, workspace.data(), workspace.bytes()));
  const float one_float = 1, kept_float = product.accumulates ? 1 : 0;
  const double one_double = 1, kept_double = kept_float;
  const bool wide = product.a.dtype == float64;
  const void* one = wide ? static_cast<const void*>(&one_double) : &one_float;
  const void* kept = wide ? static_cast<const void*>(&kept_double) : &kept_float;

  const GemmOperand &a = product.a, &b = product.b;
  const cudaDataType type = data_type(a.dtype);
  const cudaDataType out_type = data_type(product.out_dtype);
  const int rows = static_cast<int>(product.rows), columns = static_cast<int>(product.columns),
            inner = static_cast<int>(product.inner);
  const int a_leading = static_cast<int>(a.layout.leading), b_leading = static_cast<int>(b.layout.leading);
  if (product.batch == 1) {
    check_status("matmul",
                 cublas().GemmEx(handle, operation(b.layout), operation(a.layout), columns, rows, inner, one,
                                 b.data, type, b_leading, a.data, type, a_leading, kept, product.out,
                                 out_type, columns, compute_type(a.dtype), CUBLAS_GEMM_DEFAULT));
  } else {
    check_status("matmul", cublas().GemmStridedBatchedEx(
                               handle, operation(b.layout), operation(a.layout), columns, rows, inner, one,
                               b.data, type, b_leading, b.batch_stride, a.data, type, a_leading,
                               a.batch_stride, kept, product.out, out_type, columns, product.out_stride,
                               static_cast<int>(product.batch), compute_type(a.dtype), CUBLAS_GEMM_DEFAULT));
  }
}

/// From here on, choosing an algorithm by cuBLASLt's heuristics pays; below, a launch costs more than the
/// arithmetic.
constexpr double kLargeProduct = 1 << 24;

bool is_large(const Gemm& product) {
  return static_cast<double>(product.rows) * static_cast<double>(product.columns) *
             static_cast<double>(product.inner) >=
         kLargeProduct;
}

}  // namespace

int compute_capability() {
  static std::array<std::atomic<int>, lectern::cuda::Context::kMaxDevices> known{};
  const int device = lectern::cuda::current_device();
  std::atomic<int>& capability = known[static_cast<std::size_t>(device)];
  if (capability == 0) {
    const lectern::cuda::DeviceProperties properties = lectern::cuda::get_device_properties(device);
    capability = 10 * properties.major + properties.minor;
  }
  return capability;
}

std::size_t workspace_bytes() {
  // As NVIDIA recommends: 32 MiB from Hopper on, less before.
  constexpr std::size_t kHopper = std::size_t{32} << 20, kBefore = std::size_t{8} << 20;
  return compute_capability() >= 90 ? kHopper : kBefore;
}

void gemm(const Gemm& product) {
  const bool tried = product.batch == 1 && product.a.dtype != float64 && is_large(product);
  if (!tried || !gemm_lt(product)) gemm_ex(product);
}

}  // namespace lectern::kernels::cuda
