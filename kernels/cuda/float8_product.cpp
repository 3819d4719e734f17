#include <array>
#include <cstdint>
#include <optional>

#include "kernels/cuda/gemm_lt.h"
#include "kernels/cuda/scratch.h"
#include "kernels/elementwise.h"
#include "kernels/matmul.h"

namespace lectern::kernels::cuda {
namespace {

/// Rows, addresses and sizes are multiples of so many bytes.
constexpr std::int64_t kUnit = 16;

/// Ada, the first whose tensor cores multiply float8.
constexpr int kAda = 89;

/// A matrix with contiguous rows: itself, or a copy.
class Rows {
 public:
  Rows(std::int64_t rows, std::int64_t columns, const Array& from) : data_(from.data), dtype_(from.dtype) {
    leading_ = rows == 1 ? columns : from.strides[0];
    const bool aligned = reinterpret_cast<std::uintptr_t>(data_) % kUnit == 0 && leading_ % kUnit == 0;
    if (from.strides[1] == 1 && leading_ >= columns && aligned) return;
    data_ = copy_.emplace(static_cast<std::size_t>(rows * columns)).data();
    leading_ = columns;
    const std::array sizes{rows, columns}, strides{columns, std::int64_t{1}};
    copy(sizes, {copy_->data(), dtype_, strides.data()}, from);
  }

  /// As an operand: the matrix, or its transpose.
  GemmOperand operand(bool transposed) const { return {data_, dtype_, {leading_, transposed}, 0}; }

 private:
  std::optional<Scratch> copy_;
  const void* data_;
  Dtype dtype_;
  std::int64_t leading_;
};

}  // namespace

bool float8_product(const ProductSizes& sizes, const Array& out, const Array& a, const Array& b) {
  const auto& [rows, columns, inner] = sizes;
  const bool has_digits = a.dtype == float8_e4m3fn || b.dtype == float8_e4m3fn;
  if (inner % kUnit != 0 || columns % kUnit != 0 || !has_digits || compute_capability() < kAda) return false;
  // Both operands contiguous along the inner dimension: the right one transposed.
  const std::array b_strides{b.strides[1], b.strides[0]};
  const Rows left(rows, inner, a), right(columns, inner, {b.data, b.dtype, b_strides.data()});
  return gemm_lt({.rows = rows,
                  .columns = columns,
                  .inner = inner,
                  .batch = 1,
                  .a = left.operand(false),
                  .b = right.operand(true),
                  .out_dtype = float32,
                  .out_stride = 0,
                  .out = out.data});
}

}  // namespace lectern::kernels::cuda
