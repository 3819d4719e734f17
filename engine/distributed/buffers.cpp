#include "distributed/buffers.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "base/tensor_error.h"
#include "device/copy.h"
#include "device/counters.h"
#include "tensor/copy.h"
#include "tensor/layout.h"

namespace lectern::distributed {
namespace {

/// Undefined where the tensor's memory serves.
Tensor block_for(const Tensor& tensor) {
  return tensor.is_contiguous() ? Tensor() : adjacent_like(tensor, 1)[0];
}

bool are_adjacent(const std::vector<Tensor>& tensors) {
  const auto* end = static_cast<const std::byte*>(tensors[0].data_ptr());
  return std::ranges::all_of(tensors, [&](const Tensor& each) {
    const auto* const begin = static_cast<const std::byte*>(each.data_ptr());
    return each.is_contiguous() && std::exchange(end, begin + each.nbytes()) == begin;
  });
}

std::vector<Tensor> blocks_for(const std::vector<Tensor>& tensors) {
  if (tensors[0].is_cuda() && !are_adjacent(tensors)) return adjacent_like(tensors[0], std::ssize(tensors));
  std::vector<Tensor> blocks;
  std::ranges::transform(tensors, std::back_inserter(blocks), block_for);
  return blocks;
}

/// Between tensors that are alike; on a GPU blocks need no kernel.
void copy(const Tensor& to, const Tensor& from) {
  if (to.is_cuda() && to.is_contiguous() && from.is_contiguous()) {
    const cuda::Stream stream = cuda::current_stream(to.device().index());
    cuda::enqueue_copy(to.data_ptr(), from.data_ptr(), static_cast<std::size_t>(to.nbytes()), stream);
    to.storage().bump_version();
  } else {
    uncounted([&] { return copy_elements(to, from), 0; });
  }
}

}  // namespace

std::string signature(const Tensor& tensor) {
  return fmt::format("{} {}", name(tensor.dtype()), to_string(tensor.sizes()));
}

std::vector<Tensor> adjacent_like(const Tensor& tensor, std::int64_t count) {
  const Sizes strides = contiguous_strides(tensor.sizes());
  const Tensor whole =
      empty_dense("distributed", tensor.dtype(), tensor.device(), {count * tensor.numel()}, {1});
  std::vector<Tensor> blocks;
  for (std::int64_t i = 0; i < count; ++i)
    blocks.push_back(whole.alias(tensor.sizes(), strides, i * tensor.numel()));
  return blocks;
}

void Buffers::check(const Tensor& tensor) {
  if (!tensor.defined()) throw TensorError(operation_, "a tensor is undefined");
  if (!device_) device_ = tensor.device();
  if (tensor.device() != *device_)
    throw TensorError(operation_, fmt::format("the tensors must be on one device, not on {} and {}",
                                              device_->name(), tensor.device().name()));
}

void Buffers::check_output(const Tensor& tensor) {
  check(tensor);
  check_writable(operation_, tensor);
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
  return input(tensor, block_for(tensor));
}

std::byte* Buffers::input(const Tensor& tensor, const Tensor& block) {
  if (!block.defined()) return keep(tensor.detach());
  copy(block, tensor);
  return keep(block);
}

std::byte* Buffers::output(const Tensor& tensor, bool is_input) {
  check_output(tensor);
  const Tensor block = block_for(tensor);
  if (is_input && block.defined()) copy(block, tensor);
  return output(tensor, block);
}

std::byte* Buffers::output(const Tensor& tensor, const Tensor& block) {
  if (!block.defined()) {
    tensor.storage().bump_version();
    return keep(tensor.detach());
  }
  copies_.emplace_back(tensor.detach(), block);
  return keep(block);
}

std::vector<std::byte*> Buffers::inputs(const std::vector<Tensor>& tensors) {
  for (const Tensor& tensor : tensors) check(tensor);
  const std::vector<Tensor> blocks = blocks_for(tensors);
  std::vector<std::byte*> places;
  for (std::size_t i = 0; i < tensors.size(); ++i) places.push_back(input(tensors[i], blocks[i]));
  return places;
}

std::vector<std::byte*> Buffers::outputs(const std::vector<Tensor>& tensors) {
  for (const Tensor& tensor : tensors) check_output(tensor);
  const std::vector<Tensor> blocks = blocks_for(tensors);
  std::vector<std::byte*> places;
  for (std::size_t i = 0; i < tensors.size(); ++i) places.push_back(output(tensors[i], blocks[i]));
  return places;
}

void Buffers::finish() const {
  for (const auto& [target, block] : copies_) {
    copy(target, block);
    if (block.is_cuda() && block.numel() > 0)
      cuda::record_stream(block.data_ptr(), cuda::current_stream(block.device().index()));
  }
}

}  // namespace lectern::distributed
