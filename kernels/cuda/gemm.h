#pragma once

#include <cstdint>

#include "kernels/matrix_layout.h"
#include "tensor/dtype.h"

namespace lectern::kernels::cuda {

/// The matrices of a batch, `batch_stride` elements from one to the next; 0 repeats one.
struct GemmOperand {
  const void* data;
  Dtype dtype;
  MatrixLayout layout;
  std::int64_t batch_stride;
};

/// out = a b for each matrix of a batch, as cuBLAS can do it in one call. All sizes are from 1 to
/// kLargestMatrix.
struct Gemm {
  std::int64_t rows, columns, inner;
  std::int64_t batch;
  GemmOperand a, b;
  Dtype out_dtype;
  std::int64_t out_stride;  ///< elements from one result to the next, each of which is contiguous
  void* out;
};

/// Gives the product to the current stream, of two operands of float64, float32, float16 or bfloat16 and a
/// result of their dtype or float32. Products and their sums are computed in float64 or float32, and
/// rounded once; with cuda::allow_tf32, operands of float32 are rounded to TF32 first. The same sizes,
/// strides and alignments take the same algorithm and give the same bits. A TensorError when cuBLAS fails or
/// cannot be loaded.
void gemm(const Gemm& product);

}  // namespace lectern::kernels::cuda
