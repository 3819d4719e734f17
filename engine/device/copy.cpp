#include "device/copy.h"

#include <cstring>

#include "device/context.h"

namespace lectern::cuda {
namespace {

/// What a stream was given.
void end_copy(Status status, const void* to, const void* from, const Stream& stream) {
  check_status("copy", status);
  record_stream(to, stream);
  record_stream(from, stream);
  if (context().synchronous()) stream.synchronize();
}

}  // namespace

void enqueue_copy(void* to, const void* from, std::size_t bytes, const Stream& stream) {
  const DeviceGuard guard(stream.device());
  Driver& driver = context().driver();
  end_copy(bytes == 0 ? nullptr : driver.copy(to, from, bytes, stream.handle()), to, from, stream);
}

void enqueue_staged_copy(void* to, const void* from, std::size_t bytes, const Stream& stream) {
  if (bytes == 0) return;
  Allocator& pinned = pinned_allocator();
  void* const staged = pinned.allocate(bytes);
  std::memcpy(staged, from, bytes);
  enqueue_copy(to, staged, bytes, stream);
  pinned.deallocate(staged, bytes);
}

Event copy_async(void* to, const void* from, std::size_t bytes, const Stream& stream) {
  enqueue_copy(to, from, bytes, stream);
  return stream.record_event();
}

Event copy_from_gpu(int device, void* to, const void* from, std::size_t bytes, const Stream& stream) {
  const DeviceGuard guard(stream.device());
  Driver& driver = context().driver();
  end_copy(
      bytes == 0 ? nullptr : driver.copy_between(to, stream.device(), from, device, bytes, stream.handle()),
      to, from, stream);
  return stream.record_event();
}

void copy(void* to, const void* from, std::size_t bytes, const Stream& stream) {
  copy_async(to, from, bytes, stream).synchronize();
}

void record_stream(const void* data, const Stream& stream) {
  context().record_stream(data, stream);
}

Allocator& pinned_allocator() {
  return context().pinned_allocator();
}

bool is_pinned(const void* data) {
  Context* gpus = find_context();
  return gpus != nullptr && gpus->pinned_allocator().owns(data);
}

}  // namespace lectern::cuda
