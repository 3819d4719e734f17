#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/tensor_error.h"
#include "nn/module.h"

namespace lectern::nn {

/// Modules by name, in the order in which they were added, all of type T or derived from it:
///
///   nn::ModuleDict<nn::Linear> heads;
///   heads.insert("policy", nn::Linear(8, 4));
///   for (const auto& [name, head] : heads) show(name, (*head)(x));
template <std::derived_from<Module> T>
class ModuleDict : public Module {
 public:
  ModuleDict() = default;

  /// A TensorError for a name that is empty, contains a dot, or is taken.
  template <std::derived_from<T> M>
  M& insert(const std::string& name, M module) {
    M& registered = register_module(name, std::make_shared<M>(std::move(module)));
    elements_.emplace_back(name, &registered);
    return registered;
  }

  std::size_t size() const { return elements_.size(); }
  bool empty() const { return elements_.empty(); }
  bool contains(std::string_view name) const { return find(name) != nullptr; }
  /// A TensorError when there is none.
  T& operator[](std::string_view name) { return found(name); }
  const T& operator[](std::string_view name) const { return found(name); }

  std::vector<std::string> keys() const {
    std::vector<std::string> names;
    for (const auto& [name, module] : elements_) names.push_back(name);
    return names;
  }
  /// Pairs of names and pointers to modules.
  auto begin() { return elements_.cbegin(); }
  auto end() { return elements_.cend(); }
  auto begin() const { return ConstIterator{elements_.cbegin()}; }
  auto end() const { return ConstIterator{elements_.cend()}; }

 private:
  using Elements = std::vector<std::pair<std::string, T*>>;

  struct ConstIterator {
    typename Elements::const_iterator at;
    std::pair<const std::string&, const T*> operator*() const { return {at->first, at->second}; }
    ConstIterator& operator++() {
      ++at;
      return *this;
    }
    friend bool operator==(const ConstIterator&, const ConstIterator&) = default;
  };

  T* find(std::string_view name) const {
    const auto is_it = [&](const auto& element) { return element.first == name; };
    const auto at = std::ranges::find_if(elements_, is_it);
    return at == elements_.end() ? nullptr : at->second;
  }
  T& found(std::string_view name) const {
    if (T* const module = find(name)) return *module;
    std::string known;
    for (const auto& [key, module] : elements_) known += (known.empty() ? "" : ", ") + key;
    throw TensorError("ModuleDict", "the name", known.empty() ? "of a module" : "one of " + known,
                      std::string(name));
  }

  Elements elements_;
};

}  // namespace lectern::nn
