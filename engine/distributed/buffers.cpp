#include "distributed/buffers.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/tensor_error.h"
#include "device/copy.h"
#include "device/counters.h"
#include "tensor/copy.h"
#include "tensor/layout.h"

namespace lectern::distributed {
namespace {

Tensor block_of(const Tensor& tensor) {
  return empty_dense("distributed", tensor.dtype(), tensor.device(), tensor.sizes(),
                     contiguous_strides(tensor.sizes()));
}

}  // namespace

std::string signature(const Tensor& tensor) {
  return fmt::format("{} {}", name(tensor.dtype()), to_string(tensor.sizes()));
}

void Buffers::check(const Tensor& tensor) {
  if (!tensor.defined()) throw TensorError(operation_, "a tensor is undefined");
  if (kept_.empty()) device_ = tensor.device();
  if (tensor.device() != device_)
    throw TensorError(operation_, fmt::format("the tensors must be on one device, not on {} and {}",
                                              device_.name(), tensor.device().name()));
}

bool Buffers::are_empty() const {
  return std::ranges::all_of(kept_, [](const Tensor& block) { return block.numel() == 0; });
}

void Buffers::record_stream(const cuda::Stream& stream) const {
  for (const Tensor& block : kept_) {
    if (block.numel() > 0) cuda::record_stream(block.data_ptr(), stream);
  }
}

std::byte* Buffers::keep(Tensor block) {
  kept_.push_back(std::move(block));
  return static_cast<std::byte*>(kept_.back().data_ptr());
}

std::byte* Buffers::input(const Tensor& tensor) {
  check(tensor);
  if (tensor.is_contiguous()) return keep(tensor.detach());
  const Tensor block = block_of(tensor);
  uncounted([&] { return copy_elements(block, tensor), 0; });
  return keep(block);
}

std::byte* Buffers::output(const Tensor& tensor, bool is_input) {
  check(tensor);
  check_writable(operation_, tensor);
  if (tensor.is_contiguous()) {
    tensor.storage().bump_version();
    return keep(tensor.detach());
  }
  const Tensor block = block_of(tensor);
  if (is_input) uncounted([&] { return copy_elements(block, tensor), 0; });
  copies_.emplace_back(tensor.detach(), block);
  return keep(block);
}

void Buffers::finish() const {
  for (const auto& copy : copies_) {
    const Tensor& block = copy.second;
    uncounted([&] { return copy_elements(copy.first, block), 0; });
    if (block.is_cuda() && block.numel() > 0)
      cuda::record_stream(block.data_ptr(), cuda::current_stream(device_.index()));
  }
}

}  // namespace lectern::distributed
