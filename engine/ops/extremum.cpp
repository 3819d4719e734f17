#include "ops/extremum.h"

#include "autograd/record.h"
#include "base/tensor_error.h"
#include "ops/elementwise.h"
#include "ops/reduction.h"
#include "ops/reductions.h"
#include "ops/selection.h"
#include "ops/sort.h"

namespace lectern {
namespace {

using kernels::Reduction;

/// Without recording.
Tensor extremum(std::string_view operation, Reduction reduction, const Tensor& x, const Sizes& dims,
                bool keepdim, Tensor* positions = nullptr) {
  const ReducedDims reduced(operation, x, dims);
  if (reduced.elements(x.sizes()) == 0) {
    throw TensorError(operation, "a dimension of size 0 has no largest or smallest element; the shape is " +
                                     to_string(x.sizes()));
  }
  return reduce(operation, reduction, x, reduced, keepdim, x.dtype(), x.dtype(), positions);
}

/// Where the result is NaN no element equals it, and as in PyTorch all gradients are NaN.
Tensor dims_backward(const Tensor& grad, const Tensor& x, const Tensor& result, const Sizes& dims) {
  const ReducedDims reduced("extremum", x, dims);
  const Tensor extremal = eq(x, reduced.broadcastable(result, x.sizes()));
  const Tensor whole_grad = reduced.broadcastable(grad, x.sizes());
  const Tensor share = whole_grad / sum(extremal, dims, true).to(whole_grad.dtype());
  return extremal.to(x.dtype()).mul_(share);
}

/// Here the gradient goes to the NaN elements, if there are any.
Tensor all_backward(const Tensor& grad, const Tensor& x, const Tensor& result) {
  const Tensor extremal = eq(x, result).logical_or_(isnan(x));
  return where(extremal, grad / sum(extremal).to(grad.dtype()), 0);
}

Tensor reduce_all(std::string_view operation, Reduction reduction, const Tensor& x) {
  return autograd::recorded(
      operation, {&x}, [&] { return extremum(operation, reduction, x, {}, false); },
      [&](const Tensor& out) { return autograd::formula(all_backward, Saved(x), Saved(out)); });
}

Tensor reduce_dims(std::string_view operation, Reduction reduction, const Tensor& x, const Sizes& dims,
                   bool keepdim) {
  return autograd::recorded(
      operation, {&x}, [&] { return extremum(operation, reduction, x, dims, keepdim); },
      [&](const Tensor& out) { return autograd::formula(dims_backward, Saved(x), Saved(out), dims); });
}

ValuesAndIndices reduce_with_indices(std::string_view operation, Reduction reduction, const Tensor& x,
                                     std::int64_t dim, bool keepdim) {
  ValuesAndIndices result;
  result.values = autograd::recorded(
      operation, {&x}, [&] { return extremum(operation, reduction, x, {dim}, keepdim, &result.indices); },
      [&] {
        return autograd::formula(
            [dim, squeezed = !keepdim && x.dim() > 0](const Tensor& grad, const Tensor& indices,
                                                      const Sizes& sizes) {
              return squeezed ? sort_backward(grad.unsqueeze(dim), sizes, dim, indices.unsqueeze(dim))
                              : sort_backward(grad, sizes, dim, indices);
            },
            Saved(result.indices), x.sizes());
      });
  return result;
}

Tensor position(std::string_view operation, Reduction reduction, const Tensor& x,
                std::optional<std::int64_t> dim, bool keepdim) {
  if (dim) return reduce_with_indices(operation, reduction, x, *dim, keepdim).indices;
  const Tensor index = reduce_with_indices(operation, reduction, x.reshape({-1}), 0, false).indices;
  return keepdim ? index.view(Sizes::filled(x.sizes().size(), 1)) : index;
}

}  // namespace

Tensor max(const Tensor& x) {
  return reduce_all("max", Reduction::max, x);
}
Tensor min(const Tensor& x) {
  return reduce_all("min", Reduction::min, x);
}

Tensor amax(const Tensor& x, const Sizes& dims, bool keepdim) {
  return reduce_dims("amax", Reduction::max, x, dims, keepdim);
}
Tensor amin(const Tensor& x, const Sizes& dims, bool keepdim) {
  return reduce_dims("amin", Reduction::min, x, dims, keepdim);
}

ValuesAndIndices max(const Tensor& x, std::int64_t dim, bool keepdim) {
  return reduce_with_indices("max", Reduction::max_position, x, dim, keepdim);
}
ValuesAndIndices min(const Tensor& x, std::int64_t dim, bool keepdim) {
  return reduce_with_indices("min", Reduction::min_position, x, dim, keepdim);
}

Tensor argmax(const Tensor& x, std::optional<std::int64_t> dim, bool keepdim) {
  return position("argmax", Reduction::max_position, x, dim, keepdim);
}
Tensor argmin(const Tensor& x, std::optional<std::int64_t> dim, bool keepdim) {
  return position("argmin", Reduction::min_position, x, dim, keepdim);
}

}  // namespace lectern
