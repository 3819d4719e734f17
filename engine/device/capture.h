#pragma once

#include <cstdint>
#include <mutex>
#include <utility>

#include "base/scoped_value.h"
#include "device/cuda_driver.h"
#include "device/stream.h"

namespace lectern::cuda {

/// Whether work that this thread gives its current streams is being recorded (class Capture).
bool is_capturing();

/// A pool of memory that belongs to a recording: what is allocated while it is made, which its work uses each
/// time that it runs. 0: memory that belongs to no recording.
using PoolId = std::uint64_t;
/// Where this thread allocates from.
PoolId current_pool();
/// The pool of what this thread is recording; 0: it is not.
PoolId current_recording();

/// Until the end of the scope it allocates memory that belongs to no recording: for what is written before
/// work is replayed, and must not lie where that work has written something else by then.
class OutsidePool : ScopedValue<PoolId> {
 public:
  OutsidePool();
};

/// The captures of all threads: as long as it lives none begins or ends. To be held by what would end another
/// thread's capture with an error: what waits for a whole device, or gives a stream work for the host.
class HeldCaptures {
 public:
  HeldCaptures();
  bool empty() const;
  bool include(const Stream& stream) const;

 private:
  std::lock_guard<std::mutex> lock_;
};

/// Work of a stream, recorded by a Capture, with the memory that it uses. Empty until assigned one.
class Recording {
 public:
  Recording() = default;
  Recording(Recording&& other) noexcept { swap(other); }
  Recording& operator=(Recording&& other) noexcept {
    swap(other);
    return *this;
  }
  /// Waits for the device, then frees the work and its memory; tensors that are left keep theirs. While any
  /// thread captures, that is put off until none does.
  ~Recording();

  bool is_empty() const { return graph_ == nullptr; }
  /// Enqueues the work on this thread's current stream of the device.
  void launch() const;
  int device() const { return device_; }
  PoolId pool() const { return pool_; }

 private:
  friend class Capture;
  void swap(Recording& other) noexcept;

  int device_ = 0;
  PoolId pool_ = 0;
  GraphHandle graph_ = nullptr;
};

/// Records the work that this thread gives its current stream, instead of doing it. What waits for that work,
/// such as reading an element on the host, is an error meanwhile. Not copied; ended by the thread that began.
class Capture {
 public:
  /// A TensorError on the default stream, which CUDA does not record, and within another capture.
  Capture();
  /// Drops what was recorded, unless it was ended.
  ~Capture();
  Capture(const Capture&) = delete;
  Capture& operator=(const Capture&) = delete;

  PoolId pool() const { return pool_; }
  /// A TensorError if something invalidated the recording.
  Recording end();
  bool is_of_this_thread() const;

 private:
  /// Stops recording.
  Status stop(GraphHandle* graph);

  Stream stream_;
  PoolId pool_;
  bool is_open_ = true;
};

}  // namespace lectern::cuda
