#include "ops/triangle.h"

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

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

/// For each row, the columns from first(row) to before last(row).
template <typename First, typename Last>
Tensor listed_positions(std::string_view operation, std::int64_t rows, std::int64_t columns,
                        const TensorOptions& options, const First& first, const Last& last) {
  if (rows < 0 || columns < 0) {
    throw TensorError(operation, "the numbers of rows and columns", "0 or more",
                      std::to_string(rows) + " and " + std::to_string(columns));
  }
  const Dtype dtype = options.dtype.value_or(int64);
  if (dtype != int64 && dtype != int32)
    throw TensorError(operation, "the dtype", "int64 or int32", name(dtype));
  std::vector<std::int64_t> at_row, at_column;
  for (std::int64_t row = 0; row < rows; ++row) {
    for (std::int64_t column = first(row); column < last(row); ++column) {
      at_row.push_back(row);
      at_column.push_back(column);
    }
  }
  const auto count = static_cast<std::int64_t>(at_row.size());
  const Tensor places = empty({2, count}, {.dtype = int64, .device = cpu});
  std::copy(at_row.begin(), at_row.end(), places.data<std::int64_t>());
  std::copy(at_column.begin(), at_column.end(), places.data<std::int64_t>() + count);
  const Tensor result =
      uncounted([&] { return places.to(options.device.value_or(default_device()), dtype); });
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
  const auto before = [&](std::int64_t row) {
    return offset >= columns ? columns : std::clamp<std::int64_t>(row + offset + 1, 0, columns);
  };
  return listed_positions(
      "tril_indices", rows, columns, options, [](std::int64_t) { return std::int64_t{0}; }, before);
}

Tensor triu_indices(std::int64_t rows, std::int64_t columns, std::int64_t offset,
                    const TensorOptions& options) {
  const auto from = [&](std::int64_t row) {
    return offset >= columns ? columns : std::clamp<std::int64_t>(row + offset, 0, columns);
  };
  return listed_positions("triu_indices", rows, columns, options, from,
                          [&](std::int64_t) { return columns; });
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
