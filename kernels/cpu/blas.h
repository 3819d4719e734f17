#pragma once

#include <cstdint>

namespace lectern::kernels {

/// A matrix as BLAS takes it: rows of `leading` elements from one to the next, or, transposed, columns.
struct BlasMatrix {
  const void* data;
  std::int64_t leading;
  bool transposed;
};

/// c = a b, or c += a b, through OpenBLAS; c is contiguous. No size is 0; none is above kLargestMatrix.
void blas_product(float* c, const BlasMatrix& a, const BlasMatrix& b, std::int64_t rows, std::int64_t columns,
                  std::int64_t inner, bool add);
void blas_product(double* c, const BlasMatrix& a, const BlasMatrix& b, std::int64_t rows,
                  std::int64_t columns, std::int64_t inner, bool add);

}  // namespace lectern::kernels
