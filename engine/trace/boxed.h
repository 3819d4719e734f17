#pragma once

#include <memory>
#include <utility>

namespace lectern::trace_model {

/// Something inside another, in memory of its own: a value, or what is large and rare. Never empty; copied
/// with its owner.
template <typename T>
class Boxed {
 public:
  Boxed() : held_(std::make_unique<T>()) {}
  Boxed(T value) : held_(std::make_unique<T>(std::move(value))) {}  // NOLINT(google-explicit-constructor)
  Boxed(const Boxed& other) : held_(std::make_unique<T>(*other.held_)) {}
  Boxed(Boxed&& other) noexcept = default;
  Boxed& operator=(Boxed other) noexcept {
    std::swap(held_, other.held_);
    return *this;
  }
  ~Boxed() = default;

  T& operator*() { return *held_; }
  const T& operator*() const { return *held_; }
  const T* operator->() const { return held_.get(); }
  T* operator->() { return held_.get(); }
  bool operator==(const Boxed& other) const { return *held_ == *other.held_; }

 private:
  std::unique_ptr<T> held_;
};

}  // namespace lectern::trace_model
