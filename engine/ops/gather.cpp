#include "ops/gather.h"

#include <string>

#include "autograd/gradient_sums.h"
#include "autograd/record.h"
#include "base/noun.h"
#include "base/tensor_error.h"
#include "ops/autocast.h"
#include "ops/devices.h"
#include "ops/dims.h"
#include "ops/elementwise.h"
#include "ops/index_access.h"
#include "ops/scattered_values.h"
#include "ops/selection.h"
#include "tensor/creation.h"
#include "tensor/layout.h"
#include "tensor/overlap.h"
#include "tensor/scalar_element.h"

namespace lectern {
namespace {

Tensor checked_index(std::string_view operation, const Tensor& x, const Tensor& index) {
  check_same_device(operation, x, index);
  if (index.dtype() != int64) {
    throw TensorError(operation, "the dtype of the index", "int64", name(index.dtype()));
  }
  const Tensor positions = at_least_one_dim(index);
  if (positions.dim() != x.dim()) {
    throw TensorError(operation, "index", "of " + with_noun(x.dim(), "dimension") + ", as the tensor",
                      "of shape " + to_string(index.sizes()));
  }
  return positions;
}

/// Checks that no dimension of the index but `dim` exceeds that of `other`.
void check_fits(std::string_view operation, const Tensor& index, std::string_view what, const Sizes& other,
                std::optional<std::size_t> dim) {
  for (std::size_t d = 0; d < other.size(); ++d) {
    if (d == dim || index.sizes()[d] <= other[d]) continue;
    throw TensorError(operation, "index",
                      "at most of the size of " + std::string(what) + " in dimension " + std::to_string(d) +
                          ", " + std::to_string(other[d]),
                      "of shape " + to_string(index.sizes()));
  }
}

/// The part of `source` covered by an index of these sizes.
Tensor narrowed(const Tensor& source, const Sizes& sizes) {
  return source.as_strided(sizes, source.strides(), source.storage_offset());
}

/// Gathers by indices already checked.
Tensor gathered(std::string_view operation, const Tensor& x, std::size_t dim, const Tensor& index) {
  Sizes strides = x.strides();
  strides[dim] = 0;
  return take(operation, x.as_strided(index.sizes(), strides, x.storage_offset()), index,
              {x.sizes()[dim], x.strides()[dim]});
}

/// `source` is at least as large as the index, or a scalar.
void scatter_to(std::string_view operation, const Tensor& tensor, std::int64_t dim, const Tensor& index,
                const Tensor& source, bool accumulate) {
  if (const auto found = scattered_values(operation, tensor, dim, index, source)) {
    const Tensor target = tensor.as_strided({}, {}, tensor.storage_offset());
    write(operation, target, found->values, found->offsets, accumulate);
  }
}

/// The source's gradient: gathered from where it was written, 0 where it was not read.
Tensor source_backward(const Tensor& grad, std::int64_t dim, const Tensor& index, const Sizes& sizes) {
  const Tensor read = gather(grad, dim, index);
  if (read.sizes() == sizes) return read;
  return autograd::part_gradient(sizes, read,
                                 [&](const Tensor& whole) { return narrowed(whole, read.sizes()); });
}

const Tensor& scattered(std::string_view operation, const Tensor& x, std::int64_t dim, const Tensor& index,
                        const Tensor& source, bool accumulate) {
  return autograd::changed(
      operation, x, {&x, &source}, [&] { scatter_to(operation, x, dim, index, source, accumulate); },
      [&] {
        return [dim, index = Saved(index), sizes = source.sizes(), accumulate](const Tensor& grad,
                                                                               Gradients& gradients) {
          gradients.add(0, [&] { return accumulate ? grad : scatter(grad, dim, index.get(), 0); });
          gradients.add(1, [&] { return source_backward(grad, dim, index.get(), sizes); });
        };
      });
}

Tensor gather_backward(const Tensor& grad, const Sizes& sizes, std::int64_t dim, const Tensor& index) {
  return zeros(sizes, {.dtype = grad.dtype(), .device = grad.device()}).scatter_add_(dim, index, grad);
}

Tensor take_along_dim_backward(const Tensor& grad, const Sizes& sizes, std::size_t dim,
                               const Tensor& indices) {
  const Tensor positions = where(indices < 0, indices + sizes[dim], indices);
  return gather_backward(grad, sizes, static_cast<std::int64_t>(dim), positions);
}

Tensor expanded_scalar(std::string_view operation, const Tensor& x, const Tensor& index,
                       const Scalar& value) {
  check_in_range(operation, value, x.dtype());
  return full({}, value, {.dtype = x.dtype(), .device = x.device()}).expand(index.sizes());
}

}  // namespace

std::optional<ScatteredValues> scattered_values(std::string_view operation, const Tensor& tensor,
                                                std::int64_t dim, const Tensor& index, const Tensor& source) {
  const Tensor x = at_least_one_dim(tensor);
  const std::size_t at = wrap_dim(operation, dim, x.sizes().size());
  check_same_device(operation, x, source);
  check_same_dtype(operation, "the source", x, source);
  const Tensor positions = checked_index(operation, x, index);
  if (positions.numel() == 0) return {};
  const Tensor values = at_least_one_dim(without_overlap(operation, x, source, Writes::in_any_order));
  if (values.dim() != x.dim()) {
    throw TensorError(operation, "the source", "of " + with_noun(x.dim(), "dimension") + ", as the tensor",
                      "of shape " + to_string(source.sizes()));
  }
  check_fits(operation, positions, "the tensor", x.sizes(), at);
  check_fits(operation, positions, "the source", values.sizes(), {});
  check_writable(operation, x);
  check_inside(operation, positions, 0, x.sizes()[at]);
  Sizes strides = x.strides();
  strides[at] = 0;
  ElementOffsets offsets(operation, positions.sizes(), strides, x.device());
  offsets.add(positions, {x.sizes()[at], x.strides()[at]});
  return ScatteredValues{narrowed(values, positions.sizes()), offsets};
}

Tensor gather(const Tensor& x, std::int64_t dim, const Tensor& index) {
  return autograd::recorded(
      "gather", {&x},
      [&] {
        const Tensor from = at_least_one_dim(x);
        const std::size_t at = wrap_dim("gather", dim, from.sizes().size());
        const Tensor positions = checked_index("gather", from, index);
        if (positions.numel() > 0) {
          check_fits("gather", positions, "the tensor", from.sizes(), at);
          check_inside("gather", positions, 0, from.sizes()[at]);
        }
        const Tensor result = gathered("gather", from, at, positions);
        return index.dim() == 0 ? result.squeeze(0) : result;
      },
      [&] { return autograd::formula(gather_backward, x.sizes(), dim, Saved(index)); });
}

Tensor scatter(const Tensor& x, std::int64_t dim, const Tensor& index, const Tensor& source) {
  return contiguous_clone(x).scatter_(dim, index, source);
}

Tensor scatter(const Tensor& x, std::int64_t dim, const Tensor& index, const Scalar& value) {
  return contiguous_clone(x).scatter_(dim, index, value);
}

Tensor scatter_add(const Tensor& x, std::int64_t dim, const Tensor& index, const Tensor& source) {
  if (autocasts(x)) {
    return autocast_to_widest(
        [&](const Tensor& to, const Tensor& from) { return scatter_add(to, dim, index, from); }, x, source);
  }
  return contiguous_clone(x).scatter_add_(dim, index, source);
}

Tensor take_along_dim(const Tensor& x, const Tensor& indices, std::optional<std::int64_t> dim) {
  check_same_device("take_along_dim", x, indices);
  if (indices.dtype() != int64) {
    throw TensorError("take_along_dim", "the dtype of the indices", "int64", name(indices.dtype()));
  }
  if (!dim) return take_along_dim(x.reshape({-1}), indices.reshape({-1}), 0);
  if (x.dim() != indices.dim()) {
    throw TensorError("take_along_dim", "indices",
                      "of " + with_noun(x.dim(), "dimension") + ", as the tensor",
                      "of shape " + to_string(indices.sizes()));
  }
  const std::size_t at = wrap_dim("take_along_dim", *dim, x.sizes().size());
  if (x.dim() == 0) return take_along_dim(x.unsqueeze(0), indices.unsqueeze(0), 0).squeeze(0);
  Sizes sizes = x.sizes();
  sizes[at] = indices.sizes()[at];
  sizes = broadcast_sizes("take_along_dim", sizes, indices.sizes());
  const Tensor positions = indices.expand(sizes);
  sizes[at] = x.sizes()[at];
  check_inside("take_along_dim", indices, -sizes[at], sizes[at]);
  const Tensor from = x.expand(sizes);
  return autograd::recorded(
      "take_along_dim", {&from}, [&] { return gathered("take_along_dim", from, at, positions); },
      [&] { return autograd::formula(take_along_dim_backward, sizes, at, Saved(positions)); });
}

const Tensor& Tensor::scatter_(std::int64_t dim, const Tensor& index, const Tensor& source) const {
  return scattered("scatter_", *this, dim, index, source, false);
}

const Tensor& Tensor::scatter_(std::int64_t dim, const Tensor& index, const Scalar& value) const {
  return scattered("scatter_", *this, dim, index, expanded_scalar("scatter_", *this, index, value), false);
}

const Tensor& Tensor::scatter_add_(std::int64_t dim, const Tensor& index, const Tensor& source) const {
  return scattered("scatter_add_", *this, dim, index, source, true);
}

}  // namespace lectern
