#include "device/copy.h"

#include <cstring>

#include "device/context.h"

namespace lectern::cuda {

void enqueue_copy(void* to, const void* from, std::size_t bytes, const Stream& stream) {
  const DeviceGuard guard(stream.device());
  if (bytes != 0) check_status("copy", context().driver().copy(to, from, bytes, stream.handle()));
  record_stream(to, stream);
  record_stream(from, stream);
  if (context().synchronous()) stream.synchronize();
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
