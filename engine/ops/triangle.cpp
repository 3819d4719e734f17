#include "ops/triangle.h"

#include <algorithm>
#include <cstdlib>
#include <string>

#include "autograd/record.h"
#include "base/tensor_error.h"
#include "device/counters.h"
#include "kernels/triangle.h"
#include "tensor/copy.h"
#include "tensor/creation.h"
#include "tensor/layout.h"

namespace lectern {
namespace {

Tensor triangle(std::string_view operation, kernels::Triangle part, const Tensor& x, std::int64_t diagonal) {
  if (x.dim() < 2)
    throw TensorError(operation, "the tensor", "of two dimensions or more",
                      "of shape " + to_string(x.sizes()));
  const Tensor in = uncounted([&] {
    return x.is_contiguous() ? x : copied(operation, x, x.dtype(), x.device(), contiguous_strides(x.sizes()));
  });
  const Tensor out = in.is_same(x) ? empty(x.sizes(), {.dtype = x.dtype(), .device = x.device()}) : in;
  if (out.numel() > 0) {
    const std::int64_t rows = x.size(-2);
    const std::int64_t columns = x.size(-1);
    const std::int64_t matrices = x.numel() / (rows * columns);
    kernels::keep_triangle(operation, x.device(), part, diagonal, matrices, rows, columns, x.element_size(),
                           out.data_ptr(), in.data_ptr());
  }
  count(0, bytes_in_memory(x) + out.nbytes());
  if (autograd::records(x)) {
    autograd::record(operation, out, {&x}, autograd::formula([=](const Tensor& grad) {
                       return triangle(operation, part, grad, diagonal);
                     }));
  }
  return out;
}

/// In each row of a matrix the columns before clamp(row + shift, 0, columns).
class Staircase {
 public:
  /// Shifts beyond the matrix are as good as one at its edge.
  Staircase(std::int64_t rows, std::int64_t columns, std::int64_t shift)
      : rows_(rows), columns_(columns), shift_(std::clamp(shift, -rows, columns)) {}

  /// The rest of the rows, turned around.
  Staircase rest() const { return {rows_, columns_, columns_ - shift_ - rows_ + 1}; }

  std::int64_t columns_of(std::int64_t row) const {
    return std::clamp<std::int64_t>(row + shift_, 0, columns_);
  }
  /// Rows before this one are empty, from the other one on they are full.
  std::int64_t first_begun() const { return std::clamp<std::int64_t>(-shift_, 0, rows_); }
  std::int64_t first_full() const { return std::clamp<std::int64_t>(columns_ - shift_, 0, rows_); }

  /// Of all rows.
  long double elements() const {
    const auto begun = static_cast<long double>(first_begun()), full = static_cast<long double>(first_full()),
               shift = static_cast<long double>(shift_);
    const long double rising = full > begun ? (full - begun) * (begun + full - 1 + 2 * shift) / 2 : 0;
    return rising + (static_cast<long double>(rows_) - full) * static_cast<long double>(columns_);
  }

 private:
  std::int64_t rows_, columns_, shift_;
};

void check_indices(std::string_view operation, std::int64_t rows, std::int64_t columns, Dtype dtype) {
  constexpr std::int64_t kMost = std::int64_t{1} << 60;
  if (rows < 0 || columns < 0 || rows > kMost || columns > kMost) {
    throw TensorError(operation, "the numbers of rows and columns", "from 0 to 2^60",
                      std::to_string(rows) + " and " + std::to_string(columns));
  }
  if (dtype != int64 && dtype != int32)
    throw TensorError(operation, "the dtype", "int64 or int32", name(dtype));
}

/// Lists `count` positions: those of the columns from first(row) to before last(row).
template <typename First, typename Last>
Tensor listed_positions(std::string_view operation, std::int64_t first_row, std::int64_t last_row,
                        long double count, const TensorOptions& options, const First& first,
                        const Last& last) {
  if (count > 0x1p59L)
    throw TensorError(operation, "the number of positions", "below 2^59", std::to_string(count));
  const auto elements = static_cast<std::int64_t>(count);
  const Tensor places = empty({2, elements}, {.dtype = int64, .device = cpu});
  auto* at_row = places.data<std::int64_t>();
  auto* at_column = at_row + elements;
  for (std::int64_t row = first_row; elements > 0 && row < last_row; ++row) {
    for (std::int64_t column = first(row); column < last(row); ++column) {
      *at_row++ = row;
      *at_column++ = column;
    }
  }
  const Tensor result = uncounted(
      [&] { return places.to(options.device.value_or(default_device()), options.dtype.value_or(int64)); });
  lectern::count(0, result.nbytes());
  return result;
}

}  // namespace

Tensor triu(const Tensor& x, std::int64_t diagonal) {
  return triangle("triu", kernels::Triangle::upper, x, diagonal);
}

Tensor tril(const Tensor& x, std::int64_t diagonal) {
  return triangle("tril", kernels::Triangle::lower, x, diagonal);
}

Tensor tril_indices(std::int64_t rows, std::int64_t columns, std::int64_t offset,
                    const TensorOptions& options) {
  check_indices("tril_indices", rows, columns, options.dtype.value_or(int64));
  const Staircase below(rows, columns, offset >= columns ? columns : offset + 1);
  return listed_positions(
      "tril_indices", below.first_begun(), rows, below.elements(), options,
      [](std::int64_t) { return std::int64_t{0}; }, [&](std::int64_t row) { return below.columns_of(row); });
}

Tensor triu_indices(std::int64_t rows, std::int64_t columns, std::int64_t offset,
                    const TensorOptions& options) {
  check_indices("triu_indices", rows, columns, options.dtype.value_or(int64));
  const Staircase before(rows, columns, offset);
  return listed_positions(
      "triu_indices", 0, before.first_full(), before.rest().elements(), options,
      [&](std::int64_t row) { return before.columns_of(row); }, [&](std::int64_t) { return columns; });
}

Tensor diag(const Tensor& x, std::int64_t diagonal) {
  if (x.dim() == 2) return x.diagonal(diagonal).clone();
  if (x.dim() != 1)
    throw TensorError("diag", "the tensor", "a vector or a matrix", "of shape " + to_string(x.sizes()));
  const std::int64_t size = x.numel() + std::abs(diagonal);
  const Tensor result = zeros({size, size}, {.dtype = x.dtype(), .device = x.device()});
  result.diagonal(diagonal).copy_(x);
  return result;
}

}  // namespace lectern
