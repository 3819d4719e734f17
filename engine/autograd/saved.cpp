#include "autograd/saved.h"

#include <string>

#include "autograd/run.h"
#include "base/tensor_error.h"

namespace lectern::autograd {

Saved::Saved(const Tensor& tensor, bool needed) {
  if (!needed || !tensor.defined()) return;
  storage_ = tensor.storage();
  sizes_ = tensor.sizes();
  strides_ = tensor.strides();
  offset_ = tensor.storage_offset();
  dtype_ = tensor.dtype();
  version_ = storage_.version();
}

Tensor Saved::get() const {
  if (!storage_) return {};
  if (storage_.version() != version_) {
    throw TensorError("backward",
                      "a tensor of shape " + to_string(sizes_) + " that " +
                          std::string(Run::current_operation()) +
                          " needs for its gradient was changed in place since: it is at version " +
                          std::to_string(storage_.version()) + ", not " + std::to_string(version_) +
                          "; change a clone() of it, or use the operation that returns a new tensor");
  }
  return {storage_, dtype_, sizes_, strides_, offset_};
}

}  // namespace lectern::autograd
