#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "device/allocator.h"
#include "device/stream.h"

namespace lectern::cuda {

/// Memory that streams still use when the host has let go of it.
///
/// A block may belong to a stream: freed, it serves that stream's next request for its size class at once,
/// since the stream does its work in order. Streams that use it beside its owner are recorded; a freed block
/// waits until they have done what they were given by then. When there is no more memory it waits for those
/// blocks, gives back all that is kept, and tries again. Thread safe.
class StreamAllocator : public Allocator {
 public:
  StreamAllocator(const StreamAllocator&) = delete;
  StreamAllocator& operator=(const StreamAllocator&) = delete;

  void* allocate(std::size_t bytes) override;
  void deallocate(void* data, std::size_t bytes) noexcept override;
  void empty_cache() override;
  MemoryStats stats() const override;
  void reset_peak() override;

  /// `stream` uses the block that `data` points into. False when it points into none that is in use.
  bool record_stream(const void* data, const Stream& stream);
  /// Whether `data` points into a block that is in use.
  bool owns(const void* data) const;

 protected:
  StreamAllocator(Driver& driver, std::string where) : driver_(driver), where_(std::move(where)) {}

  Driver& driver() const { return driver_; }

  /// Who owns what this thread asks for.
  virtual std::optional<Stream> owner() const = 0;
  /// From the system; `*data` is nullptr when it has no more.
  virtual Problem obtain(void** data, std::size_t bytes, const std::optional<Stream>& owner) = 0;
  virtual void give_back(void* data, const std::optional<Stream>& owner) noexcept = 0;
  /// All that was kept has been given back.
  virtual void trim() noexcept {}

 private:
  struct Block {
    void* data;
    std::size_t size_class;
    std::optional<Stream> owner;
    std::vector<Stream> users;  ///< beside the owner
  };
  struct Waiting {
    Block block;
    std::vector<Event> events;
  };
  using Shelf = std::pair<StreamHandle, std::size_t>;  ///< owner and size class

  /// All of these under the lock.
  const Block* find(const void* data) const;
  void* take(const Shelf& shelf);
  void* obtain_or_make_room(std::size_t size_class, const std::optional<Stream>& stream, std::size_t asked);
  void keep(Block& block);
  void keep_finished(bool wait);
  void give_back_all();

  Driver& driver_;
  const std::string where_;
  PeakCounter allocated_;
  PeakCounter reserved_;
  mutable std::mutex mutex_;
  std::map<const void*, Block> used_;
  std::map<Shelf, std::vector<Block>> kept_;
  std::vector<Waiting> waiting_;
};

}  // namespace lectern::cuda
