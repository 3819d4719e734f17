#include <algorithm>

#include "autograd/record.h"
#include "base/noun.h"
#include "base/tensor_error.h"
#include "tensor/tensor.h"

namespace lectern {

Index::Index(const Tensor& tensor) : kind_(Kind::tensor), tensor_(std::make_shared<const Tensor>(tensor)) {}

Tensor Tensor::select(std::int64_t dim, std::int64_t at) const {
  if (shape().empty()) {
    throw TensorError("select", "a tensor without dimensions cannot be indexed; use item() for its element");
  }
  const std::size_t where = wrap_dim("select", dim, shape().size());
  const std::int64_t size = shape()[where];
  if (at < -size || at >= size) {
    throw TensorError("select", "index " + std::to_string(at) + " is out of range for dimension " +
                                    std::to_string(where) + " of size " + std::to_string(size));
  }
  const std::int64_t position = at < 0 ? at + size : at;
  Sizes sizes = shape();
  Sizes strides = this->strides();
  const std::int64_t offset = storage_offset() + position * strides[where];
  sizes.erase(where);
  strides.erase(where);
  return autograd::record_part("select", *this, alias(sizes, strides, offset),
                               [dim, at](const Tensor& whole) { return whole.select(dim, at); });
}

Tensor Tensor::slice(std::int64_t dim, std::optional<std::int64_t> start, std::optional<std::int64_t> stop,
                     std::int64_t step) const {
  if (shape().empty()) throw TensorError("slice", "a tensor without dimensions cannot be sliced");
  if (step <= 0) throw TensorError("slice", "step", "more than 0", std::to_string(step));
  const std::size_t where = wrap_dim("slice", dim, shape().size());
  const std::int64_t size = shape()[where];
  const auto position = [size](std::int64_t at) {
    return std::clamp<std::int64_t>(at < 0 ? std::max(at, -size) + size : at, 0, size);
  };
  const std::int64_t first = position(start.value_or(0));
  const std::int64_t last = std::max(first, position(stop.value_or(size)));
  Sizes sizes = shape();
  Sizes strides = this->strides();
  const std::int64_t offset = storage_offset() + (first == size ? 0 : first * strides[where]);
  sizes[where] = (last - first) / step + ((last - first) % step != 0 ? 1 : 0);
  // Overflows only where there is at most one element.
  if (__builtin_mul_overflow(strides[where], step, &strides[where])) strides[where] = 1;
  return autograd::record_part(
      "slice", *this, alias(sizes, strides, offset),
      [dim, start, stop, step](const Tensor& whole) { return whole.slice(dim, start, stop, step); });
}

Tensor Tensor::narrow(std::int64_t dim, std::int64_t start, std::int64_t length) const {
  if (shape().empty()) throw TensorError("narrow", "a tensor without dimensions cannot be narrowed");
  const std::int64_t size = shape()[wrap_dim("narrow", dim, shape().size())];
  if (length < 0) throw TensorError("narrow", "length", "0 or more", std::to_string(length));
  // As in PyTorch, -1 is also past the end of an empty dimension.
  const std::int64_t first = start >= 0 ? start : start + std::max<std::int64_t>(size, 1);
  if (first < 0 || first > size || length > size - first) {
    throw TensorError("narrow", with_noun(length, "element") + " from " + std::to_string(start) +
                                    (length == 1 ? " is" : " are") + " more than the dimension has, " +
                                    std::to_string(size));
  }
  return slice(dim, first, first + length);
}

}  // namespace lectern
