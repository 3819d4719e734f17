#pragma once

#include <cstddef>
#include <functional>
#include <initializer_list>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tensor/tensor.h"

namespace lectern {

/// Tensors by name, in insertion order: the state of a module or an optimizer, to be saved and loaded. Its
/// tensors are handles: they share storage with their source until they are cloned.
class StateDict {
 public:
  using Entry = std::pair<std::string, Tensor>;

  StateDict() = default;
  StateDict(std::initializer_list<Entry> entries) {
    for (const auto& [name, tensor] : entries) insert(name, tensor);
  }

  /// A TensorError for a duplicate name and for an undefined tensor.
  void insert(std::string name, Tensor tensor);

  /// Null when the name is missing. Valid until the next insert().
  const Tensor* find(std::string_view name) const;
  /// A TensorError when the name is missing.
  const Tensor& at(std::string_view name) const;
  bool contains(std::string_view name) const { return find(name) != nullptr; }

  std::size_t size() const { return entries_.size(); }
  bool empty() const { return entries_.empty(); }
  auto begin() const { return entries_.begin(); }
  auto end() const { return entries_.end(); }

 private:
  std::vector<Entry> entries_;
  std::map<std::string, std::size_t, std::less<>> places_;
};

}  // namespace lectern
