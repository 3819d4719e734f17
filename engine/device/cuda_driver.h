#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "device/cuda.h"
#include "device/stream_handle.h"

struct CUevent_st;
struct CUgraphExec_st;

namespace lectern::cuda {

using EventHandle = CUevent_st*;      ///< cudaEvent_t
using GraphHandle = CUgraphExec_st*;  ///< cudaGraphExec_t
/// CUDA's error message; nullptr on success.
using Status = const char*;

/// Throws TensorError of `operation` unless the status is success. Since work runs asynchronously, it also
/// names the last operations that check() has seen on this thread; not under LECTERN_CUDA_SYNC=1.
void check_status(std::string_view operation, Status status);

/// The part of CUDA's runtime that the engine uses, call by call: the only interface to it, so that
/// code above works with any. Calls without a device refer to the calling thread's current one.
class Driver {
 public:
  virtual ~Driver() = default;

  virtual int device_count() = 0;
  virtual Status properties(int device, DeviceProperties* properties) = 0;
  virtual Status set_device(int device) = 0;
  virtual Status memory_info(MemoryInfo* info) = 0;
  virtual Status synchronize() = 0;
  /// The error since the last call: of a launch just now, or of work enqueued before.
  virtual Status last_error() = 0;

  virtual Status create_stream(StreamHandle* stream, int priority) = 0;
  virtual Status synchronize(StreamHandle stream) = 0;
  virtual Status query(StreamHandle stream, bool* done) = 0;

  virtual Status create_event(EventHandle* event, bool timed) = 0;
  virtual void destroy(EventHandle event) noexcept = 0;
  virtual Status record(EventHandle event, StreamHandle stream) = 0;
  virtual Status wait(StreamHandle stream, EventHandle event) = 0;
  virtual Status query(EventHandle event, bool* done) = 0;
  virtual Status synchronize(EventHandle event) = 0;
  virtual Status elapsed(EventHandle start, EventHandle end, float* milliseconds) = 0;

  /// Stream-ordered, from a pool that caches freed memory until trim(); `*data` is nullptr when out of
  /// memory.
  virtual Status allocate(void** data, std::size_t bytes, StreamHandle stream) = 0;
  virtual void free(void* data, StreamHandle stream) noexcept = 0;
  virtual void trim() noexcept = 0;
  /// Page-locked host memory; `*data` is nullptr when out of memory.
  virtual Status allocate_pinned(void** data, std::size_t bytes) = 0;
  virtual void free_pinned(void* data) noexcept = 0;

  /// Between the host and the current device, or within one of them.
  virtual Status copy(void* to, const void* from, std::size_t bytes, StreamHandle stream) = 0;
  /// Between two devices, of which the stream is on the current one.
  virtual Status copy_between(void* to, int to_device, const void* from, int from_device, std::size_t bytes,
                              StreamHandle stream) = 0;

  /// From here to end_capture() work given to the stream by this thread is recorded instead of done.
  virtual Status begin_capture(StreamHandle stream) = 0;
  /// What was recorded; nullptr if the capture was invalid.
  virtual Status end_capture(StreamHandle stream, GraphHandle* graph) = 0;
  virtual Status launch(GraphHandle graph, StreamHandle stream) = 0;
  virtual void destroy(GraphHandle graph) noexcept = 0;
};

/// The driver of this machine's GPUs; nullptr and the reason if none is usable.
std::unique_ptr<Driver> find_driver(std::string* reason);

}  // namespace lectern::cuda
