#pragma once

#include <cstdint>
#include <optional>

namespace lectern::kernels {

/// The largest number of rows, columns or inner elements of floating matrices, and the largest leading
/// dimension: BLAS's integers.
inline constexpr std::int64_t kLargestMatrix = 2147483647;

/// A matrix for BLAS: rows with leading dimension `leading` or, transposed, columns.
struct MatrixLayout {
  std::int64_t leading;
  bool transposed;
};

/// Empty if BLAS cannot read a matrix of these strides (in elements).
inline std::optional<MatrixLayout> matrix_layout(std::int64_t rows, std::int64_t columns,
                                                 std::int64_t row_stride, std::int64_t column_stride) {
  if (rows == 1 && column_stride == 1) return MatrixLayout{columns, false};
  if (columns == 1 && row_stride == 1) return MatrixLayout{rows, true};
  const bool row_major = (columns == 1 || column_stride == 1) && row_stride >= columns;
  const bool transposed = (rows == 1 || row_stride == 1) && column_stride >= rows;
  const std::int64_t leading = row_major ? row_stride : column_stride;
  if ((!row_major && !transposed) || leading > kLargestMatrix) return {};
  return MatrixLayout{leading, !row_major};
}

}  // namespace lectern::kernels
