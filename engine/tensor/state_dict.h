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

/// Tensors by name, in the order in which they were inserted: what a module or an optimizer gives out to be
/// kept, and takes back. Its tensors are handles: they share their numbers with where they came from until
/// they are cloned.
class StateDict {
 public:
  using Entry = std::pair<std::string, Tensor>;

  StateDict() = default;
  StateDict(std::initializer_list<Entry> entries) {
    for (const auto& [name, tensor] : entries) insert(name, tensor);
  }

  /// A TensorError when there is one of that name, and for an undefined tensor.
  void insert(std::string name, Tensor tensor);

  /// Null when there is none of that name. Valid until the next insert().
  const Tensor* find(std::string_view name) const;
  /// A TensorError when there is none of that name.
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
