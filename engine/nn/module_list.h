#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/tensor_error.h"
#include "nn/module.h"

namespace lectern::nn {

/// A list of modules named "0", "1", …, all of type T or derived from it.
template <std::derived_from<Module> T>
class ModuleList : public Module {
 public:
  ModuleList() = default;
  /// `count` modules from the same arguments: ModuleList<Linear>(4, dim, dim). A TensorError for a negative
  /// count.
  template <typename... Arguments>
  requires std::constructible_from<T, const Arguments&...>
  explicit ModuleList(std::int64_t count, const Arguments&... arguments) {
    if (count < 0)
      throw TensorError("ModuleList", "the number of modules", "0 or more", std::to_string(count));
    for (std::int64_t i = 0; i < count; ++i) emplace_back(arguments...);
  }

  template <typename... Arguments>
  T& emplace_back(Arguments&&... arguments) {
    return append(std::make_shared<T>(std::forward<Arguments>(arguments)...));
  }
  template <std::derived_from<T> M>
  M& push_back(M module) {
    return append(std::make_shared<M>(std::move(module)));
  }

  std::size_t size() const { return elements_.size(); }
  bool empty() const { return elements_.empty(); }
  /// A TensorError when out of range.
  T& operator[](std::size_t i) { return *elements_[checked(i)]; }
  const T& operator[](std::size_t i) const { return *elements_[checked(i)]; }

  template <typename U>
  class Iterator {
   public:
    using difference_type = std::ptrdiff_t;
    using value_type = T;

    Iterator() = default;
    explicit Iterator(T* const* at) : at_(at) {}
    U& operator*() const { return **at_; }
    U* operator->() const { return *at_; }
    Iterator& operator++() {
      ++at_;
      return *this;
    }
    Iterator operator++(int) { return Iterator(at_++); }
    friend bool operator==(const Iterator&, const Iterator&) = default;

   private:
    T* const* at_ = nullptr;
  };
  auto begin() { return Iterator<T>(elements_.data()); }
  auto end() { return Iterator<T>(elements_.data() + elements_.size()); }
  auto begin() const { return Iterator<const T>(elements_.data()); }
  auto end() const { return Iterator<const T>(elements_.data() + elements_.size()); }

 private:
  template <typename M>
  M& append(std::shared_ptr<M> module) {
    M& registered = register_module(std::to_string(size()), std::move(module));
    elements_.push_back(&registered);
    return registered;
  }
  std::size_t checked(std::size_t i) const {
    if (i < size()) return i;
    throw TensorError("ModuleList", "the index", "below " + std::to_string(size()), std::to_string(i));
  }

  std::vector<T*> elements_;
};

}  // namespace lectern::nn
