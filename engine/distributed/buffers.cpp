#include "distributed/buffers.h"

#include <fmt/format.h>

#include "base/tensor_error.h"
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

void Buffers::check(const Tensor& tensor) const {
  if (!tensor.defined()) throw TensorError(operation_, "a tensor is undefined");
  if (tensor.is_cuda())
    throw TensorError(
        operation_, "collectives of CUDA tensors need NCCL, which is not supported yet; copy the tensor of " +
                        tensor.device().name() + " to the CPU");
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
  for (const auto& copy : copies_) uncounted([&] { return copy_elements(copy.first, copy.second), 0; });
}

}  // namespace lectern::distributed
