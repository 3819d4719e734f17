#include "autograd/saved.h"

#include <algorithm>
#include <span>
#include <string>
#include <utility>

#include "autograd/run.h"
#include "base/tensor_error.h"

namespace lectern::autograd {
using detail::saved_tensors_hooks;

void note_input(const Tensor& tensor) {
  if (saved_tensors_hooks != nullptr && tensor.defined()) saved_tensors_hooks->on_input(tensor);
}

SavedLayout::SavedLayout(const Sizes& sizes, const Sizes& strides)
    : dims_(static_cast<std::uint8_t>(sizes.size())), contiguous_(strides == contiguous_strides(sizes)) {
  const std::size_t count = sizes.size() * (contiguous_ ? 1 : 2);
  if (count > kFew) many_ = std::make_unique_for_overwrite<std::int64_t[]>(count);
  std::int64_t* const numbers = count > kFew ? many_.get() : few_.data();
  std::ranges::copy(sizes, numbers);
  if (!contiguous_) std::ranges::copy(strides, numbers + dims_);
}

Sizes SavedLayout::numbers(std::size_t begin) const {
  return std::span(many_ != nullptr ? many_.get() : few_.data(), begin + dims_).subspan(begin);
}

Sizes SavedLayout::strides() const {
  return contiguous_ ? contiguous_strides(sizes()) : numbers(dims_);
}

Saved::Saved(const Tensor& tensor, bool needed) {
  if (!needed || !tensor.defined()) return;
  if (saved_tensors_hooks != nullptr) {
    packed_ = saved_tensors_hooks->pack(tensor);
    return;
  }
  kept_ = KeptStorage(tensor.storage());
  layout_ = SavedLayout(tensor.sizes(), tensor.strides());
  offset_ = tensor.storage_offset();
  dtype_ = tensor.dtype();
  version_ = kept_.storage().version();
}

Tensor Saved::get() const {
  if (packed_ != nullptr) return packed_->unpack();
  const Storage& storage = kept_.storage();
  if (!storage) return {};
  if (storage.version() != version_) throw_modified(layout_.sizes(), storage.version(), version_);
  return {storage, dtype_, layout_.sizes(), layout_.strides(), offset_};
}

void throw_modified(const Sizes& sizes, std::uint64_t version, std::uint64_t saved_version) {
  throw TensorError("backward",
                    "a tensor of shape " + to_string(sizes) + " saved for the gradient of " +
                        std::string(Run::current_operation()) + " was modified in place: it is at version " +
                        std::to_string(version) + ", not " + std::to_string(saved_version) +
                        "; change a clone() of it, or use the operation that returns a new tensor");
}

}  // namespace lectern::autograd
