#include "device/cpu_allocator.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <mutex>
#include <new>

#include <sys/mman.h>

#include "device/size_class.h"

namespace lectern {
namespace {

constexpr std::size_t kUnit = 64;
constexpr std::size_t kHugePage = std::size_t{2} << 20;
/// AddressSanitizer aborts on requests beyond its limit.
constexpr std::size_t kMaxBytes = std::size_t{1} << (kCpuAllocatorCaches ? 62 : 39);
constexpr std::size_t kSmallClasses = size_class((std::size_t{32} << 10) / kUnit) + 1;
constexpr std::size_t kClasses = size_class(kMaxBytes / kUnit) + 1;
constexpr std::size_t kMaxSmallCached = std::size_t{8} << 20;
constexpr std::int64_t kSpareCache = std::int64_t{256} << 20;

constexpr std::size_t class_of(std::size_t bytes) {
  return size_class((bytes + kUnit - 1) / kUnit);
}
constexpr std::size_t class_bytes(std::size_t index) {
  return class_units(index) * kUnit;
}

/// A free block; the list is intrusive.
struct FreeBlock {
  FreeBlock* next;
};

void* pop(FreeBlock*& head) {
  FreeBlock* block = head;
  if (block != nullptr) head = block->next;
  return block;
}
void push(FreeBlock*& head, void* data) {
  head = new (data) FreeBlock{head};
}

/// nullptr when out of memory.
void* system_allocate(std::size_t bytes) {
  if (!kCpuAllocatorCaches || bytes < kHugePage) return std::aligned_alloc(kUnit, bytes);
  void* mapped = mmap(nullptr, bytes + kHugePage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED) return nullptr;
  auto* begin = static_cast<std::byte*>(mapped);
  const std::size_t before = (kHugePage - reinterpret_cast<std::uintptr_t>(begin) % kHugePage) % kHugePage;
  if (before != 0) munmap(begin, before);
  munmap(begin + before + bytes, kHugePage - before);
  madvise(begin + before, bytes, MADV_HUGEPAGE);
  return begin + before;
}

void system_free(void* data, std::size_t bytes) {
  if (!kCpuAllocatorCaches || bytes < kHugePage) {
    std::free(data);
  } else {
    munmap(data, bytes);
  }
}

/// Small blocks that a thread freed.
struct ThreadLists {
  std::array<FreeBlock*, kSmallClasses> heads;
  std::size_t cached_bytes;
  bool registered;  ///< emptied when the thread ends
  bool ended;       ///< emptied; tensors that outlive the thread are still freed
};
constinit thread_local ThreadLists lists{};

class CpuAllocator final : public Allocator {
 public:
  void* allocate(std::size_t bytes) override {
    if (bytes == 0) return nullptr;
    if (bytes > kMaxBytes) throw_out_of_memory("cpu", bytes);
    const std::size_t index = class_of(bytes);
    void* data = index < kSmallClasses ? pop_small(index) : pop_large(index);
    if (data == nullptr) data = allocate_block(index, bytes);
    allocated_.add(bytes);
    return data;
  }

  void deallocate(void* data, std::size_t bytes) noexcept override {
    if (data == nullptr) return;
    allocated_.subtract(bytes);
    const std::size_t index = class_of(bytes);
    if (!kCpuAllocatorCaches) {
      free_block(data, index);
    } else if (index < kSmallClasses) {
      cache_small(data, index);
    } else {
      const std::lock_guard lock(mutex_);
      push(large_[index].head, data);
    }
  }

  void empty_cache() override {
    empty_lists();
    const std::lock_guard lock(mutex_);
    while (free_oldest_class()) {
    }
  }

  /// Frees the small blocks cached by the calling thread.
  void empty_lists() noexcept {
    for (std::size_t index = 0; index < kSmallClasses; ++index) {
      while (void* data = pop(lists.heads[index])) free_block(data, index);
    }
    lists.cached_bytes = 0;
  }

 private:
  struct LargeClass {
    FreeBlock* head = nullptr;
    std::uint64_t last_use = 0;
  };

  static void* pop_small(std::size_t index) {
    void* data = pop(lists.heads[index]);
    if (data != nullptr) lists.cached_bytes -= class_bytes(index);
    return data;
  }

  void cache_small(void* data, std::size_t index) noexcept {
    if (!lists.registered) register_thread();
    if (lists.ended || lists.cached_bytes + class_bytes(index) > kMaxSmallCached)
      return free_block(data, index);
    push(lists.heads[index], data);
    lists.cached_bytes += class_bytes(index);
  }

  void* pop_large(std::size_t index) {
    const std::lock_guard lock(mutex_);
    large_[index].last_use = ++uses_;
    return pop(large_[index].head);
  }

  void* allocate_block(std::size_t index, std::size_t requested) {
    const std::size_t bytes = class_bytes(index);
    if (index >= kSmallClasses) trim_cache(static_cast<std::int64_t>(bytes));
    void* data = system_allocate(bytes);
    if (data == nullptr) {
      empty_cache();
      data = system_allocate(bytes);
      if (data == nullptr) throw_out_of_memory("cpu", requested);
    }
    reserved_.add(bytes);
    return data;
  }

  void free_block(void* data, std::size_t index) noexcept {
    system_free(data, class_bytes(index));
    reserved_.subtract(class_bytes(index));
  }

  void trim_cache(std::int64_t bytes) {
    const std::lock_guard lock(mutex_);
    peak_request_ = std::max(peak_request_, allocated_.sum() + bytes);
    const std::int64_t limit = peak_request_ + peak_request_ / 2 + kSpareCache;
    while (reserved_.sum() + bytes > limit && free_oldest_class()) {
    }
  }

  /// False if nothing is cached.
  bool free_oldest_class() {
    LargeClass* oldest = nullptr;
    for (std::size_t index = kSmallClasses; index < kClasses; ++index) {
      LargeClass& candidate = large_[index];
      if (candidate.head != nullptr && (oldest == nullptr || candidate.last_use < oldest->last_use)) {
        oldest = &candidate;
      }
    }
    if (oldest == nullptr) return false;
    while (void* data = pop(oldest->head)) free_block(data, static_cast<std::size_t>(oldest - large_.data()));
    return true;
  }

  static void register_thread() noexcept;

  std::mutex mutex_;
  std::array<LargeClass, kClasses> large_;
  std::uint64_t uses_ = 0;
  std::int64_t peak_request_ = 0;
};

/// Never destroyed: tensors of static lifetime are freed after everything else.
CpuAllocator& instance() {
  static CpuAllocator& allocator = *new CpuAllocator;
  return allocator;
}

void CpuAllocator::register_thread() noexcept {
  struct EndOfThread {
    EndOfThread() { lists.registered = true; }
    ~EndOfThread() {
      lists.ended = true;
      instance().empty_lists();
    }
  };
  [[maybe_unused]] thread_local const EndOfThread end;
}

}  // namespace

Allocator& cpu_allocator() {
  return instance();
}

}  // namespace lectern
