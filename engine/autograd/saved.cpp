#include "autograd/saved.h"

#include <string>

#include "autograd/run.h"
#include "base/tensor_error.h"

namespace lectern::autograd {
namespace {

constinit thread_local SavedTensorsHooks* active_hooks = nullptr;

}  // namespace

SavedTensorsScope::SavedTensorsScope(SavedTensorsHooks* hooks) : before_(active_hooks) {
  active_hooks = hooks;
}

SavedTensorsScope::~SavedTensorsScope() {
  active_hooks = before_;
}

void note_input(const Tensor& tensor) {
  if (active_hooks != nullptr && tensor.defined()) active_hooks->see_input(tensor);
}

Saved::Saved(const Tensor& tensor, bool needed) {
  if (!needed || !tensor.defined()) return;
  if (active_hooks != nullptr) {
    packed_ = active_hooks->pack(tensor);
    return;
  }
  storage_ = tensor.storage();
  sizes_ = tensor.sizes();
  strides_ = tensor.strides();
  offset_ = tensor.storage_offset();
  dtype_ = tensor.dtype();
  version_ = storage_.version();
}

Tensor Saved::get() const {
  if (packed_ != nullptr) return packed_->unpack();
  if (!storage_) return {};
  if (storage_.version() != version_) fail_changed(sizes_, storage_.version(), version_);
  return {storage_, dtype_, sizes_, strides_, offset_};
}

void fail_changed(const Sizes& sizes, std::uint64_t version, std::uint64_t saved_version) {
  throw TensorError(
      "backward", "a tensor of shape " + to_string(sizes) + " that " + std::string(Run::current_operation()) +
                      " needs for its gradient was changed in place since: it is at version " +
                      std::to_string(version) + ", not " + std::to_string(saved_version) +
                      "; change a clone() of it, or use the operation that returns a new tensor");
}

}  // namespace lectern::autograd
