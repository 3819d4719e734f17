#include "ops/extremum.h"

#include "base/tensor_error.h"
#include "ops/reduction.h"

namespace lectern {
namespace {

using kernels::Reduction;

Tensor extremum(std::string_view operation, Reduction reduction, const Tensor& x, const Sizes& dims,
                bool keepdim, Tensor* positions = nullptr) {
  const ReducedDims reduced(operation, x, dims);
  if (reduced.elements(x.sizes()) == 0) {
    throw TensorError(operation, "a dimension of size 0 has no largest or smallest element; the shape is " +
                                     to_string(x.sizes()));
  }
  return reduce(operation, reduction, x, reduced, keepdim, x.dtype(), x.dtype(), positions);
}

ValuesAndIndices with_indices(std::string_view operation, Reduction reduction, const Tensor& x,
                              std::int64_t dim, bool keepdim) {
  ValuesAndIndices result;
  result.values = extremum(operation, reduction, x, {dim}, keepdim, &result.indices);
  return result;
}

}  // namespace

Tensor max(const Tensor& x) {
  return extremum("max", Reduction::max, x, {}, false);
}
Tensor min(const Tensor& x) {
  return extremum("min", Reduction::min, x, {}, false);
}

Tensor amax(const Tensor& x, const Sizes& dims, bool keepdim) {
  return extremum("amax", Reduction::max, x, dims, keepdim);
}
Tensor amin(const Tensor& x, const Sizes& dims, bool keepdim) {
  return extremum("amin", Reduction::min, x, dims, keepdim);
}

ValuesAndIndices max(const Tensor& x, std::int64_t dim, bool keepdim) {
  return with_indices("max", Reduction::max_position, x, dim, keepdim);
}
ValuesAndIndices min(const Tensor& x, std::int64_t dim, bool keepdim) {
  return with_indices("min", Reduction::min_position, x, dim, keepdim);
}

Tensor Tensor::max() const {
  return lectern::max(*this);
}
Tensor Tensor::min() const {
  return lectern::min(*this);
}

}  // namespace lectern
