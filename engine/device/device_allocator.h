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
  Problem obtain(void** data, std::size_t bytes, const std::optional<Stream>& owner) override;
  void give_back(void* data, const std::optional<Stream>& owner) noexcept override;
  void trim() noexcept override;

  int device_;
};

/// Page-locked host memory, which GPUs read and write directly, while the host goes on. Blocks belong to no
/// stream: a freed one serves any next request once the copies that used it are done.
class PinnedAllocator final : public StreamAllocator {
 public:
  explicit PinnedAllocator(Driver& driver);

 private:
  std::optional<Stream> owner() const override { return std::nullopt; }
  Problem obtain(void** data, std::size_t bytes, const std::optional<Stream>& owner) override;
  void give_back(void* data, const std::optional<Stream>& owner) noexcept override;
};

}  // namespace lectern::cuda
