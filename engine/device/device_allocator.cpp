#include "device/device_allocator.h"

namespace lectern::cuda {

DeviceAllocator::DeviceAllocator(Driver& driver, int device)
    : StreamAllocator(driver, "cuda:" + std::to_string(device)), device_(device) {}

std::optional<Stream> DeviceAllocator::owner() const {
  return current_stream(device_);
}

Problem DeviceAllocator::obtain(void** data, std::size_t bytes, const std::optional<Stream>& owner) {
  const DeviceGuard guard(device_);
  return driver().allocate(data, bytes, owner->handle());
}

void DeviceAllocator::give_back(void* data, const std::optional<Stream>& owner) noexcept {
  const DeviceGuard guard(device_);
  driver().free(data, owner->handle());
}

void DeviceAllocator::trim() noexcept {
  const DeviceGuard guard(device_);
  driver().trim();
}

PinnedAllocator::PinnedAllocator(Driver& driver) : StreamAllocator(driver, "pinned host memory") {}

Problem PinnedAllocator::obtain(void** data, std::size_t bytes, const std::optional<Stream>& /*owner*/) {
  return driver().allocate_pinned(data, bytes);
}

void PinnedAllocator::give_back(void* data, const std::optional<Stream>& /*owner*/) noexcept {
  driver().free_pinned(data);
}

}  // namespace lectern::cuda
