#include "device/device_allocator.h"

namespace lectern::cuda {

DeviceAllocator::DeviceAllocator(Driver& driver, int device)
    : StreamAllocator(driver, "cuda:" + std::to_string(device)), device_(device) {}

std::optional<Stream> DeviceAllocator::owner() const {
  return current_stream(device_);
}

Status DeviceAllocator::allocate_memory(void** data, std::size_t bytes, const std::optional<Stream>& owner) {
  const DeviceGuard guard(device_);
  return driver().allocate(data, bytes, owner->handle());
}

void DeviceAllocator::free_memory(void* data, const std::optional<Stream>& owner) noexcept {
  const DeviceGuard guard(device_);
  driver().free(data, owner->handle());
}

void DeviceAllocator::trim() noexcept {
  const DeviceGuard guard(device_);
  driver().trim();
}

PinnedAllocator::PinnedAllocator(Driver& driver) : StreamAllocator(driver, "pinned host memory") {}

Status PinnedAllocator::allocate_memory(void** data, std::size_t bytes,
                                        const std::optional<Stream>& /*owner*/) {
  return driver().allocate_pinned(data, bytes);
}

void PinnedAllocator::free_memory(void* data, const std::optional<Stream>& /*owner*/) noexcept {
  driver().free_pinned(data);
}

}  // namespace lectern::cuda
