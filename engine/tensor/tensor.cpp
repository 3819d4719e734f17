#include "tensor/tensor.h"

#include "base/tensor_error.h"

namespace lectern {
namespace {

void check_layout(std::string_view operation, const Storage& storage, Dtype dtype, const Sizes& sizes,
                  const Sizes& strides, std::int64_t offset) {
  if (sizes.size() != strides.size()) {
    throw TensorError(operation, "strides", "one for each of the sizes " + to_string(sizes),
                      to_string(strides));
  }
  for (const std::int64_t stride : strides) {
    if (stride < 0) throw TensorError(operation, "every stride", "0 or more", to_string(strides));
  }
  if (offset < 0) throw TensorError(operation, "storage_offset", "0 or more", std::to_string(offset));
  const auto room = static_cast<std::int64_t>(storage.nbytes()) / element_size(dtype);
  const std::optional<std::int64_t> needed = extent(sizes, strides, offset);
  if (!needed || *needed > room) {
    throw TensorError(operation, "shape " + to_string(sizes) + " with strides " + to_string(strides) +
                                     " from element " + std::to_string(offset) +
                                     " reaches past the end of the storage, which holds " +
                                     std::to_string(room) + " elements");
  }
}

}  // namespace

Tensor::Tensor(Storage storage, Dtype dtype, const Sizes& sizes, const Sizes& strides,
               std::int64_t storage_offset) {
  const std::int64_t numel = checked_numel("Tensor", sizes);
  check_layout("Tensor", storage, dtype, sizes, strides, storage_offset);
  impl_ = std::make_shared<const Impl>(Impl{std::move(storage), sizes, strides, storage_offset, numel, dtype,
                                            lectern::is_contiguous(sizes, strides)});
}

Tensor Tensor::with(const Sizes& sizes, const Sizes& strides, std::int64_t offset) const {
  std::int64_t numel = 1;
  for (const std::int64_t size : sizes) numel *= size;
  Tensor view;
  view.impl_ = std::make_shared<const Impl>(
      Impl{storage(), sizes, strides, offset, numel, dtype(), lectern::is_contiguous(sizes, strides)});
  return view;
}

Tensor Tensor::as_strided(const Sizes& sizes, const Sizes& strides,
                          std::optional<std::int64_t> storage_offset) const {
  checked_numel("as_strided", sizes);
  const std::int64_t offset = storage_offset.value_or(this->storage_offset());
  check_layout("as_strided", storage(), dtype(), sizes, strides, offset);
  return with(sizes, strides, offset);
}

Tensor Tensor::detach() const {
  return with(sizes(), strides(), storage_offset());
}

std::int64_t Tensor::size(std::int64_t dim) const {
  if (sizes().empty()) throw TensorError("size", "a tensor without dimensions has no sizes");
  return sizes()[wrap_dim("size", dim, sizes().size())];
}

std::int64_t Tensor::stride(std::int64_t dim) const {
  if (sizes().empty()) throw TensorError("stride", "a tensor without dimensions has no strides");
  return strides()[wrap_dim("stride", dim, sizes().size())];
}

Scalar Tensor::item() const {
  if (numel() != 1) {
    throw TensorError("item", "the tensor", "of one element", "of shape " + to_string(shape()));
  }
  const Tensor here = cpu();
  return dispatch(dtype(), [&](auto tag) -> Scalar {
    using T = typename decltype(tag)::type;
    const T value = *static_cast<const T*>(here.data_ptr());
    if constexpr (std::is_arithmetic_v<T>) {
      return value;
    } else {
      return static_cast<float>(value);
    }
  });
}

void Tensor::undefined() {
  throw TensorError("Tensor", "the tensor is undefined: nothing was assigned to it");
}

void Tensor::check_dtype(Dtype wanted) const {
  if (dtype() != wanted) {
    throw TensorError("data", "dtype", std::string(name(wanted)), std::string(name(dtype())));
  }
}

}  // namespace lectern
