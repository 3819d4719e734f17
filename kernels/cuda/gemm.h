#pragma once

#include <cstdint>

#include "base/dtype.h"
#include "kernels/matrix_layout.h"

namespace lectern::kernels::cuda {

/// The matrices of a batch, `batch_stride` elements apart; 0 repeats one.
struct GemmOperand {
  const void* data;
  Dtype dtype;
  MatrixLayout layout;
  std::int64_t batch_stride;
};

/// What else a product does in one pass, and what its vector is for. Only gemm_lt() has these.
enum class Epilogue : std::uint8_t {
  none,
  bias,      ///< adds it, of `columns` elements, to every row of the result, before rounding
  row_sums,  ///< writes to it, of `rows` elements, the sum of each row of a
};

/// A batch of products out = a b, as one call of cuBLAS. All sizes are from 1 to kLargestMatrix.
struct Gemm {
  std::int64_t rows, columns, inner;
  std::int64_t batch;
  GemmOperand a, b;
  Dtype out_dtype;
  std::int64_t out_stride;  ///< elements from one result to the next; each is contiguous
  void* out;
  bool accumulates = false;  ///< out += a b
  Epilogue epilogue = Epilogue::none;
  void* vector = nullptr;  ///< of the epilogue; contiguous, of the result's dtype
};

/// Enqueues the product on the current stream, of operands of float64, float32, float16 or bfloat16 and a
/// result of their dtype or float32. Products and their sums are computed in float64 or float32, and rounded
/// once; with cuda::allow_tf32, float32 operands are rounded to TF32 first. The same sizes, strides and
/// alignments use the same algorithm and give the same bits. Throws TensorError if cuBLAS fails or cannot be
/// loaded.
void gemm(const Gemm& product);

}  // namespace lectern::kernels::cuda
