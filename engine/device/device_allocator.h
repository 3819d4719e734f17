#pragma once

#include "device/stream_allocator.h"

namespace lectern::cuda {

/// Stream-ordered memory of a GPU, from the driver's pool. A block belongs to the stream that was current
/// when it was allocated.
class DeviceAllocator final : public StreamAllocator {
 public:
  DeviceAllocator(Driver& driver, int device);

 private:
  std::optional<Stream> owner() const override;
  Status allocate_memory(void** data, std::size_t bytes, const std::optional<Stream>& owner) override;
  void free_memory(void* data, const std::optional<Stream>& owner) noexcept override;
  void trim() noexcept override;

  int device_;
};

/// Page-locked host memory, which GPUs read and write directly, while the host continues. Blocks belong to no
/// stream: a freed one serves any next request once the copies that used it are done.
class PinnedAllocator final : public StreamAllocator {
 public:
  explicit PinnedAllocator(Driver& driver);

 private:
  std::optional<Stream> owner() const override { return std::nullopt; }
  Status allocate_memory(void** data, std::size_t bytes, const std::optional<Stream>& owner) override;
  void free_memory(void* data, const std::optional<Stream>& owner) noexcept override;
};

}  // namespace lectern::cuda
