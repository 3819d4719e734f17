#include "autograd/saved.h"

#include <string>

#include "autograd/run.h"
#include "base/tensor_error.h"

namespace lectern::autograd {
using detail::saved_tensors_hooks;

void note_input(const Tensor& tensor) {
  if (saved_tensors_hooks != nullptr && tensor.defined()) saved_tensors_hooks->on_input(tensor);
}

Saved::Saved(const Tensor& tensor, bool needed) {
  if (!needed || !tensor.defined()) return;
  if (saved_tensors_hooks != nullptr) {
    packed_ = saved_tensors_hooks->pack(tensor);
    return;
  }
  kept_ = KeptStorage(tensor.storage());
  sizes_ = tensor.sizes();
  strides_ = tensor.strides();
  offset_ = tensor.storage_offset();
  dtype_ = tensor.dtype();
  version_ = kept_.storage().version();
}

Tensor Saved::get() const {
  if (packed_ != nullptr) return packed_->unpack();
  const Storage& storage = kept_.storage();
  if (!storage) return {};
  if (storage.version() != version_) throw_modified(sizes_, storage.version(), version_);
  return {storage, dtype_, sizes_, strides_, offset_};
}

void throw_modified(const Sizes& sizes, std::uint64_t version, std::uint64_t saved_version) {
  throw TensorError("backward",
                    "a tensor of shape " + to_string(sizes) + " saved for the gradient of " +
                        std::string(Run::current_operation()) + " was modified in place: it is at version " +
                        std::to_string(version) + ", not " + std::to_string(saved_version) +
                        "; change a clone() of it, or use the operation that returns a new tensor");
}

}  // namespace lectern::autograd
