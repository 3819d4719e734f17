#include "tensor/storage.h"

#include <mutex>
#include <utility>

#include "device/allocator.h"

namespace lectern {
namespace {

constinit std::atomic<std::uint64_t> newest{0};
/// Guards Block::elements, which one thread may resolve while another reads it.
constinit std::mutex deferral;

std::uint64_t next_id() {
  return newest.fetch_add(1, std::memory_order_relaxed) + 1;
}

}  // namespace

Storage::Storage(std::size_t nbytes, Device device)
    : block_(new Block{
          .data = allocator(device).allocate(nbytes), .nbytes = nbytes, .device = device, .id = next_id()}) {}

Storage::Storage(void* data, std::size_t nbytes, Device device, std::function<void()> release)
    : block_(new Block{.data = data,
                       .nbytes = nbytes,
                       .device = device,
                       .id = next_id(),
                       .release = release ? std::move(release) : [] {}}) {}

Storage::Storage(std::size_t nbytes, Device device, std::shared_ptr<DeferredElements> elements)
    : block_(new Block{.nbytes = nbytes,
                       .device = device,
                       .id = next_id(),
                       .deferred = true,
                       .elements = std::move(elements)}) {}

void Storage::before_access() const {
  if (const auto elements = deferred_elements()) elements->compute(*this);
  if (detail::storage_watch != nullptr) detail::storage_watch->before_access(*this);
}

std::shared_ptr<DeferredElements> Storage::deferred_elements() const {
  if (!is_deferred()) return nullptr;
  const std::lock_guard lock(deferral);
  return block_->elements;
}

void Storage::defer(std::shared_ptr<DeferredElements> elements) const {
  const std::lock_guard lock(deferral);
  block_->elements.swap(elements);
}

void* Storage::allocate_deferred() const {
  if (block_->data == nullptr) block_->data = allocator(block_->device).allocate(block_->nbytes);
  return block_->data;
}

void Storage::resolve() const noexcept {
  std::shared_ptr<DeferredElements> elements;
  {
    const std::lock_guard lock(deferral);
    elements.swap(block_->elements);
  }
  block_->deferred.store(false, std::memory_order_release);
  count(*block_);
}

void Storage::evict(std::shared_ptr<DeferredElements> elements) const {
  {
    const std::lock_guard lock(deferral);
    block_->elements = std::move(elements);
  }
  free(*block_);
  block_->data = nullptr;
  block_->deferred.store(true, std::memory_order_release);
}

std::uint64_t Storage::last_id() {
  return newest.load(std::memory_order_relaxed);
}

MemoryCategory Storage::category() const noexcept {
  return block_ == nullptr ? MemoryCategory::temporary : block_->counted.load(std::memory_order_relaxed);
}

void Storage::set_category(MemoryCategory category) const noexcept {
  if (block_ == nullptr) return;
  block_->own.store(category, std::memory_order_relaxed);
  count(*block_);
}

void Storage::keep(int change) const noexcept {
  if (block_ == nullptr) return;
  const int before = block_->kept.fetch_add(change, std::memory_order_relaxed);
  if (before == 0 || before + change == 0) count(*block_);
}

void Storage::count(Block& block) noexcept {
  if (block.release || block.deferred.load(std::memory_order_relaxed)) return;
  MemoryCategory category = block.own.load(std::memory_order_relaxed);
  if (category == MemoryCategory::temporary && block.kept.load(std::memory_order_relaxed) > 0)
    category = MemoryCategory::activation;
  const MemoryCategory before = block.counted.exchange(category, std::memory_order_relaxed);
  if (before != category) allocator(block.device).move_category(block.nbytes, before, category);
}

void Storage::free(Block& block) noexcept {
  const MemoryCategory counted = block.counted.exchange(MemoryCategory::temporary, std::memory_order_relaxed);
  if (counted != MemoryCategory::temporary)
    allocator(block.device).move_category(block.nbytes, counted, MemoryCategory::temporary);
  allocator(block.device).deallocate(block.data, block.nbytes);
}

void Storage::destroy(Block* block) noexcept {
  if (block->release) {
    block->release();
  } else if (!block->deferred || block->data != nullptr) {
    free(*block);
  }
  delete block;
}

}  // namespace lectern
