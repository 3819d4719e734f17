#pragma once

#include <utility>

namespace lectern {

/// Assigns to a variable and restores it at the end of the scope.
template <typename T>
class ScopedValue {
 public:
  ScopedValue(T& variable, T value)
      : variable_(variable), outer_(std::exchange(variable, std::move(value))) {}
  ~ScopedValue() { variable_ = outer_; }
  ScopedValue(const ScopedValue&) = delete;
  ScopedValue& operator=(const ScopedValue&) = delete;

  /// The value to restore.
  const T& outer() const { return outer_; }

 private:
  T& variable_;
  T outer_;
};

}  // namespace lectern
