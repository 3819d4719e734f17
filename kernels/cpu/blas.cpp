#include "kernels/cpu/blas.h"

#include <algorithm>
#include <array>

#include <cblas.h>

namespace lectern::kernels::cpu {
namespace {

CBLAS_TRANSPOSE flag(bool transposed) {
  return transposed ? CblasTrans : CblasNoTrans;
}

/// gemm, gemv and dot of one type.
struct Single {
  static constexpr auto gemm = cblas_sgemm;
  static constexpr auto gemv = cblas_sgemv;
  static constexpr auto dot = cblas_sdot;
};
struct Double {
  static constexpr auto gemm = cblas_dgemm;
  static constexpr auto gemv = cblas_dgemv;
  static constexpr auto dot = cblas_ddot;
};

template <typename Blas, typename T>
void product(T* c, const BlasMatrix& a, const BlasMatrix& b, std::int64_t rows, std::int64_t columns,
             std::int64_t inner, bool add) {
  const auto* x = static_cast<const T*>(a.data);
  const auto* y = static_cast<const T*>(b.data);
  const auto [m, n, k] =
      std::array{static_cast<int>(rows), static_cast<int>(columns), static_cast<int>(inner)};
  const auto [lda, ldb] = std::array{static_cast<int>(a.leading), static_cast<int>(b.leading)};
  // The elements of a single row or column are a step apart.
  const int a_step = a.transposed ? lda : 1;
  const int b_step = b.transposed ? 1 : ldb;
  const bool vectors = m == 1 || n == 1;
  if (vectors && !add) std::fill_n(c, rows * columns, T(0));  // not every BLAS writes over NaN
  if (m == 1 && n == 1) {
    *c += Blas::dot(k, x, a_step, y, b_step);
  } else if (n == 1) {
    Blas::gemv(CblasRowMajor, flag(a.transposed), a.transposed ? k : m, a.transposed ? m : k, 1, x, lda, y,
               b_step, 1, c, 1);
  } else if (m == 1) {
    Blas::gemv(CblasRowMajor, flag(!b.transposed), b.transposed ? n : k, b.transposed ? k : n, 1, y, ldb, x,
               a_step, 1, c, 1);
  } else {
    Blas::gemm(CblasRowMajor, flag(a.transposed), flag(b.transposed), m, n, k, 1, x, lda, y, ldb,
               add ? T(1) : T(0), c, n);
  }
}

}  // namespace

void blas_product(float* c, const BlasMatrix& a, const BlasMatrix& b, std::int64_t rows, std::int64_t columns,
                  std::int64_t inner, bool add) {
  product<Single>(c, a, b, rows, columns, inner, add);
}

void blas_product(double* c, const BlasMatrix& a, const BlasMatrix& b, std::int64_t rows,
                  std::int64_t columns, std::int64_t inner, bool add) {
  product<Double>(c, a, b, rows, columns, inner, add);
}

}  // namespace lectern::kernels::cpu
