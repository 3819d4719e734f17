#include "ops/prod.h"

#include <limits>

#include "autograd/record.h"
#include "ops/autocast.h"
#include "ops/elementwise.h"
#include "ops/reduction.h"
#include "ops/selection.h"
#include "ops/sum.h"
#include "tensor/creation.h"

namespace lectern {
namespace {

using autograd::Gradients;
using autograd::Saved;

Tensor gradient(const Tensor& grad, const Tensor& x, const Sizes& dims);

Tensor product(const Tensor& x, const Sizes& dims, bool keepdim, std::optional<Dtype> dtype) {
  const Dtype result =
      autocast_dtype(kernels::Reduction::prod, x, dtype).value_or(x.is_floating_point() ? x.dtype() : int64);
  const Tensor factors =
      result == bool_ ? x.to(bool_) : x;  // 0.5 is true, not the 0 that it is as an integer
  const Tensor out = reduce("prod", kernels::Reduction::prod, factors, ReducedDims("prod", x, dims), keepdim,
                            result, result);
  if (autograd::records(x)) {
    autograd::record("prod", out, {&x}, [x = Saved(x), dims](const Tensor& grad, Gradients& gradients) {
      gradients.add(0, gradient(grad.to(x.get().dtype()), x.get(), dims));
    });
  }
  return out;
}

Tensor gradient(const Tensor& grad, const Tensor& x, const Sizes& dims) {
  if (x.dim() == 0) return grad;
  const ReducedDims reduced("prod", x, dims);
  const Tensor zero = x.eq(0);
  const auto among_others = [&](const Tensor& which) { return sum(which, dims, true).ne(which); };
  const Tensor factors = x.masked_fill(zero, 1);
  const Tensor times_zero = zeros_like(x).masked_fill(among_others(isfinite(x).logical_not_()),
                                                      std::numeric_limits<double>::quiet_NaN());
  const Tensor others = where(among_others(zero), times_zero, product(factors, dims, true, {}) / factors);
  const Tensor result = reduced.broadcastable(grad, x.sizes()) * others;
  // As in PyTorch, over all elements: two zeros make every other product 0, whatever else is there.
  return dims.empty() ? result.masked_fill(sum(zero).gt(1), 0) : result;
}

}  // namespace

Tensor prod(const Tensor& x, std::optional<Dtype> dtype) {
  return product(x, {}, false, dtype);
}
Tensor prod(const Tensor& x, std::int64_t dim, bool keepdim, std::optional<Dtype> dtype) {
  return product(x, {dim}, keepdim, dtype);
}

Tensor prod_backward(const Tensor& grad, const Tensor& x) {
  return gradient(grad, x, {});
}
Tensor prod_backward(const Tensor& grad, const Tensor& x, std::int64_t dim) {
  return gradient(grad, x, {dim});
}

Tensor Tensor::prod(std::optional<Dtype> dtype) const {
  return lectern::prod(*this, dtype);
}
Tensor Tensor::prod(std::int64_t dim, bool keepdim, std::optional<Dtype> dtype) const {
  return lectern::prod(*this, dim, keepdim, dtype);
}

}  // namespace lectern
