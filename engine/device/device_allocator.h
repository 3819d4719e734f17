#pragma once

#include "device/stream_allocator.h"

namespace lectern::cuda {

/// The memory of a GPU, in the order of streams, from the driver's pool. A block belongs to the stream that
/// was current when it was asked for.
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

/// Page-locked memory of the host, which GPUs read and write by themselves, while the host goes on. Blocks
/// belong to no stream: a freed one serves any next request once the copies are done that used it.
class PinnedAllocator final : public StreamAllocator {
 public:
  explicit PinnedAllocator(Driver& driver);

 private:
  std::optional<Stream> owner() const override { return std::nullopt; }
  Problem obtain(void** data, std::size_t bytes, const std::optional<Stream>& owner) override;
  void give_back(void* data, const std::optional<Stream>& owner) noexcept override;
};

}  // namespace lectern::cuda
