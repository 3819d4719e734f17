#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "device/cuda.h"

struct CUstream_st;
struct CUevent_st;

namespace lectern::cuda {

using StreamHandle = CUstream_st*;  ///< cudaStream_t; nullptr is the default stream of the current device
using EventHandle = CUevent_st*;    ///< cudaEvent_t
/// CUDA's error message; nullptr on success.
using Problem = const char*;

/// The part of CUDA's runtime that the engine uses, call by call: the only interface to it, so that code
/// above works with any. Calls without a device refer to the calling thread's current one.
class Driver {
 public:
  virtual ~Driver() = default;

  virtual int device_count() = 0;
  virtual Problem properties(int device, DeviceProperties* properties) = 0;
  virtual Problem set_device(int device) = 0;
  virtual Problem memory_info(MemoryInfo* info) = 0;
  virtual Problem synchronize() = 0;
  /// The error since the last call: of a launch just now, or of work enqueued before.
  virtual Problem last_error() = 0;

  virtual Problem create_stream(StreamHandle* stream, int priority) = 0;
  virtual Problem synchronize(StreamHandle stream) = 0;
  virtual Problem query(StreamHandle stream, bool* done) = 0;

  virtual Problem create_event(EventHandle* event, bool timed) = 0;
  virtual void destroy(EventHandle event) noexcept = 0;
  virtual Problem record(EventHandle event, StreamHandle stream) = 0;
  virtual Problem wait(StreamHandle stream, EventHandle event) = 0;
  virtual Problem query(EventHandle event, bool* done) = 0;
  virtual Problem synchronize(EventHandle event) = 0;
  virtual Problem elapsed(EventHandle start, EventHandle end, float* milliseconds) = 0;

  /// Stream-ordered, from a pool that caches freed memory until trim(); `*data` is nullptr when out of
  /// memory.
  virtual Problem allocate(void** data, std::size_t bytes, StreamHandle stream) = 0;
  virtual void free(void* data, StreamHandle stream) noexcept = 0;
  virtual void trim() noexcept = 0;
  /// Page-locked host memory; `*data` is nullptr when out of memory.
  virtual Problem allocate_pinned(void** data, std::size_t bytes) = 0;
  virtual void free_pinned(void* data) noexcept = 0;

  /// Between any two of host and devices.
  virtual Problem copy(void* to, const void* from, std::size_t bytes, StreamHandle stream) = 0;
};

/// The driver of this machine's GPUs; nullptr and why if there is none to use.
std::unique_ptr<Driver> find_driver(std::string* why_not);

}  // namespace lectern::cuda
