// A cuBLAS on the host, in place of engine/device/cublas_library.cpp: as strict about its arguments as the
// real one, so that a wrong leading dimension, transposition, stride or type fails a test.
#include "device/cublas.h"

#include <memory>

#include "simulated_gpu/cublas_lt.h"
#include "simulated_gpu/product.h"

struct cublasContext {
  bool narrow_sums = true;
  void* workspace = nullptr;
  std::size_t workspace_bytes = 0;
};

namespace lectern::cuda {
namespace {

cublasStatus_t create(cublasHandle_t* handle) {
  *handle = std::make_unique<cublasContext>().release();
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t get_version(cublasHandle_t /*handle*/, int* version) {
  *version = CUBLAS_VERSION;
  return CUBLAS_STATUS_SUCCESS;
}

const char* status_string(cublasStatus_t status) {
  switch (status) {
    case CUBLAS_STATUS_SUCCESS:
      return "the operation completed successfully";
    case CUBLAS_STATUS_INVALID_VALUE:
      return "an unsupported value or parameter was passed to the function";
    case CUBLAS_STATUS_NOT_SUPPORTED:
      return "the requested functionality is not supported";
    default:
      return "an unknown error";
  }
}

/// Takes the workspace away, as the real one does.
cublasStatus_t set_stream(cublasHandle_t handle, cudaStream_t /*stream*/) {
  handle->workspace = nullptr;
  handle->workspace_bytes = 0;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t set_workspace(cublasHandle_t handle, void* workspace, std::size_t bytes) {
  if (reinterpret_cast<std::uintptr_t>(workspace) % 256 != 0) return CUBLAS_STATUS_INVALID_VALUE;
  handle->workspace = workspace;
  handle->workspace_bytes = bytes;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t set_math_mode(cublasHandle_t handle, cublasMath_t mode) {
  handle->narrow_sums = (mode & CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION) == 0;
  return CUBLAS_STATUS_SUCCESS;
}

bool is(double expected, const void* scalar, cublasComputeType_t compute) {
  return compute == CUBLAS_COMPUTE_64F ? *static_cast<const double*>(scalar) == expected
                                       : *static_cast<const float*>(scalar) == static_cast<float>(expected);
}

cublasStatus_t strided_batched(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb,
                               int m, int n, int k, const void* alpha, const void* a, cudaDataType a_type,
                               int lda, long long stride_a, const void* b, cudaDataType b_type, int ldb,
                               long long stride_b, const void* beta, void* c, cudaDataType c_type, int ldc,
                               long long stride_c, int batch_count, cublasComputeType_t compute,
                               cublasGemmAlgo_t algorithm) {
  const bool accumulates = is(1, beta, compute);
  if (!is(1, alpha, compute) || (!accumulates && !is(0, beta, compute)) || algorithm != CUBLAS_GEMM_DEFAULT)
    return CUBLAS_STATUS_NOT_SUPPORTED;
  return test::give_product(handle->workspace, handle->workspace_bytes,
                            {.m = m,
                             .n = n,
                             .k = k,
                             .a = {a, a_type, transa, lda, stride_a},
                             .b = {b, b_type, transb, ldb, stride_b},
                             .out = c,
                             .out_type = c_type,
                             .out_leading = ldc,
                             .out_stride = stride_c,
                             .batch = batch_count,
                             .compute = compute,
                             .accumulates = accumulates,
                             .narrow_sums = handle->narrow_sums});
}

cublasStatus_t gemm_ex(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m,
                       int n, int k, const void* alpha, const void* a, cudaDataType a_type, int lda,
                       const void* b, cudaDataType b_type, int ldb, const void* beta, void* c,
                       cudaDataType c_type, int ldc, cublasComputeType_t compute,
                       cublasGemmAlgo_t algorithm) {
  return strided_batched(handle, transa, transb, m, n, k, alpha, a, a_type, lda, 0, b, b_type, ldb, 0, beta,
                         c, c_type, ldc, 0, 1, compute, algorithm);
}

}  // namespace

const Cublas& cublas() {
  static const Cublas simulated = {create,     get_version,     status_string,
                                   set_stream, set_workspace,   set_math_mode,
                                   gemm_ex,    strided_batched, test::simulated_cublas_lt()};
  return simulated;
}

}  // namespace lectern::cuda
