#include "ops/variance.h"

#include <algorithm>
#include <string>

#include "autograd/record.h"
#include "base/tensor_error.h"
#include "ops/compute_dtype.h"
#include "ops/elementwise.h"
#include "ops/reduction.h"
#include "ops/sum.h"

namespace lectern {
namespace {

using autograd::Gradients;
using autograd::Saved;

/// Before rounding to x's dtype.
Tensor variance(std::string_view operation, const Tensor& x, const Sizes& dims, std::int64_t correction,
                bool keepdim) {
  if (!x.is_floating_point()) {
    throw TensorError(operation, "the dtype", "floating",
                      std::string(name(x.dtype())) + "; convert with to()");
  }
  const ReducedDims reduced(operation, x, dims);
  const Dtype computed = compute_dtype(x.dtype());
  const std::int64_t divisor = std::max<std::int64_t>(0, reduced.elements(x.sizes()) - correction);
  return reduce(operation, kernels::Reduction::squared_deviations, x, reduced, keepdim, computed, computed)
      .div_(divisor);
}

}  // namespace

Tensor var(const Tensor& x, const Sizes& dims, std::int64_t correction, bool keepdim) {
  return autograd::recorded(
      "var", {&x}, [&] { return variance("var", x, dims, correction, keepdim).to(x.dtype()); },
      [&] {
        return [x = Saved(x), dims, correction](const Tensor& grad, Gradients& gradients) {
          gradients.add(0, var_backward(grad, x.get(), dims, correction));
        };
      });
}
Tensor std(const Tensor& x, const Sizes& dims, std::int64_t correction, bool keepdim) {
  Tensor out;
  return autograd::recorded(
      "std", {&x}, [&] { return out = variance("std", x, dims, correction, keepdim).sqrt_().to(x.dtype()); },
      [&] {
        return [x = Saved(x), out = Saved(out), dims, correction](const Tensor& grad, Gradients& gradients) {
          gradients.add(0, std_backward(grad, x.get(), out.get(), dims, correction));
        };
      });
}

Tensor var_backward(const Tensor& grad, const Tensor& x, const Sizes& dims, std::int64_t correction) {
  const ReducedDims reduced("var", x, dims);
  const auto divisor = static_cast<double>(reduced.elements(x.sizes()) - correction);
  const Tensor scale = reduced.broadcastable(grad, x.sizes()) * (2 / divisor);
  if (divisor == 0 && (dims.empty() || x.dim() == 0)) return scale.expand(x.sizes());
  return (x - mean(x, dims, true)).mul_(scale);
}
Tensor std_backward(const Tensor& grad, const Tensor& x, const Tensor& result, const Sizes& dims,
                    std::int64_t correction) {
  const Tensor variance_grad = (grad.reshape(result.sizes()) / (result * 2)).masked_fill_(result.eq(0), 0);
  return var_backward(variance_grad, x, dims, correction);
}

Tensor Tensor::var(const Sizes& dims, std::int64_t correction, bool keepdim) const {
  return lectern::var(*this, dims, correction, keepdim);
}
Tensor Tensor::std(const Sizes& dims, std::int64_t correction, bool keepdim) const {
  return lectern::std(*this, dims, correction, keepdim);
}

}  // namespace lectern
