#include "ops/sum.h"

#include "base/tensor_error.h"
#include "ops/reduction.h"

namespace lectern {

Tensor sum(const Tensor& x, const Sizes& dims, bool keepdim, std::optional<Dtype> dtype) {
  const Dtype result = dtype.value_or(x.is_floating_point() ? x.dtype() : int64);
  const Tensor terms = result == bool_ ? x.to(bool_) : x;  // 0.5 is true, not the 0 that it is as an integer
  return reduce("sum", kernels::Reduction::sum, terms, ReducedDims("sum", x, dims), keepdim, result, result);
}

Tensor sum(const Tensor& x, std::optional<Dtype> dtype) {
  return sum(x, {}, false, dtype);
}

Tensor mean(const Tensor& x, const Sizes& dims, bool keepdim, std::optional<Dtype> dtype) {
  const Dtype result = dtype.value_or(x.dtype());
  if (!is_floating_point(result)) {
    throw TensorError("mean", "dtype", "floating",
                      std::string(name(result)) + "; convert with to(), or name a dtype");
  }
  return reduce("mean", kernels::Reduction::mean, x, ReducedDims("mean", x, dims), keepdim, result, result);
}

Tensor mean(const Tensor& x, std::optional<Dtype> dtype) {
  return mean(x, {}, false, dtype);
}

Tensor Tensor::sum(std::optional<Dtype> dtype) const {
  return lectern::sum(*this, dtype);
}
Tensor Tensor::sum(const Sizes& dims, bool keepdim, std::optional<Dtype> dtype) const {
  return lectern::sum(*this, dims, keepdim, dtype);
}
Tensor Tensor::mean(std::optional<Dtype> dtype) const {
  return lectern::mean(*this, dtype);
}
Tensor Tensor::mean(const Sizes& dims, bool keepdim, std::optional<Dtype> dtype) const {
  return lectern::mean(*this, dims, keepdim, dtype);
}

}  // namespace lectern
