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
  /// Null, or the sums over k of each row of op(a) or, `sums_b`, of each column of op(b), of out's type.
  void* inner_sums = nullptr;
  bool sums_b = false;
};

/// Gives the product to the current stream: it spoils the workspace, since that is nothing that anybody may
/// read, and is computed element by element. Or says as cuBLAS does that its arguments make no product.
cublasStatus_t give_product(void* workspace, std::size_t bytes, const BlasProduct& product);

}  // namespace lectern::test
