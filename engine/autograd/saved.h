#pragma once

#include <memory>

#include "tensor/tensor.h"

namespace lectern::autograd {

/// A saved tensor that is kept in another way than by its memory.
class Packed {
 public:
  Packed() = default;
  virtual ~Packed() = default;
  Packed(const Packed&) = delete;
  Packed& operator=(const Packed&) = delete;

  virtual Tensor unpack() = 0;
};

/// Decides how tensors are kept that are saved while a scope of it lasts (PyTorch's saved_tensors_hooks), and
/// sees what the operations recorded then are given.
class SavedTensorsHooks {
 public:
  SavedTensorsHooks() = default;
  virtual ~SavedTensorsHooks() = default;
  SavedTensorsHooks(const SavedTensorsHooks&) = delete;
  SavedTensorsHooks& operator=(const SavedTensorsHooks&) = delete;

  virtual std::shared_ptr<Packed> pack(const Tensor& tensor) = 0;
  virtual void see_input(const Tensor&) {}
};

/// Of this thread. The innermost one counts; null: tensors are kept as they are.
class SavedTensorsScope {
 public:
  explicit SavedTensorsScope(SavedTensorsHooks* hooks);
  ~SavedTensorsScope();
  SavedTensorsScope(const SavedTensorsScope&) = delete;
  SavedTensorsScope& operator=(const SavedTensorsScope&) = delete;

  /// Null: none.
  SavedTensorsHooks* outer() const { return before_; }

 private:
  SavedTensorsHooks* before_;
};

/// An operation that is recorded is given this tensor: for the hooks to see.
void note_input(const Tensor& tensor);

/// A tensor that an operation keeps for its gradient, as it is now: get() notices when its numbers were
/// changed in place since. It keeps the memory alive, but no graph, so that no cycle can arise.
class Saved {
 public:
  Saved() = default;
  /// Nothing is kept of an undefined tensor, or when it will not be needed.
  explicit Saved(const Tensor& tensor, bool needed = true);

  /// Undefined when nothing was kept. A TensorError of the operation whose gradient is being computed, when
  /// the tensor was changed.
  Tensor get() const;

 private:
  Storage storage_;
  Sizes sizes_, strides_;
  std::int64_t offset_ = 0;
  Dtype dtype_ = float32;
  std::uint64_t version_ = 0;
  std::shared_ptr<Packed> packed_;
};

/// The error of a saved tensor that was changed.
[[noreturn]] void fail_changed(const Sizes& sizes, std::uint64_t version, std::uint64_t saved_version);

}  // namespace lectern::autograd
