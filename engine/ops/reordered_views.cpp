// Views with their dimensions in another order, and of windows.
#include <string>

#include "autograd/gradient_sums.h"
#include "autograd/record.h"
#include "base/tensor_error.h"
#include "tensor/creation.h"

namespace lectern {

Tensor Tensor::T() const {
  Sizes reversed;
  for (std::int64_t d = dim(); d-- > 0;) reversed.push_back(d);
  return permute(reversed);
}

Tensor Tensor::movedim(const Sizes& source, const Sizes& destination) const {
  if (source.size() != destination.size()) {
    throw TensorError("movedim", "source and destination", "of the same length",
                      to_string(source) + " and " + to_string(destination));
  }
  const std::size_t rank = shape().size();
  Sizes order = Sizes::filled(rank, -1);  // by position, the dimension that comes there
  Sizes moved = Sizes::filled(rank, 0);
  for (std::size_t i = 0; i < source.size(); ++i) {
    const std::size_t from = wrap_dim("movedim", source[i], rank);
    const std::size_t to = wrap_dim("movedim", destination[i], rank);
    if (rank == 0) continue;
    if (moved[from]++ != 0) throw TensorError("movedim", "source", "all different", to_string(source));
    if (order[to] != -1) throw TensorError("movedim", "destination", "all different", to_string(destination));
    order[to] = static_cast<std::int64_t>(from);
  }
  std::size_t next = 0;
  for (std::size_t to = 0; to < rank; ++to) {
    if (order[to] != -1) continue;
    while (moved[next] != 0) ++next;
    order[to] = static_cast<std::int64_t>(next++);
  }
  return permute(order);
}

Tensor Tensor::movedim(std::int64_t source, std::int64_t destination) const {
  return movedim(Sizes{source}, Sizes{destination});
}

Tensor Tensor::unfold(std::int64_t dim, std::int64_t size, std::int64_t step) const {
  const std::size_t at = wrap_dim("unfold", dim, shape().size());
  const bool has_dims = !shape().empty();
  const std::int64_t length = has_dims ? shape()[at] : 1;
  if (size < 0 || size > length) {
    throw TensorError("unfold", "size", "from 0 to that of the dimension, " + std::to_string(length),
                      std::to_string(size));
  }
  if (step <= 0) throw TensorError("unfold", "step", "more than 0", std::to_string(step));
  Sizes sizes = shape(), strides = this->strides();
  const std::int64_t stride = has_dims ? strides[at] : 1;
  if (has_dims) {
    sizes[at] = (length - size) / step + 1;
    // Overflows only where there is one window.
    if (__builtin_mul_overflow(stride, step, &strides[at])) strides[at] = 1;
  }
  sizes.push_back(size);
  strides.push_back(stride);
  checked_numel("unfold", sizes);
  return autograd::record_view("unfold", *this, alias(sizes, strides, storage_offset()), [&] {
    return [dim, size, step, whole = shape()](const Tensor& grad) {
      const Tensor sums = zeros(whole, {.dtype = grad.dtype(), .device = grad.device()});
      autograd::add_into(sums.unfold(dim, size, step), grad);
      return sums;
    };
  });
}

}  // namespace lectern
