#include "ops/variance.h"

#include <algorithm>
#include <string>

#include "autograd/record.h"
#include "base/tensor_error.h"
#include "ops/compute_numbers.h"
#include "ops/elementwise.h"
#include "ops/reduction.h"
#include "ops/sum.h"

namespace lectern {
namespace {

using autograd::Gradients;
using autograd::Saved;

double divisor(const ReducedDims& dims, const Tensor& x, std::int64_t correction) {
  return static_cast<double>(std::max<std::int64_t>(0, dims.elements(x.sizes()) - correction));
}

/// Not yet rounded to x's dtype.
Tensor variance(std::string_view operation, const Tensor& x, const Sizes& dims, std::int64_t correction,
                bool keepdim) {
  if (!x.is_floating_point()) {
    throw TensorError(operation, "the dtype", "floating",
                      std::string(name(x.dtype())) + "; convert with to()");
  }
  const ReducedDims reduced(operation, x, dims);
  const Dtype computed = compute_dtype(x.dtype());
  return reduce(operation, kernels::Reduction::squared_deviations, x, reduced, keepdim, computed, computed)
      .div_(divisor(reduced, x, correction));
}

/// factor * grad * (x - mean) / (elements - correction)
Tensor deviations(const Tensor& grad, const Tensor& x, const Sizes& dims, std::int64_t correction,
                  double factor) {
  const ReducedDims reduced("var", x, dims);
  const Tensor scale = reduced.broadcastable(grad, x.sizes()) * (factor / divisor(reduced, x, correction));
  return (x - mean(x, dims, true)).mul_(scale);
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
  return deviations(grad, x, dims, correction, 2);
}
Tensor std_backward(const Tensor& grad, const Tensor& x, const Tensor& result, const Sizes& dims,
                    std::int64_t correction) {
  const Tensor zero = result.eq(0).to(result.dtype());  // where all elements are equal the gradient is 0
  return deviations(grad.reshape(result.sizes()) / (result + zero), x, dims, correction, 1);
}

Tensor Tensor::var(const Sizes& dims, std::int64_t correction, bool keepdim) const {
  return lectern::var(*this, dims, correction, keepdim);
}
Tensor Tensor::std(const Sizes& dims, std::int64_t correction, bool keepdim) const {
  return lectern::std(*this, dims, correction, keepdim);
}

}  // namespace lectern
