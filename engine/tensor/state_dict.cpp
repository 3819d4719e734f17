#include "tensor/state_dict.h"

#include "base/tensor_error.h"

namespace lectern {

void StateDict::insert(std::string name, Tensor tensor) {
  if (!tensor.defined()) throw TensorError("state_dict", "the tensor " + name + " is undefined");
  if (!places_.emplace(name, entries_.size()).second) {
    throw TensorError("state_dict", "there are two entries named " + name);
  }
  entries_.emplace_back(std::move(name), std::move(tensor));
}

const Tensor* StateDict::find(std::string_view name) const {
  const auto place = places_.find(name);
  return place == places_.end() ? nullptr : &entries_[place->second].second;
}

const Tensor& StateDict::at(std::string_view name) const {
  if (const Tensor* tensor = find(name)) return *tensor;
  throw TensorError("state_dict", "there is no entry named " + std::string(name));
}

}  // namespace lectern
