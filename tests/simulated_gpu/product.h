#pragma once

#include <cstdint>

#include <cublas_v2.h>

namespace lectern::test {

/// A matrix as cuBLAS is given one, column by column; of a batch, `stride` elements to the next.
struct BlasOperand {
  const void* data;
  cudaDataType type;
  cublasOperation_t operation;
  std::int64_t leading;
  std::int64_t stride;
};

/// out = a b, m × n, of m × k and k × n.
struct BlasProduct {
  std::int64_t m, n, k;
  BlasOperand a, b;
  void* out;
  cudaDataType out_type;
  std::int64_t out_leading, out_stride;
  std::int64_t batch;
  cublasComputeType_t compute;
  bool accumulates = false;    ///< out += a b
  const void* bias = nullptr;  ///< added to each column before rounding, of out's type; null: 0
  /// Sums may be rounded to the type of the result on the way; they are then, after every product.
  bool narrow_sums = false;
};

/// Computes it element by element, or says as cuBLAS does that its arguments make no product.
cublasStatus_t multiply(const BlasProduct& product);

/// sums[i] = the sum over the product's k of row i of op(a) or column i of op(b), of out's type.
void sum_over_k(const BlasProduct& product, bool of_b, void* sums);

/// What was scratch is nothing that anybody may read.
void spoil(void* scratch, std::size_t bytes);

}  // namespace lectern::test
