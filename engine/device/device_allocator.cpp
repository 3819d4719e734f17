#include "device/device_allocator.h"

#include <algorithm>
#include <exception>
#include <functional>
#include <iterator>

#include "base/tensor_error.h"
#include "device/context.h"
#include "device/size_class.h"

namespace lectern::cuda {
namespace {

constexpr std::size_t kUnit = 512;
constexpr std::size_t kMaxBytes = std::size_t{1} << 60;

std::size_t class_bytes(std::size_t size_class) {
  return class_units(size_class) * kUnit;
}

StreamHandle handle(const std::optional<Stream>& owner) {
  return owner ? owner->handle() : nullptr;
}

/// An event after the stream's work so far. If none can be created, waits for that work instead.
/// Of what is enqueued: nobody is told.
std::optional<Event> record_event(const Stream& stream) noexcept {
  const ScopedValue<StreamWatch*> unwatched(detail::stream_watch, nullptr);
  try {
    return stream.record_event();
  } catch (const TensorError&) {
    const DeviceGuard guard(stream.device());
    context().driver().synchronize(stream.handle());
    return std::nullopt;
  }
}

/// True on a failed device, too, which no longer uses memory.
bool is_complete(const Event& event, bool wait) noexcept {
  try {
    if (wait) event.wait_on_host();
    return event.query();
  } catch (const TensorError&) {
    return true;
  }
}

}  // namespace

void* StreamAllocator::allocate(std::size_t bytes) {
  if (bytes == 0) return nullptr;
  const std::optional<Stream> stream = owner();
  const std::lock_guard lock(mutex_);
  const std::size_t index = size_class(std::min(bytes, kMaxBytes) / kUnit + (bytes % kUnit != 0 ? 1 : 0));
  cache_completed(false);
  const PoolId pool = current_pool();
  void* data = pop_cached({pool, handle(stream), index});
  if (data == nullptr) data = allocate_block(index, stream, bytes);
  blocks_.emplace(data, Block{data, index, stream, pool, {}});
  allocated_.add(bytes);
  return data;
}

void StreamAllocator::deallocate(void* data, std::size_t bytes) noexcept {
  if (data == nullptr) return;
  const std::lock_guard lock(mutex_);
  auto node = blocks_.extract(data);
  if (node.empty()) std::terminate();  // freed twice, or another allocator's
  Block& block = node.mapped();
  allocated_.subtract(bytes);
  if (block.pool != 0 && (!reuses_captured() || !block.users.empty())) {
    held_[block.pool].push_back(std::move(block));
    return;
  }
  std::vector<Event> events = marks_of_users(block);
  if (events.empty()) {
    cache(block);
  } else {
    pending_.push_back({std::move(block), std::move(events)});
  }
}

void StreamAllocator::empty_cache() {
  const std::lock_guard lock(mutex_);
  free_cache();
}

bool StreamAllocator::record_stream(const void* data, const Stream& stream) {
  const std::lock_guard lock(mutex_);
  auto* block = const_cast<Block*>(find(data));
  if (block == nullptr) return false;
  if (block->owner != stream && std::ranges::find(block->users, stream) == block->users.end()) {
    block->users.push_back(stream);
  }
  return true;
}

bool StreamAllocator::owns(const void* data) const {
  const std::lock_guard lock(mutex_);
  return find(data) != nullptr;
}

const StreamAllocator::Block* StreamAllocator::find(const void* data) const {
  auto after = blocks_.upper_bound(data);
  if (after == blocks_.begin()) return nullptr;
  const Block& block = std::prev(after)->second;
  const auto* end = static_cast<const std::byte*>(block.data) + class_bytes(block.size_class);
  return std::less<>()(data, static_cast<const void*>(end)) ? &block : nullptr;
}

void* StreamAllocator::pop_cached(const CacheKey& key) {
  const auto found = cached_.find(key);
  if (found == cached_.end() || found->second.empty()) return nullptr;
  void* data = found->second.back().data;
  found->second.pop_back();
  return data;
}

/// A stream that is captured does nothing yet, and takes no event that the host could ask.
std::vector<Event> StreamAllocator::marks_of_users(const Block& block) noexcept {
  std::vector<Event> events;
  if (block.users.empty()) return events;
  const HeldCaptures captures;
  for (const Stream& user : block.users) {
    if (captures.include(user)) continue;
    if (std::optional<Event> event = record_event(user)) events.push_back(std::move(*event));
  }
  return events;
}

/// While capturing, memory comes from outside of what is recorded, and is there before anything runs.
Status StreamAllocator::allocate_outside(void** data, std::size_t bytes,
                                         const std::optional<Stream>& stream) {
  if (!is_capturing() || !stream) return allocate_memory(data, bytes, stream);
  const Stream outside = default_stream(stream->device());
  const Status status = allocate_memory(data, bytes, outside);
  return status != nullptr ? status : driver_.synchronize(outside.handle());
}

void* StreamAllocator::allocate_block(std::size_t size_class, const std::optional<Stream>& stream,
                                      std::size_t requested) {
  const std::size_t bytes = class_bytes(size_class);
  void* data = nullptr;
  if (requested <= kMaxBytes) check_status("allocate", allocate_outside(&data, bytes, stream));
  if (data == nullptr) {
    if (!is_capturing()) free_cache();  // else that would wait for the GPU
    if (requested <= kMaxBytes) check_status("allocate", allocate_outside(&data, bytes, stream));
    if (data == nullptr) throw_out_of_memory(device_name_, requested);
  }
  reserved_.add(bytes);
  return data;
}

void StreamAllocator::cache(Block& block) {
  cached_[{block.pool, handle(block.owner), block.size_class}].push_back(std::move(block));
}

void StreamAllocator::free_block(const Block& block, const std::optional<Stream>& stream) noexcept {
  free_memory(block.data, stream);
  reserved_.subtract(class_bytes(block.size_class));
}

/// Not on the stream that recorded, where another recording may have begun.
void StreamAllocator::free_recorded(const Block& block) noexcept {
  std::optional<Stream> stream;
  if (block.owner) stream = default_stream(block.owner->device());
  free_block(block, stream);
}

void StreamAllocator::release_pool(PoolId pool) noexcept {
  const std::lock_guard lock(mutex_);
  for (const Block& block : held_[pool]) free_recorded(block);
  held_.erase(pool);
  const auto first = cached_.lower_bound({pool, nullptr, 0});
  const auto last = cached_.lower_bound({pool + 1, nullptr, 0});
  for (auto entry = first; entry != last; ++entry) {
    for (const Block& block : entry->second) free_recorded(block);
  }
  cached_.erase(first, last);
  for (auto& [data, block] : blocks_) {
    if (block.pool == pool) block.pool = 0;
  }
}

void StreamAllocator::cache_completed(bool wait) {
  std::erase_if(pending_, [&](PendingBlock& pending) {
    const bool complete =
        std::ranges::all_of(pending.events, [&](const Event& event) { return is_complete(event, wait); });
    if (complete) cache(pending.block);
    return complete;
  });
}

void StreamAllocator::free_cache() {
  cache_completed(true);
  const HeldCaptures captures;
  std::erase_if(cached_, [&](const auto& entry) {
    const auto& [key, blocks] = entry;
    const bool is_of_recording = std::get<0>(key) != 0;
    const bool is_captured = !blocks.empty() && blocks[0].owner && captures.include(*blocks[0].owner);
    if (is_of_recording || is_captured) return false;
    for (const Block& block : blocks) free_block(block, block.owner);
    return true;
  });
  if (captures.empty()) trim();  // which waits for the device
}

DeviceAllocator::DeviceAllocator(Driver& driver, int device)
    : StreamAllocator(driver, "cuda:" + std::to_string(device)), device_(device) {}

std::optional<Stream> DeviceAllocator::owner() const {
  return current_stream(device_);
}

Status DeviceAllocator::allocate_memory(void** data, std::size_t bytes, const std::optional<Stream>& owner) {
  const DeviceGuard guard(device_);
  return driver().allocate(data, bytes, owner->handle());
}

void DeviceAllocator::free_memory(void* data, const std::optional<Stream>& owner) noexcept {
  const DeviceGuard guard(device_);
  driver().free(data, owner->handle());
}

void DeviceAllocator::trim() noexcept {
  const DeviceGuard guard(device_);
  driver().trim();
}

PinnedAllocator::PinnedAllocator(Driver& driver) : StreamAllocator(driver, "pinned host memory") {}

Status PinnedAllocator::allocate_memory(void** data, std::size_t bytes,
                                        const std::optional<Stream>& /*owner*/) {
  return driver().allocate_pinned(data, bytes);
}

void PinnedAllocator::free_memory(void* data, const std::optional<Stream>& /*owner*/) noexcept {
  driver().free_pinned(data);
}

}  // namespace lectern::cuda
