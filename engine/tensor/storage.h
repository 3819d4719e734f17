#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>

#include "device/device.h"
#include "device/memory_category.h"

namespace lectern {

class Storage;

/// Elements that are computed when something first needs them (compile/).
class DeferredElements {
 public:
  DeferredElements() = default;
  virtual ~DeferredElements() = default;
  DeferredElements(const DeferredElements&) = delete;
  DeferredElements& operator=(const DeferredElements&) = delete;

  /// Computes them into the memory that Storage::allocate_deferred() gives, then calls resolve().
  virtual void compute(const Storage& storage) = 0;
};

/// Is told of every access to a storage's memory by a thread, before it.
class StorageWatch {
 public:
  StorageWatch() = default;
  virtual ~StorageWatch() = default;
  StorageWatch(const StorageWatch&) = delete;
  StorageWatch& operator=(const StorageWatch&) = delete;

  virtual void before_access(const Storage& storage) = 0;
};

namespace detail {
inline constinit thread_local StorageWatch* storage_watch = nullptr;
}

/// A block of memory shared by a tensor and its views. A handle: copies are the same storage. It lives as
/// long as the last of them.
class Storage {
 public:
  /// No storage.
  Storage() = default;
  /// Uninitialised memory from the device's allocator.
  Storage(std::size_t nbytes, Device device);
  /// External memory; `release` is called when the last handle is gone.
  Storage(void* data, std::size_t nbytes, Device device, std::function<void()> release);
  /// Without memory until something asks for data_ptr().
  Storage(std::size_t nbytes, Device device, std::shared_ptr<DeferredElements> elements);

  Storage(const Storage& other) noexcept : block_(other.block_) { retain(); }
  Storage(Storage&& other) noexcept : block_(other.block_) { other.block_ = nullptr; }
  Storage& operator=(Storage other) noexcept {
    std::swap(block_, other.block_);
    return *this;
  }
  ~Storage() { release(); }

  explicit operator bool() const { return block_ != nullptr; }
  void* data_ptr() const {
    if (block_ == nullptr) return nullptr;
    if (detail::storage_watch != nullptr || is_deferred()) [[unlikely]]
      before_access();
    return block_->data;
  }
  std::size_t nbytes() const { return block_ == nullptr ? 0 : block_->nbytes; }
  Device device() const { return block_ == nullptr ? cpu : block_->device; }
  /// The number of handles.
  int use_count() const { return block_ == nullptr ? 0 : block_->references.load(std::memory_order_relaxed); }
  /// Of these, the ones that no graph holds.
  int use_count_outside_graphs() const {
    return use_count() - (block_ == nullptr ? 0 : block_->kept.load(std::memory_order_relaxed));
  }
  /// Unique within a run, even when the memory of a freed storage is reused. Increasing from 1.
  std::uint64_t id() const { return block_ == nullptr ? 0 : block_->id; }
  /// The newest storage's id; 0 before the first one.
  static std::uint64_t last_id();

  /// Counts in-place changes through any view: how a saved tensor detects that it was overwritten.
  std::uint64_t version() const {
    return block_ == nullptr ? 0 : block_->version.load(std::memory_order_relaxed);
  }
  void bump_version() const {
    if (block_ == nullptr) return;
    if (detail::storage_watch != nullptr) [[unlikely]]
      detail::storage_watch->before_access(*this);  // no access to memory told it, if no elements changed
    block_->version.fetch_add(1, std::memory_order_relaxed);
  }

  /// Counts its bytes as this category from now on (device/memory.h); external memory is not counted.
  void set_category(MemoryCategory category) const noexcept;
  /// As what they count: as activations, too, while a graph keeps them and they are nothing else.
  MemoryCategory category() const noexcept;

  /// Whether its elements are yet to be computed.
  bool is_deferred() const { return block_ != nullptr && block_->deferred.load(std::memory_order_acquire); }
  /// How; null once they are.
  std::shared_ptr<DeferredElements> deferred_elements() const;
  /// Replaces elements that are yet to be computed: an in-place change.
  void defer(std::shared_ptr<DeferredElements> elements) const;
  /// The memory for deferred elements, allocated by the first call.
  void* allocate_deferred() const;
  /// They are computed.
  void resolve() const noexcept;
  /// Frees the memory, of the allocator, until something asks for data_ptr() again: then `elements` compute
  /// it. Views and graphs keep the storage, not the memory.
  void evict(std::shared_ptr<DeferredElements> elements) const;

  friend bool operator==(const Storage&, const Storage&) = default;

 private:
  friend class KeptStorage;

  struct Block {
    std::atomic<int> references{1};
    std::atomic<std::uint64_t> version{0};
    void* data = nullptr;
    std::size_t nbytes = 0;
    Device device;
    std::uint64_t id = 0;
    std::function<void()> release = {};  ///< empty: the memory belongs to the allocator
    std::atomic<int> kept = 0;           ///< by how many graphs' nodes
    std::atomic<MemoryCategory> own = MemoryCategory::temporary;
    std::atomic<MemoryCategory> counted =
        MemoryCategory::temporary;  ///< the one that its bytes are counted as
    std::atomic<bool> deferred = false;
    std::shared_ptr<DeferredElements> elements = {};  ///< while deferred
  };

  void keep(int change) const noexcept;
  /// Counts the bytes as what they are now.
  static void count(Block& block) noexcept;
  /// Counts them as temporary, and frees them.
  static void free(Block& block) noexcept;

  void retain() const noexcept {
    if (block_ != nullptr) block_->references.fetch_add(1, std::memory_order_relaxed);
  }
  void release() noexcept {
    if (block_ != nullptr && block_->references.fetch_sub(1, std::memory_order_acq_rel) == 1) destroy(block_);
  }
  static void destroy(Block* block) noexcept;
  void before_access() const;

  Block* block_ = nullptr;
};

/// A storage that a graph keeps for its backward pass.
class KeptStorage {
 public:
  KeptStorage() = default;
  explicit KeptStorage(Storage storage) noexcept : storage_(std::move(storage)) { storage_.keep(1); }
  KeptStorage(const KeptStorage& other) noexcept : KeptStorage(other.storage_) {}
  KeptStorage(KeptStorage&& other) noexcept : storage_(std::move(other.storage_)) {}
  KeptStorage& operator=(KeptStorage other) noexcept {
    std::swap(storage_, other.storage_);
    return *this;
  }
  ~KeptStorage() { storage_.keep(-1); }

  const Storage& storage() const { return storage_; }

 private:
  Storage storage_;
};

}  // namespace lectern
