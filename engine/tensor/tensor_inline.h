#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <iterator>

#include "tensor/tensor.h"

// The members of Tensor that are short, or templates.

namespace lectern {

inline void* Tensor::data_ptr() const {
  if (impl().numel == 0) return nullptr;  // an empty storage has no address to offset
  return static_cast<std::byte*>(impl().storage.data_ptr()) + impl().offset * element_size();
}

template <typename T>
T Tensor::item() const {
  const Scalar value = item();
  if constexpr (std::integral<T>) {
    if (!fits<T>(value)) throw_item_out_of_range(value);
  }
  return value.is_real() ? static_cast<T>(value.to_double()) : static_cast<T>(value.to_int64());
}

inline bool Tensor::requires_grad() const {
  const Impl& own = impl();
  if (own.requires_grad || own.base == nullptr) return own.requires_grad;
  // A view made without recording requires none until a recorded change of its base.
  return own.base->requires_grad && (own.follows_base || own.changes != own.base->changes);
}

/// Keeps its tensor. What it points to is a view made on demand: a new handle each time.
class Tensor::Iterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using iterator_concept = std::forward_iterator_tag;
  using value_type = Tensor;
  using difference_type = std::ptrdiff_t;
  using pointer = void;
  using reference = Tensor;

  Iterator() = default;
  Iterator(const Tensor& tensor, std::int64_t at) : tensor_(tensor), at_(at) {}

  Tensor operator*() const { return tensor_[at_]; }
  Iterator& operator++() { return ++at_, *this; }
  Iterator operator++(int) { return {tensor_, at_++}; }
  bool operator==(const Iterator& other) const { return at_ == other.at_; }

 private:
  Tensor tensor_;
  std::int64_t at_ = 0;
};

}  // namespace lectern
