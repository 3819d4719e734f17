#pragma once

#include "device/cublas.h"
#include "device/cuda.h"
#include "kernels/cuda/gemm.h"

// A product in cuBLAS's terms. cuBLAS is column-major: a row-major matrix is to it the transposed matrix. So
// it is asked for the transposed result, which is the transposed right operand times the transposed left one.

namespace lectern::kernels::cuda {

inline cudaDataType data_type(Dtype dtype) {
  switch (dtype) {
    case Dtype::float64:
      return CUDA_R_64F;
    case Dtype::float16:
      return CUDA_R_16F;
    case Dtype::bfloat16:
      return CUDA_R_16BF;
    case Dtype::float8_e4m3fn:
      return CUDA_R_8F_E4M3;
    case Dtype::float8_e5m2:
      return CUDA_R_8F_E5M2;
    default:
      return CUDA_R_32F;
  }
}

inline cublasComputeType_t compute_type(Dtype dtype) {
  if (dtype == float64) return CUBLAS_COMPUTE_64F;
  if (dtype == float32 && lectern::cuda::allow_tf32()) return CUBLAS_COMPUTE_32F_FAST_TF32;
  return CUBLAS_COMPUTE_32F;
}

inline cublasOperation_t operation(const MatrixLayout& layout) {
  return layout.transposed ? CUBLAS_OP_T : CUBLAS_OP_N;
}

}  // namespace lectern::kernels::cuda
