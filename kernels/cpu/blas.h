#pragma once

#include <cstdint>

namespace lectern::kernels::cpu {

/// A matrix for BLAS: rows with leading dimension `leading` or, transposed, columns.
struct BlasMatrix {
  const void* data;
  std::int64_t leading;
  bool transposed;
};

/// c = a b, or c += a b, through OpenBLAS; c is contiguous. Sizes are 1 to kLargestMatrix.
void blas_product(float* c, const BlasMatrix& a, const BlasMatrix& b, std::int64_t rows, std::int64_t columns,
                  std::int64_t inner, bool add);
void blas_product(double* c, const BlasMatrix& a, const BlasMatrix& b, std::int64_t rows,
                  std::int64_t columns, std::int64_t inner, bool add);

}  // namespace lectern::kernels::cpu
