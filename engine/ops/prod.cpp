#include "ops/prod.h"

#include "autograd/record.h"
#include "ops/autocast.h"
#include "ops/elementwise.h"
#include "ops/reduction.h"
#include "ops/sum.h"

namespace lectern {
namespace {

using autograd::Gradients;
using autograd::Saved;

/// Where a product has one factor 0, only that one's gradient is not 0.
Tensor gradient(const Tensor& grad, const Tensor& x, const Sizes& dims);

Tensor product(const Tensor& x, const Sizes& dims, bool keepdim, std::optional<Dtype> dtype) {
  const Dtype result = autocast_dtype(x, dtype).value_or(x.is_floating_point() ? x.dtype() : int64);
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
  const ReducedDims reduced("prod", x, dims);
  const Tensor zero = x.eq(0).to(x.dtype());
  const Tensor zeros = sum(zero, dims, true);
  const Tensor others = product(x + zero, dims, true, {}) / (x + zero);
  const Tensor counts = zeros.eq(0).to(x.dtype()) + zeros.eq(1).to(x.dtype()) * zero;
  return reduced.broadcastable(grad, x.sizes()) * others * counts;
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
