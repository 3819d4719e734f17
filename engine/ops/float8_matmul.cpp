#include "ops/float8_matmul.h"

#include <string>

#include "autograd/grad_mode.h"
#include "base/tensor_error.h"
#include "device/counters.h"
#include "kernels/matmul.h"
#include "ops/matmul.h"
#include "tensor/array.h"
#include "tensor/creation.h"

namespace lectern {
namespace {

bool fit(const Tensor& a, const Tensor& b) {
  return a.is_cuda() && b.device() == a.device() && a.dim() >= 2 && b.dim() == 2 && a.numel() > 0 &&
         b.numel() > 0 && a.size(-1) == b.size(0);
}

/// Undefined if the GPU does not support the product.
Tensor tensor_core_product(const Tensor& a, const Tensor& b) {
  const Tensor rows = a.flatten(0, -2);
  const kernels::ProductSizes sizes{rows.size(0), b.size(1), b.size(0)};
  const Tensor out = empty({sizes.rows, sizes.columns}, {.dtype = float32, .device = a.device()});
  if (!kernels::float8_product("float8_matmul", a.device(), sizes, to_array(out), to_array(rows),
                               to_array(b)))
    return {};
  Sizes result = a.sizes();
  result[result.size() - 1] = sizes.columns;
  return out.view(result);
}

}  // namespace

Tensor float8_matmul(const Tensor& a, const Tensor& b) {
  if (!is_float8(a.dtype()) || !is_float8(b.dtype())) {
    throw TensorError("float8_matmul", "the dtypes", "float8_e4m3fn or float8_e5m2",
                      std::string(name(a.dtype())) + " and " + std::string(name(b.dtype())));
  }
  const NoGradGuard no_grad;
  if (fit(a, b)) {
    if (Tensor sums = tensor_core_product(a, b); sums.defined()) {
      count_product(sums, a.size(-1), a, b);
      return sums;
    }
  }
  if (a.dtype() == b.dtype()) return matmul_sums(a, b);
  // Exact for both float8 types.
  const Tensor sums = uncounted([&] { return matmul_sums(a.to(bfloat16), b.to(bfloat16)); });
  count_product(sums, a.size(-1), a, b);
  return sums;
}

}  // namespace lectern
