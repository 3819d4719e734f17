#include "ops/index_access.h"

#include <algorithm>
#include <bit>
#include <string>

#include "base/tensor_error.h"
#include "device/counters.h"
#include "ops/devices.h"
#include "tensor/array.h"
#include "tensor/creation.h"
#include "tensor/layout.h"

namespace lectern {
namespace {

[[noreturn]] void refuse(std::string_view operation, std::int64_t index, std::int64_t size) {
  throw TensorError(operation, "index " + std::to_string(index) +
                                   " is out of range for a dimension of size " + std::to_string(size));
}

}  // namespace

Tensor as_index(std::string_view operation, const Tensor& index) {
  if (index.dtype() != int64 && index.dtype() != int32) {
    throw TensorError(operation, "the dtype of the index", "int64 or int32", name(index.dtype()));
  }
  return index.to(int64);
}

void check_inside(std::string_view operation, const Tensor& index, std::int64_t low, std::int64_t size) {
  if (index.numel() == 0) return;
  if (size == 0) throw TensorError(operation, "a dimension of size 0 has nothing that an index could name");
  const auto outside =
      kernels::find_outside(operation, index.device(), operation, index.sizes(), to_array(index), low, size);
  if (outside) refuse(operation, *outside, size);
}

Tensor take(std::string_view operation, const Tensor& x, const Tensor& index,
            const kernels::IndexedDim& dim) {
  const Tensor out = empty(x.sizes(), {.dtype = x.dtype(), .device = x.device()});
  if (out.numel() > 0) {
    kernels::take(operation, x.device(), x.sizes(), to_array(out), to_array(x), to_array(index), dim);
  }
  const bool is_workspace = dim == kernels::kElementOffsets;  // indices counted already
  count(0, 2 * out.nbytes() + (is_workspace ? 0 : bytes_in_memory(index)));
  return out;
}

ElementOffsets::ElementOffsets(std::string_view operation, const Sizes& sizes, const Sizes& strides,
                               Device device)
    : operation_(operation), offsets_(empty(sizes, {.dtype = int64, .device = device})) {
  kernels::set_offsets(operation_, device, sizes, strides.begin(), offsets_.data<std::int64_t>());
}

void ElementOffsets::add(const Tensor& index, const kernels::IndexedDim& dim) {
  kernels::add_offsets(operation_, index.device(), index.sizes(), offsets_.data<std::int64_t>(),
                       to_array(index), dim);
  count(0, bytes_in_memory(index));
}

kernels::Destinations ElementOffsets::destinations(const Tensor& target, const Tensor& places) const {
  const std::size_t elements = target.storage().nbytes() / static_cast<std::size_t>(target.element_size());
  const std::size_t last = elements > 0 ? elements - 1 : 0;
  return {static_cast<std::uint64_t*>(offsets_.data_ptr()),  // non-negative
          places.data<std::int64_t>(), offsets_.numel(), std::max(1, static_cast<int>(std::bit_width(last)))};
}

void write(std::string_view operation, const Tensor& target, const Tensor& values,
           const ElementOffsets& offsets, bool accumulate) {
  if (values.numel() == 0) return;
  const std::int64_t count = offsets.offsets().numel();
  const Tensor rows = uncounted([&] { return values.reshape(concat({count}, target.sizes())); });
  const Tensor places = empty({count}, {.dtype = int64, .device = target.device()});
  const kernels::Array from{rows.data_ptr(), rows.dtype(), rows.strides().begin() + 1};
  const auto& kernel = accumulate ? kernels::accumulate : kernels::put;
  kernel(operation, target.device(), target.sizes(), to_array(target), from, rows.strides()[0],
         offsets.destinations(target, places));
  target.storage().bump_version();
  lectern::count(accumulate ? values.numel() : 0,
                 bytes_in_memory(values) + (accumulate ? 2 : 1) * values.nbytes());
}

void check_same_dtype(std::string_view operation, std::string_view argument, const Tensor& target,
                      const Tensor& values) {
  if (values.dtype() == target.dtype()) return;
  throw TensorError(operation, "the dtype of " + std::string(argument),
                    "that of the tensor, " + std::string(name(target.dtype())) + "; convert with to()",
                    name(values.dtype()));
}

}  // namespace lectern
