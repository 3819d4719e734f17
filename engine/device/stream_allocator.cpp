#include "device/stream_allocator.h"

#include <algorithm>
#include <exception>
#include <functional>
#include <iterator>

#include "base/tensor_error.h"
#include "device/context.h"
#include "device/cuda_errors.h"
#include "device/size_class.h"

namespace lectern::cuda {
namespace {

constexpr std::size_t kUnit = 512;
constexpr std::size_t kMostBytes = std::size_t{1} << 60;

std::size_t class_bytes(std::size_t size_class) {
  return class_units(size_class) * kUnit;
}

StreamHandle handle(const std::optional<Stream>& owner) {
  return owner ? owner->handle() : nullptr;
}

/// After the stream's work so far. If no event can be created, it waits instead.
std::optional<Event> mark(const Stream& stream) noexcept {
  try {
    return stream.record_event();
  } catch (const TensorError&) {
    const DeviceGuard guard(stream.device());
    context().driver().synchronize(stream.handle());
    return std::nullopt;
  }
}

/// A failed device reaches nothing, and uses no memory any more.
bool reached(const Event& event, bool wait) noexcept {
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
  const std::size_t index = size_class(std::min(bytes, kMostBytes) / kUnit + (bytes % kUnit != 0 ? 1 : 0));
  keep_finished(false);
  void* data = take({handle(stream), index});
  if (data == nullptr) data = obtain_or_make_room(index, stream, bytes);
  used_.emplace(data, Block{data, index, stream, {}});
  allocated_.add(static_cast<std::int64_t>(bytes));
  return data;
}

void StreamAllocator::deallocate(void* data, std::size_t bytes) noexcept {
  if (data == nullptr) return;
  const std::lock_guard lock(mutex_);
  auto node = used_.extract(data);
  if (node.empty()) std::terminate();  // freed twice, or not from here
  Block& block = node.mapped();
  allocated_.subtract(static_cast<std::int64_t>(bytes));
  std::vector<Event> events;
  for (const Stream& user : block.users) {
    if (std::optional<Event> event = mark(user)) events.push_back(std::move(*event));
  }
  if (events.empty()) {
    keep(block);
  } else {
    waiting_.push_back({std::move(block), std::move(events)});
  }
}

void StreamAllocator::empty_cache() {
  const std::lock_guard lock(mutex_);
  give_back_all();
}

MemoryStats StreamAllocator::stats() const {
  return {allocated_.sum(), allocated_.peak(), reserved_.sum(), reserved_.peak()};
}

void StreamAllocator::reset_peak() {
  allocated_.reset_peak();
  reserved_.reset_peak();
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
  auto after = used_.upper_bound(data);
  if (after == used_.begin()) return nullptr;
  const Block& block = std::prev(after)->second;
  const auto* end = static_cast<const std::byte*>(block.data) + class_bytes(block.size_class);
  return std::less<>()(data, static_cast<const void*>(end)) ? &block : nullptr;
}

void* StreamAllocator::take(const Shelf& shelf) {
  const auto found = kept_.find(shelf);
  if (found == kept_.end() || found->second.empty()) return nullptr;
  void* data = found->second.back().data;
  found->second.pop_back();
  return data;
}

void* StreamAllocator::obtain_or_make_room(std::size_t size_class, const std::optional<Stream>& stream,
                                           std::size_t asked) {
  const std::size_t bytes = class_bytes(size_class);
  void* data = nullptr;
  if (asked <= kMostBytes) must("allocate", obtain(&data, bytes, stream));
  if (data == nullptr) {
    give_back_all();
    if (asked <= kMostBytes) must("allocate", obtain(&data, bytes, stream));
    if (data == nullptr) throw TensorError("allocate", out_of_memory_message(where_, asked, stats()));
  }
  reserved_.add(static_cast<std::int64_t>(bytes));
  return data;
}

void StreamAllocator::keep(Block& block) {
  kept_[{handle(block.owner), block.size_class}].push_back(std::move(block));
}

void StreamAllocator::keep_finished(bool wait) {
  std::erase_if(waiting_, [&](Waiting& waiting) {
    const bool finished =
        std::ranges::all_of(waiting.events, [&](const Event& event) { return reached(event, wait); });
    if (finished) keep(waiting.block);
    return finished;
  });
}

void StreamAllocator::give_back_all() {
  keep_finished(true);
  for (auto& [shelf, blocks] : kept_) {
    for (const Block& block : blocks) {
      give_back(block.data, block.owner);
      reserved_.subtract(static_cast<std::int64_t>(class_bytes(block.size_class)));
    }
  }
  kept_.clear();
  trim();
}

}  // namespace lectern::cuda
