#include "ops/triangle.h"

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

}  // namespace

Tensor triu(const Tensor& x, std::int64_t diagonal) {
  return triangle("triu", kernels::Triangle::upper, x, diagonal);
}

Tensor tril(const Tensor& x, std::int64_t diagonal) {
  return triangle("tril", kernels::Triangle::lower, x, diagonal);
}

}  // namespace lectern
