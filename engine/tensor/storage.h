#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>

#include "device/device.h"

namespace lectern {

/// A block of memory that tensors look at: one, or many that are views of each other. A handle: copies are
/// the same storage. It lives as long as the last of them.
class Storage {
 public:
  /// No storage.
  Storage() = default;
  /// Uninitialised memory from the device's allocator.
  Storage(std::size_t nbytes, Device device);
  /// Memory that belongs to somebody else; `release` is called once nobody looks at it any more.
  Storage(void* data, std::size_t nbytes, Device device, std::function<void()> release);

  Storage(const Storage& other) noexcept : block_(other.block_) { retain(); }
  Storage(Storage&& other) noexcept : block_(other.block_) { other.block_ = nullptr; }
  Storage& operator=(Storage other) noexcept {
    std::swap(block_, other.block_);
    return *this;
  }
  ~Storage() { release(); }

  explicit operator bool() const { return block_ != nullptr; }
  void* data_ptr() const { return block_ == nullptr ? nullptr : block_->data; }
  std::size_t nbytes() const { return block_ == nullptr ? 0 : block_->nbytes; }
  Device device() const { return block_ == nullptr ? cpu : block_->device; }
  /// How many handles there are.
  int use_count() const { return block_ == nullptr ? 0 : block_->references.load(std::memory_order_relaxed); }
  /// Different for any two storages of this run, also when one has taken the memory of another that is gone.
  /// From 1, growing.
  std::uint64_t id() const { return block_ == nullptr ? 0 : block_->id; }
  /// Of the newest storage; 0 before the first one.
  static std::uint64_t last_id();

  /// Counts the in-place changes, through whichever view: how a saved tensor notices that it was overwritten.
  std::uint64_t version() const {
    return block_ == nullptr ? 0 : block_->version.load(std::memory_order_relaxed);
  }
  void bump_version() const {
    if (block_ != nullptr) block_->version.fetch_add(1, std::memory_order_relaxed);
  }

  friend bool operator==(const Storage&, const Storage&) = default;

 private:
  struct Block {
    std::atomic<int> references{1};
    std::atomic<std::uint64_t> version{0};
    void* data = nullptr;
    std::size_t nbytes = 0;
    Device device;
    std::uint64_t id = 0;
    std::function<void()> release;  ///< empty: the memory is the allocator's
  };

  void retain() const noexcept {
    if (block_ != nullptr) block_->references.fetch_add(1, std::memory_order_relaxed);
  }
  void release() noexcept {
    if (block_ != nullptr && block_->references.fetch_sub(1, std::memory_order_acq_rel) == 1) destroy(block_);
  }
  static void destroy(Block* block) noexcept;

  Block* block_ = nullptr;
};

}  // namespace lectern
