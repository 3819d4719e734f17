#include "tensor/storage.h"

#include <utility>

#include "device/allocator.h"

namespace lectern {
namespace {

constinit std::atomic<std::uint64_t> newest{0};

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

std::uint64_t Storage::last_id() {
  return newest.load(std::memory_order_relaxed);
}

void Storage::destroy(Block* block) noexcept {
  if (block->release) {
    block->release();
  } else {
    allocator(block->device).deallocate(block->data, block->nbytes);
  }
  delete block;
}

}  // namespace lectern
