#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "base/scoped_value.h"
#include "tensor/tensor.h"

namespace lectern::autograd {

/// A saved tensor, stored other than by its memory.
class Packed {
 public:
  Packed() = default;
  virtual ~Packed() = default;
  Packed(const Packed&) = delete;
  Packed& operator=(const Packed&) = delete;

  virtual Tensor unpack() = 0;
};

/// Decides how tensors saved within its scope are stored (PyTorch's saved_tensors_hooks), and sees the inputs
/// of operations recorded there.
class SavedTensorsHooks {
 public:
  SavedTensorsHooks() = default;
  virtual ~SavedTensorsHooks() = default;
  SavedTensorsHooks(const SavedTensorsHooks&) = delete;
  SavedTensorsHooks& operator=(const SavedTensorsHooks&) = delete;

  virtual std::shared_ptr<Packed> pack(const Tensor& tensor) = 0;
  virtual void on_input(const Tensor&) {}
};

namespace detail {
inline constinit thread_local SavedTensorsHooks* saved_tensors_hooks = nullptr;
}

/// Sets this thread's hooks until the end of the scope; null: tensors are saved as they are.
class SavedTensorsScope : public ScopedValue<SavedTensorsHooks*> {
 public:
  explicit SavedTensorsScope(SavedTensorsHooks* hooks) : ScopedValue(detail::saved_tensors_hooks, hooks) {}
};

/// Notifies the hooks of an input of a recorded operation.
void note_input(const Tensor& tensor);

/// Sizes and strides in little memory: a graph keeps many of them. Contiguous tensors of up to six
/// dimensions, and others of up to three, need no allocation.
class SavedLayout {
 public:
  SavedLayout() = default;
  SavedLayout(const Sizes& sizes, const Sizes& strides);

  Sizes sizes() const { return numbers(0); }
  Sizes strides() const;

 private:
  static constexpr std::size_t kFew = 6;

  /// The sizes, or the strides, which follow them.
  Sizes numbers(std::size_t begin) const;

  std::array<std::int64_t, kFew> few_{};
  std::unique_ptr<std::int64_t[]> many_;  ///< instead, where they are more
  std::uint8_t dims_ = 0;
  bool contiguous_ = true;  ///< the strides follow from the sizes
};

/// A tensor saved for an operation's gradient: get() detects in-place changes since. It keeps the memory
/// alive but no graph, so that no reference cycle can arise.
class Saved {
 public:
  Saved() = default;
  /// Saves nothing for an undefined tensor, or when it will not be needed.
  explicit Saved(const Tensor& tensor, bool needed = true);

  /// Undefined when nothing was saved. When the tensor was changed, a TensorError of the operation whose
  /// gradient is being computed.
  Tensor get() const;

 private:
  KeptStorage kept_;
  SavedLayout layout_;
  Dtype dtype_ = float32;
  std::int64_t offset_ = 0;
  std::uint64_t version_ = 0;
  std::shared_ptr<Packed> packed_;
};

/// What a formula kept, as it was passed: a saved tensor is retrieved.
inline Tensor unpacked(const Saved& saved) {
  return saved.get();
}
template <typename T>
const T& unpacked(const T& value) {
  return value;
}

/// The error for a saved tensor that was modified.
[[noreturn]] void throw_modified(const Sizes& sizes, std::uint64_t version, std::uint64_t saved_version);

}  // namespace lectern::autograd
