#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "device/allocator.h"
#include "device/capture.h"
#include "device/stream.h"

namespace lectern::cuda {

/// Memory that streams may use after the host has freed it.
///
/// A block may belong to a stream: once freed, it serves that stream's next request for its size class at
/// once, since the stream works in order. Other streams that use it are recorded; a freed block waits until
/// their work so far is done. When out of memory, the allocator waits for those blocks, releases its cache,
/// and retries; while any thread captures, the driver keeps what is released, for other requests.
///
/// What a thread allocates while it captures (device/capture.h) belongs to the recording: freed, it serves
/// only that capture's next requests, and stays until release_pool(). Thread safe.
class StreamAllocator : public Allocator {
 public:
  StreamAllocator(const StreamAllocator&) = delete;
  StreamAllocator& operator=(const StreamAllocator&) = delete;

  void* allocate(std::size_t bytes) override;
  void deallocate(void* data, std::size_t bytes) noexcept override;
  void empty_cache() override;

  /// `stream` uses the block that `data` points into. False if that is no block in use.
  bool record_stream(const void* data, const Stream& stream);
  /// Whether `data` points into a block in use.
  bool owns(const void* data) const;
  /// Frees the blocks of a recording that are not in use; those in use then belong to no recording. The
  /// device does no work.
  void release_pool(PoolId pool) noexcept;

 protected:
  StreamAllocator(Driver& driver, std::string device_name)
      : driver_(driver), device_name_(std::move(device_name)) {}

  Driver& driver() const { return driver_; }

  /// The owner of new allocations.
  virtual std::optional<Stream> owner() const = 0;
  /// From the system; `*data` is nullptr when out of memory.
  virtual Status allocate_memory(void** data, std::size_t bytes, const std::optional<Stream>& owner) = 0;
  virtual void free_memory(void* data, const std::optional<Stream>& owner) noexcept = 0;
  /// Called after the cache has been freed, while no thread captures.
  virtual void trim() noexcept {}
  /// Whether a capture may use a block again that it has freed: not if the host wrote to it, as it does so
  /// only once.
  virtual bool reuses_captured() const = 0;

 private:
  struct Block {
    void* data;
    std::size_t size_class;
    std::optional<Stream> owner;
    PoolId pool;
    std::vector<Stream> users;  ///< beside the owner
  };
  struct PendingBlock {
    Block block;
    std::vector<Event> events;
  };
  using CacheKey = std::tuple<PoolId, StreamHandle, std::size_t>;  ///< pool, owner and size class

  /// These require the lock.
  const Block* find(const void* data) const;
  void* pop_cached(const CacheKey& key);
  void* allocate_block(std::size_t size_class, const std::optional<Stream>& stream, std::size_t requested);
  Status allocate_outside(void** data, std::size_t bytes, const std::optional<Stream>& stream);
  std::vector<Event> marks_of_users(const Block& block) noexcept;
  void cache(Block& block);
  void free_block(const Block& block, const std::optional<Stream>& stream) noexcept;
  void free_recorded(const Block& block) noexcept;
  void cache_completed(bool wait);
  void free_cache();

  Driver& driver_;
  const std::string device_name_;
  mutable std::mutex mutex_;
  std::map<const void*, Block> blocks_;  ///< in use
  std::map<CacheKey, std::vector<Block>> cached_;
  std::vector<PendingBlock> pending_;          ///< freed, but still used by other streams
  std::map<PoolId, std::vector<Block>> held_;  ///< freed, kept for a recording
};

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
  bool reuses_captured() const override { return true; }

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
  bool reuses_captured() const override { return false; }
};

}  // namespace lectern::cuda
