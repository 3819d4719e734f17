#include "ops/truth.h"

#include "ops/reduction.h"

namespace lectern {
namespace {

Tensor truth(std::string_view operation, kernels::Reduction reduction, const Tensor& x, const Sizes& dims,
             bool keepdim) {
  const Dtype result = x.dtype() == uint8 ? uint8 : bool_;
  return reduce(operation, reduction, x, ReducedDims(operation, x, dims), keepdim, x.dtype(), result);
}

}  // namespace

Tensor any(const Tensor& x, const Sizes& dims, bool keepdim) {
  return truth("any", kernels::Reduction::any, x, dims, keepdim);
}
Tensor all(const Tensor& x, const Sizes& dims, bool keepdim) {
  return truth("all", kernels::Reduction::all, x, dims, keepdim);
}

Tensor count_nonzero(const Tensor& x, const Sizes& dims) {
  const Dtype common = x.is_floating_point() ? float64 : int64;  // float32 counts only to 2^24
  return reduce("count_nonzero", kernels::Reduction::count_nonzero, x, ReducedDims("count_nonzero", x, dims),
                false, common, int64);
}

Tensor Tensor::any(const Sizes& dims, bool keepdim) const {
  return lectern::any(*this, dims, keepdim);
}
Tensor Tensor::all(const Sizes& dims, bool keepdim) const {
  return lectern::all(*this, dims, keepdim);
}
Tensor Tensor::count_nonzero(const Sizes& dims) const {
  return lectern::count_nonzero(*this, dims);
}

}  // namespace lectern
