#pragma once

#include <array>
#include <cstddef>
#include <mutex>
#include <vector>

#include "device/context.h"

namespace lectern::cuda {

/// The handles that a thread has of a library, by device, each made by `create` on first use. Those of a
/// thread that ends serve the next one; none is destroyed, since CUDA may go first.
template <typename Handle, Handle (*create)()>
class ThreadHandles {
 public:
  ThreadHandles() = default;
  ThreadHandles(const ThreadHandles&) = delete;
  ThreadHandles& operator=(const ThreadHandles&) = delete;
  ~ThreadHandles() {
    const std::lock_guard lock(spare().mutex);
    for (std::size_t device = 0; device < handles_.size(); ++device) {
      if (handles_[device] != nullptr) spare().handles[device].push_back(handles_[device]);
    }
  }

  Handle get(std::size_t device) {
    Handle& handle = handles_[device];
    if (handle != nullptr) return handle;
    // A thread new to CUDA has no context, and the libraries do not create one.
    set_device(static_cast<int>(device));
    handle = reuse(device);
    if (handle == nullptr) handle = create();
    return handle;
  }

 private:
  struct Spare {
    std::mutex mutex;
    std::array<std::vector<Handle>, Context::kMaxDevices> handles;
  };
  static Spare& spare() {
    static Spare& handles = *new Spare;
    return handles;
  }

  static Handle reuse(std::size_t device) {
    const std::lock_guard lock(spare().mutex);
    auto& handles = spare().handles[device];
    if (handles.empty()) return nullptr;
    const Handle handle = handles.back();
    handles.pop_back();
    return handle;
  }

  std::array<Handle, Context::kMaxDevices> handles_{};
};

}  // namespace lectern::cuda
