#include "tensor/tensor.h"

#include "base/tensor_error.h"
#include "tensor/copy.h"
#include "tensor/layout.h"

namespace lectern {

Tensor::Tensor(Storage storage, Dtype dtype, const Sizes& sizes, const Sizes& strides,
               std::int64_t storage_offset) {
  const std::int64_t numel = checked_numel("Tensor", sizes);
  check_layout("Tensor", storage, dtype, sizes, strides, storage_offset);
  impl_ = std::make_shared<Impl>(std::move(storage), sizes, strides, storage_offset, numel, dtype);
}

Tensor Tensor::alias(const Sizes& sizes, const Sizes& strides, std::int64_t offset) const {
  std::int64_t numel = 1;
  for (const std::int64_t size : sizes) {  // only an empty tensor overflows, and ends as 0
    [[maybe_unused]] const bool overflow = __builtin_mul_overflow(numel, size, &numel);
  }
  Tensor view;
  view.impl_ = std::make_shared<Impl>(storage(), sizes, strides, offset, numel, dtype());
  return view;
}

const Tensor& Tensor::requires_grad_(bool requires_grad) const {
  if (requires_grad && !is_floating_point()) {
    throw TensorError("requires_grad_", "dtype", "floating", name(dtype()));
  }
  if (!requires_grad && impl().grad_fn != nullptr) {
    throw TensorError("requires_grad_",
                      "the tensor is not a leaf, and only a leaf can stop requiring a gradient; use detach() "
                      "for a tensor without a graph");
  }
  impl().requires_grad = requires_grad;
  return *this;
}

std::int64_t Tensor::size(std::int64_t dim) const {
  if (sizes().empty()) throw TensorError("size", "a tensor without dimensions has no sizes");
  return sizes()[wrap_dim("size", dim, sizes().size())];
}

std::int64_t Tensor::stride(std::int64_t dim) const {
  if (sizes().empty()) throw TensorError("stride", "a tensor without dimensions has no strides");
  return strides()[wrap_dim("stride", dim, sizes().size())];
}

Tensor::Iterator Tensor::begin() const {
  if (dim() == 0) throw TensorError("begin", "iteration over a 0-d tensor; its number is item()");
  return {*this, 0};
}

Tensor::Iterator Tensor::end() const {
  return {*this, dim() == 0 ? 0 : size(0)};
}

TensorItem Tensor::item() const {
  if (numel() != 1) {
    throw TensorError("item", "the tensor", "of one element", "of shape " + to_string(shape()));
  }
  const Tensor here = device().is_cpu() ? *this : copied("item", *this, dtype(), lectern::cpu, strides());
  return dispatch(dtype(), [&](auto tag) -> TensorItem {
    using T = typename decltype(tag)::type;
    const T value = *static_cast<const T*>(here.data_ptr());
    if constexpr (std::is_arithmetic_v<T>) {
      return {value, dtype()};
    } else {
      return {static_cast<float>(value), dtype()};
    }
  });
}

void Tensor::throw_item_out_of_range(const Scalar& value) {
  throw TensorError("item", "the element", "in the range of the requested type", to_string(value));
}

void Tensor::undefined() {
  throw TensorError("Tensor", "the tensor is undefined: nothing was assigned to it");
}

void Tensor::check_dtype(Dtype wanted) const {
  if (dtype() != wanted) {
    throw TensorError("data", "dtype", name(wanted), name(dtype()));
  }
}

}  // namespace lectern
