#pragma once

#include "device/cuda_driver.h"

namespace lectern::cuda {

class Event;

/// Notified before this thread changes its current stream, records an event, or begins or ends a capture, so
/// that deferred work is enqueued first.
class StreamWatch {
 public:
  StreamWatch() = default;
  virtual ~StreamWatch() = default;
  StreamWatch(const StreamWatch&) = delete;
  StreamWatch& operator=(const StreamWatch&) = delete;

  virtual void before_stream_change() = 0;
};

namespace detail {
inline constinit thread_local StreamWatch* stream_watch = nullptr;
}

inline void notify_stream_watch() {
  if (detail::stream_watch != nullptr) [[unlikely]]
    detail::stream_watch->before_stream_change();
}

/// A queue of work for a GPU: work on one stream runs in order, work on two may overlap. A handle: copies
/// refer to the same stream. Streams live as long as the program.
class Stream {
 public:
  /// A non-default stream: the next of 32 per device and kind of priority, which are shared from then on.
  /// Negative priorities are served first. Throws TensorError if there is no such device.
  explicit Stream(int device = current_device(), int priority = 0);
  /// A stream made by CUDA.
  Stream(int device, StreamHandle handle) : device_(device), handle_(handle) {}

  int device() const { return device_; }
  StreamHandle handle() const { return handle_; }

  /// Waits until all enqueued work is done; its errors surface here.
  void synchronize() const;
  /// Whether all enqueued work is done.
  bool query() const;
  /// An event after all work so far.
  Event record_event() const;
  /// Later work waits for the event, or for all work enqueued on `other`.
  void wait_event(const Event& event) const;
  void wait_stream(const Stream& other) const;

  friend bool operator==(const Stream&, const Stream&) = default;

 private:
  int device_;
  StreamHandle handle_;
};

/// A stream that nobody else has as long as this lives; then it serves the next one, work and all.
class OwnStream {
 public:
  explicit OwnStream(int device, int priority = 0);
  ~OwnStream();
  OwnStream(const OwnStream&) = delete;
  OwnStream& operator=(const OwnStream&) = delete;

  const Stream& get() const { return stream_; }

 private:
  int priority_;
  Stream stream_;
};

/// The stream that this thread's operations use on a device; initially the default one.
Stream current_stream(int device = current_device());
Stream default_stream(int device = current_device());

/// Makes the stream and its device current until the end of the scope.
class StreamGuard {
 public:
  explicit StreamGuard(const Stream& stream);
  ~StreamGuard();
  StreamGuard(const StreamGuard&) = delete;
  StreamGuard& operator=(const StreamGuard&) = delete;

 private:
  DeviceGuard device_;
  Stream before_;
};

/// A mark in a stream: to wait for, and to measure time.
class Event {
 public:
  explicit Event(bool enable_timing = false) : timed_(enable_timing) {}
  Event(Event&& other) noexcept;
  Event& operator=(Event&& other) noexcept;
  ~Event();

  /// Marks the current end of the stream, replacing an earlier mark. Throws TensorError for a stream of
  /// another device than the first time.
  void record(const Stream& stream = current_stream());
  /// Later work on the stream waits until the mark is reached.
  void wait(const Stream& stream = current_stream()) const;
  /// Whether the mark is reached. An event that was never recorded is.
  bool query() const;
  /// Waits until the mark is reached.
  void synchronize() const;
  /// The same for those who cannot throw what kernels reported (device/index_fault.h): it is left for others.
  void wait_on_host() const;
  /// Milliseconds from this mark to `end`, on the GPU's clock. Throws TensorError unless both are timed,
  /// recorded and reached.
  double elapsed_time(const Event& end) const;

 private:
  bool timed_;
  int device_ = 0;
  EventHandle handle_ = nullptr;  ///< set by the first record
};

}  // namespace lectern::cuda
