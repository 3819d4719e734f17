#pragma once

#include "device/cuda_driver.h"

namespace lectern::cuda {

class Event;

/// A queue of work for a GPU: what is given to one stream is done in order, what is given to two may overlap.
/// A handle: copies are the same stream. Streams live as long as the program.
class Stream {
 public:
  /// One beside the default one: the next of 32 per device and kind of priority, which are shared from then
  /// on. Priorities below zero are served first. A TensorError when there is no such device.
  explicit Stream(int device = current_device(), int priority = 0);
  /// A stream that CUDA made.
  Stream(int device, StreamHandle handle) : device_(device), handle_(handle) {}

  int device() const { return device_; }
  StreamHandle handle() const { return handle_; }

  /// Waits until all that was given is done. Errors of what was given show here.
  void synchronize() const;
  /// Whether all that was given is done.
  bool query() const;
  /// A mark behind all that was given.
  Event record_event() const;
  /// What is given from now on waits for the event, or for all that `other` was given.
  void wait_event(const Event& event) const;
  void wait_stream(const Stream& other) const;

  friend bool operator==(const Stream&, const Stream&) = default;

 private:
  int device_;
  StreamHandle handle_;
};

/// The stream that operations of this thread use on a device; the default one at first.
Stream current_stream(int device = current_device());
Stream default_stream(int device = current_device());

/// Until the end of the scope the stream is current, and so is its device.
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

/// A mark in a stream: to wait for, and to measure time with.
class Event {
 public:
  explicit Event(bool enable_timing = false) : timed_(enable_timing) {}
  Event(Event&& other) noexcept;
  Event& operator=(Event&& other) noexcept;
  ~Event();

  /// Marks the present end of the stream, in place of what it marked before. A TensorError for a stream of
  /// another device than the first time.
  void record(const Stream& stream = current_stream());
  /// What is given to the stream from now on waits until the mark is reached.
  void wait(const Stream& stream = current_stream()) const;
  /// Whether the mark is reached. An event that was never recorded is.
  bool query() const;
  /// Waits until the mark is reached.
  void synchronize() const;
  /// The same for those who cannot pass on what kernels reported (device/index_fault.h): it is left for
  /// others.
  void wait_on_host() const;
  /// Milliseconds from this mark to `end`, on the GPU's clock. A TensorError unless both were made for
  /// timing, recorded and reached.
  double elapsed_time(const Event& end) const;

 private:
  bool timed_;
  int device_ = 0;
  EventHandle handle_ = nullptr;  ///< made by the first record
};

}  // namespace lectern::cuda
