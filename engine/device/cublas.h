#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <cublasLt.h>
#include <cublas_v2.h>

#include "device/stream.h"

/// Only with the CUDA toolkit at build time. The library itself is loaded by the first product.
namespace lectern::cuda {

/// cuBLASLt's functions, without the prefix "cublasLt".
#define LECTERN_CUBLASLT_FUNCTIONS(F) \
  F(MatmulDescCreate)                 \
  F(MatmulDescDestroy)                \
  F(MatmulDescSetAttribute)           \
  F(MatrixLayoutCreate)               \
  F(MatrixLayoutDestroy)              \
  F(MatmulPreferenceCreate)           \
  F(MatmulPreferenceDestroy) F(MatmulPreferenceSetAttribute) F(MatmulAlgoGetHeuristic) F(Matmul)

/// A cublasHandle_t serves as cuBLASLt's handle.
struct CublasLt {
#define LECTERN_FUNCTION(name) decltype(&::cublasLt##name) name;
  LECTERN_CUBLASLT_FUNCTIONS(LECTERN_FUNCTION)
#undef LECTERN_FUNCTION
};

/// cuBLAS's functions by their names without "cublas".
struct Cublas {
  decltype(&::cublasCreate_v2) Create;
  decltype(&::cublasGetVersion_v2) GetVersion;
  decltype(&::cublasGetStatusString) GetStatusString;
  decltype(&::cublasSetStream_v2) SetStream;
  decltype(&::cublasSetWorkspace_v2) SetWorkspace;
  decltype(&::cublasSetMathMode) SetMathMode;
  cublasStatus_t (*GemmEx)(cublasHandle_t, cublasOperation_t transa, cublasOperation_t transb, int m, int n,
                           int k, const void* alpha, const void* a, cudaDataType a_type, int lda,
                           const void* b, cudaDataType b_type, int ldb, const void* beta, void* c,
                           cudaDataType c_type, int ldc, cublasComputeType_t, cublasGemmAlgo_t);
  cublasStatus_t (*GemmStridedBatchedEx)(cublasHandle_t, cublasOperation_t transa, cublasOperation_t transb,
                                         int m, int n, int k, const void* alpha, const void* a,
                                         cudaDataType a_type, int lda, long long stride_a, const void* b,
                                         cudaDataType b_type, int ldb, long long stride_b, const void* beta,
                                         void* c, cudaDataType c_type, int ldc, long long stride_c,
                                         int batch_count, cublasComputeType_t, cublasGemmAlgo_t);
  CublasLt lt;
};

/// Throws TensorError saying what to install if the library is missing.
const Cublas& cublas();
/// From the first of these files that loads, and cuBLASLt from beside it.
Cublas load_cublas(const std::vector<std::string>& candidates);

/// This thread's handle for the stream's device, on the stream. Products in 16-bit types are never reduced in
/// 16 bits.
cublasHandle_t cublas_handle(const Stream& stream = current_stream());

/// Throws TensorError of `operation` on failure.
void check_status(std::string_view operation, cublasStatus_t status);

}  // namespace lectern::cuda
