#include "tensor/layout.h"

#include <algorithm>
#include <array>
#include <cstddef>

#include "base/noun.h"
#include "base/tensor_error.h"
#include "kernels/geometry.h"

namespace lectern {

static_assert(kMaxDims == kernels::kMaxRank);

Sizes result_strides(const Sizes& sizes, std::span<const std::int64_t* const> operands) {
  const Sizes first(std::span(operands[0], sizes.size()));
  const bool same = std::all_of(operands.begin(), operands.end(), [&](const std::int64_t* strides) {
    return std::equal(first.begin(), first.end(), strides);
  });
  if (same && is_dense(sizes, first)) return first;

  std::array<kernels::ArrayStrides, kernels::kMaxArrays> arrays{};
  for (std::size_t k = 0; k < operands.size(); ++k) arrays[k] = {operands[k], 1};
  const auto order = kernels::walk_order(sizes, std::span(arrays).first(operands.size()));
  Sizes strides = sizes;
  std::int64_t stride = 1;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const auto dim = static_cast<std::size_t>(order[i]);
    strides[dim] = stride;
    // Strides of an empty tensor are never used; otherwise the product is below 2^63.
    if (__builtin_mul_overflow(stride, std::max<std::int64_t>(sizes[dim], 1), &stride)) stride = 1;
  }
  return strides;
}

Sizes result_strides(const Tensor& operand) {
  const std::int64_t* const strides = operand.strides().begin();
  return result_strides(operand.sizes(), std::span(&strides, 1));
}

std::size_t checked_nbytes(std::string_view operation, Dtype dtype, const Sizes& sizes) {
  std::int64_t nbytes = 0;
  if (__builtin_mul_overflow(checked_numel(operation, sizes), lectern::element_size(dtype), &nbytes)) {
    throw TensorError(operation, "the number of bytes", "below 2^63", "that of shape " + to_string(sizes));
  }
  return static_cast<std::size_t>(nbytes);
}

Tensor empty_dense(std::string_view operation, Dtype dtype, Device device, const Sizes& sizes,
                   const Sizes& strides) {
  return {Storage(checked_nbytes(operation, dtype, sizes), device), dtype, sizes, strides};
}

std::int64_t bytes_in_memory(const Tensor& tensor) {
  if (!tensor.defined()) return 0;
  if (tensor.is_contiguous()) return tensor.nbytes();
  std::int64_t bytes = tensor.element_size();
  for (std::size_t d = 0; d < tensor.sizes().size(); ++d) {
    if (tensor.strides()[d] != 0 || tensor.sizes()[d] == 0) bytes *= tensor.sizes()[d];
  }
  return bytes;
}

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
                                     with_noun(room, "element"));
  }
}

void check_writable(std::string_view operation, const Tensor& tensor) {
  if (tensor.is_contiguous()) return;
  for (std::size_t i = 0; i < tensor.sizes().size(); ++i) {
    if (tensor.strides()[i] == 0 && tensor.sizes()[i] > 1) {
      throw TensorError(operation, "several elements of the written tensor share a memory location: shape " +
                                       to_string(tensor.sizes()) + " with strides " +
                                       to_string(tensor.strides()) + "; clone() it first");
    }
  }
}

bool are_alike(const Tensor& a, const Tensor& b) {
  return a.sizes() == b.sizes() && a.dtype() == b.dtype() && a.device() == b.device();
}

std::string described(const Tensor& tensor) {
  return std::string(name(tensor.dtype())) + " of shape " + to_string(tensor.sizes()) + " on " +
         tensor.device().name();
}

}  // namespace lectern
