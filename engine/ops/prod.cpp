
#include <limits>

#include "autograd/record.h"
#include "ops/autocast.h"
#include "ops/elementwise.h"
#include "ops/reduction.h"
#include "ops/reductions.h"
#include "ops/selection.h"
#include "tensor/creation.h"

namespace lectern {
namespace {

Tensor prod_backward(const Tensor& grad, const Tensor& x, const Sizes& dims);

Tensor product(const Tensor& x, const Sizes& dims, bool keepdim, std::optional<Dtype> dtype) {
  const Dtype result =
      autocast_dtype(kernels::Reduction::prod, x, dtype).value_or(x.is_floating_point() ? x.dtype() : int64);
  const Tensor factors =
      result == bool_ ? x.to(bool_) : x;  // 0.5 is true, not the 0 that it is as an integer
  const ReducedDims reduced("prod", x, dims);
  return autograd::recorded(
      "prod", {&x},
      [&] { return reduce("prod", kernels::Reduction::prod, factors, reduced, keepdim, result, result); },
      [&] { return autograd::formula(prod_backward, Saved(x), dims); });
}

/// grad times the product of all other elements, correct for zeros too, and NaN if there are also infinities
/// or NaN.
Tensor prod_backward(const Tensor& grad, const Tensor& x, const Sizes& dims) {
  if (x.dim() == 0) return grad.to(x.dtype());
  const ReducedDims reduced("prod", x, dims);
  const Tensor zero = x.eq(0);
  const auto among_others = [&](const Tensor& which) { return sum(which, dims, true).ne(which); };
  const Tensor factors = x.masked_fill(zero, 1);
  const Tensor times_zero = zeros_like(x).masked_fill(among_others(isfinite(x).logical_not_()),
                                                      std::numeric_limits<double>::quiet_NaN());
  const Tensor others = where(among_others(zero), times_zero, product(factors, dims, true, {}) / factors);
  const Tensor result = reduced.broadcastable(grad.to(x.dtype()), x.sizes()) * others;
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

}  // namespace lectern
