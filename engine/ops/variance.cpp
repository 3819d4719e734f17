
#include <algorithm>
#include <string>

#include "autograd/record.h"
#include "base/tensor_error.h"
#include "device/counters.h"
#include "ops/compute_dtype.h"
#include "ops/elementwise.h"
#include "ops/reduction.h"
#include "ops/reductions.h"

namespace lectern {
namespace {

/// Before rounding to x's dtype. On the CPU, as in PyTorch, float64 where squares of float32 overflow: their
/// root may not.
Tensor variance(std::string_view operation, const Tensor& x, const Sizes& dims, std::int64_t correction,
                bool keepdim) {
  check_floating(operation, x.dtype());
  const ReducedDims reduced(operation, x, dims);
  const std::int64_t divisor = std::max<std::int64_t>(0, reduced.elements(x.sizes()) - correction);
  const auto in_dtype = [&](Dtype computed) {
    return reduce(operation, kernels::Reduction::squared_deviations, x, reduced, keepdim, computed, computed)
        .div_(divisor);
  };
  const Dtype computed = compute_dtype(x.dtype());
  const Tensor result = in_dtype(computed);
  const bool may_overflow = computed == float32 && !x.is_cuda() && divisor > 0;
  return may_overflow && uncounted([&] { return any(isinf(result)).item<bool>(); })
             ? uncounted([&] { return in_dtype(float64); })
             : result;
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
