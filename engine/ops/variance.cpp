
#include <algorithm>
#include <string>

#include "autograd/record.h"
#include "base/tensor_error.h"
#include "ops/compute_dtype.h"
#include "ops/elementwise.h"
#include "ops/reduction.h"
#include "ops/reductions.h"

namespace lectern {
namespace {

/// Before rounding to x's dtype.
Tensor variance(std::string_view operation, const Tensor& x, const Sizes& dims, std::int64_t correction,
                bool keepdim) {
  check_floating(operation, x.dtype());
  const ReducedDims reduced(operation, x, dims);
  const Dtype computed = compute_dtype(x.dtype());
  const std::int64_t divisor = std::max<std::int64_t>(0, reduced.elements(x.sizes()) - correction);
  return reduce(operation, kernels::Reduction::squared_deviations, x, reduced, keepdim, computed, computed)
      .div_(divisor);
}

/// grad 2 (x - mean) / (elements - correction), as in PyTorch also where the correction is larger; infinite
/// where they are equal and `dims` names none.
Tensor var_backward(const Tensor& grad, const Tensor& x, const Sizes& dims, std::int64_t correction) {
  const ReducedDims reduced("var", x, dims);
  const auto divisor = static_cast<double>(reduced.elements(x.sizes()) - correction);
  const Tensor scale = reduced.broadcastable(grad, x.sizes()) * (2 / divisor);
  if (divisor == 0 && (dims.empty() || x.dim() == 0)) return scale.expand(x.sizes());
  return (x - mean(x, dims, true)).mul_(scale);
}
/// 0 where the result is.
Tensor std_backward(const Tensor& grad, const Tensor& x, const Tensor& result, const Sizes& dims,
                    std::int64_t correction) {
  const Tensor variance_grad = (grad.reshape(result.sizes()) / (result * 2)).masked_fill_(result.eq(0), 0);
  return var_backward(variance_grad, x, dims, correction);
}

}  // namespace

Tensor var(const Tensor& x, const Sizes& dims, std::int64_t correction, bool keepdim) {
  return autograd::recorded(
      "var", {&x}, [&] { return variance("var", x, dims, correction, keepdim).to(x.dtype()); },
      [&] { return autograd::formula(var_backward, Saved(x), dims, correction); });
}
Tensor std(const Tensor& x, const Sizes& dims, std::int64_t correction, bool keepdim) {
  return autograd::recorded(
      "std", {&x}, [&] { return variance("std", x, dims, correction, keepdim).sqrt_().to(x.dtype()); },
      [&](const Tensor& out) {
        return autograd::formula(std_backward, Saved(x), Saved(out), dims, correction);
      });
}

}  // namespace lectern
