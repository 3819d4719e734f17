#include "ops/index_writes.h"

#include <string>
#include <vector>

#include "autograd/record.h"
#include "base/noun.h"
#include "base/tensor_error.h"
#include "ops/devices.h"
#include "ops/dims.h"
#include "ops/index.h"
#include "ops/index_access.h"
#include "ops/nonzero.h"
#include "ops/reductions.h"
#include "ops/selection.h"
#include "ops/unique.h"
#include "tensor/creation.h"
#include "tensor/scalar_element.h"

namespace lectern {
namespace {

/// The positions of index_fill and index_copy, in one dimension.
Tensor positions_along(std::string_view operation, const Tensor& x, const Tensor& index) {
  check_same_device(operation, x, index);
  if (index.dtype() != int64)
    throw TensorError(operation, "the dtype of the index", "int64", name(index.dtype()));
  if (index.dim() > 1)
    throw TensorError(operation, "index", "of one dimension", "of shape " + to_string(index.sizes()));
  return at_least_one_dim(index);
}

void write_along(const Tensor& x, std::size_t dim, const Tensor& positions, const Tensor& values) {
  std::vector<Index> entries(dim, Slice());
  entries.emplace_back(positions);
  index_put_(at_least_one_dim(x), entries, values);
}

const Tensor& fill_positions(const Tensor& x, std::int64_t dim, const Tensor& index, const Tensor& value) {
  constexpr std::string_view kName = "index_fill_";
  if (value.dim() != 0) {
    throw TensorError(kName, "value", "a number or a tensor of no dimensions",
                      "of shape " + to_string(value.sizes()));
  }
  const std::size_t at = wrap_dim(kName, dim, x.sizes().size());
  const Tensor positions = positions_along(kName, x, index);
  const std::int64_t size = at_least_one_dim(x).sizes()[at];
  check_inside(kName, positions, -size, size);
  return autograd::changed(
      kName, x, {&x, &value}, [&] { write_along(x, at, positions, value.to(x.device(), x.dtype())); },
      [&] {
        return [dim, index = Saved(positions), size, dtype = value.dtype(), device = value.device()](
                   const Tensor& grad, Gradients& gradients) {
          gradients.add(0, [&] { return index_fill(grad, dim, index.get(), 0); });
          gradients.add(1, [&] {
            const Tensor from_start = where(index.get() < 0, index.get() + size, index.get());
            return sum(index_select(grad, dim, unique(from_start).values)).to(device, dtype);
          });
        };
      });
}

const Tensor& copy_to_positions(const Tensor& x, std::int64_t dim, const Tensor& index,
                                const Tensor& source) {
  constexpr std::string_view kName = "index_copy_";
  const std::size_t at = wrap_dim(kName, dim, x.sizes().size());
  const Tensor positions = positions_along(kName, x, index);
  check_same_device(kName, x, source);
  check_same_dtype(kName, "the source", x, source);
  Sizes expected = at_least_one_dim(x).sizes();
  const std::int64_t size = expected[at];
  expected[at] = positions.numel();
  const bool writes_scalars = x.dim() == 0 || source.dim() == 0;
  if ((!writes_scalars && source.dim() != x.dim()) || at_least_one_dim(source).sizes() != expected) {
    throw TensorError(kName, "source", "of shape " + to_string(expected), to_string(source.sizes()));
  }
  check_inside(kName, positions, 0, size);
  return autograd::changed(
      kName, x, {&x, &source}, [&] { write_along(x, at, positions, at_least_one_dim(source)); },
      [&] {
        return [dim, index = Saved(positions), sizes = source.sizes()](const Tensor& grad,
                                                                       Gradients& gradients) {
          gradients.add(0, [&] { return index_fill(grad, dim, index.get(), 0); });
          gradients.add(1, [&] { return index_select(grad, dim, index.get()).reshape(sizes); });
        };
      });
}

/// The source's gradient: that of the elements that were read, and 0 of the others.
Tensor scattered_source_backward(const Tensor& grad, const Tensor& mask, const Sizes& sizes) {
  const Tensor read = masked_select(grad, mask);
  const Tensor result = zeros(sizes, {.dtype = grad.dtype(), .device = grad.device()});
  result.view({-1}).narrow(0, 0, read.numel()).copy_(read);
  return result;
}

const Tensor& scatter_to_mask(const Tensor& x, const Tensor& mask, const Tensor& source) {
  constexpr std::string_view kName = "masked_scatter_";
  check_same_device(kName, x, mask);
  check_same_device(kName, x, source);
  check_same_dtype(kName, "the source", x, source);
  if (mask.dtype() != bool_) throw TensorError(kName, "the dtype of the mask", "bool", name(mask.dtype()));
  if (broadcast_sizes(kName, x.sizes(), mask.sizes()) != x.sizes()) {
    throw TensorError(kName, "mask", "one that can be expanded to " + to_string(x.sizes()),
                      "of shape " + to_string(mask.sizes()));
  }
  const Tensor whole = mask.expand(x.sizes());
  const Tensor places = nonzero(at_least_one_dim(whole));
  const std::int64_t wanted = places.size(0);
  if (source.numel() < wanted) {
    throw TensorError(kName, "source",
                      "of " + with_noun(wanted, "element") + " or more, as the mask has true",
                      "of " + std::to_string(source.numel()));
  }
  return autograd::changed(
      kName, x, {&x, &source},
      [&] {
        if (wanted == 0) return;
        std::vector<Index> entries;
        for (const Tensor& positions : places.unbind(1)) entries.emplace_back(positions);
        index_put_(at_least_one_dim(x), entries, source.reshape({-1}).narrow(0, 0, wanted));
      },
      [&] {
        return [at = Saved(whole), sizes = source.sizes()](const Tensor& grad, Gradients& gradients) {
          gradients.add(0, [&] { return masked_fill(grad, at.get(), 0); });
          gradients.add(1, [&] { return scattered_source_backward(grad, at.get(), sizes); });
        };
      });
}

Tensor as_value(const Tensor& x, const Scalar& value) {
  check_in_range("index_fill_", value, x.dtype());
  return full({}, value, {.dtype = x.dtype(), .device = x.device()});
}

}  // namespace

Tensor index_fill(const Tensor& x, std::int64_t dim, const Tensor& index, const Scalar& value) {
  return x.clone().index_fill_(dim, index, value);
}
Tensor index_fill(const Tensor& x, std::int64_t dim, const Tensor& index, const Tensor& value) {
  return x.clone().index_fill_(dim, index, value);
}

Tensor index_copy(const Tensor& x, std::int64_t dim, const Tensor& index, const Tensor& source) {
  return contiguous_clone(x).index_copy_(dim, index, source);
}

Tensor masked_scatter(const Tensor& x, const Tensor& mask, const Tensor& source) {
  const Sizes sizes = broadcast_sizes("masked_scatter", x.sizes(), mask.sizes());
  return contiguous_clone(x.expand(sizes)).masked_scatter_(mask, source);
}

const Tensor& Tensor::index_fill_(std::int64_t dim, const Tensor& index, const Scalar& value) const {
  return fill_positions(*this, dim, index, as_value(*this, value));
}
const Tensor& Tensor::index_fill_(std::int64_t dim, const Tensor& index, const Tensor& value) const {
  return fill_positions(*this, dim, index, value);
}
const Tensor& Tensor::index_copy_(std::int64_t dim, const Tensor& index, const Tensor& source) const {
  return copy_to_positions(*this, dim, index, source);
}
const Tensor& Tensor::masked_scatter_(const Tensor& mask, const Tensor& source) const {
  return scatter_to_mask(*this, mask, source);
}

}  // namespace lectern
