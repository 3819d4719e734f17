#include "device/cpu_allocator.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <mutex>
#include <new>

#include <sys/mman.h>

#include "base/tensor_error.h"
#include "device/size_class.h"

namespace lectern {
namespace {

constexpr std::size_t kUnit = 64;
constexpr std::size_t kHugePage = std::size_t{2} << 20;
/// AddressSanitizer aborts on requests beyond its limit.
constexpr std::size_t kMostBytes = std::size_t{1} << (kCpuAllocatorKeeps ? 62 : 39);
constexpr std::size_t kSmallClasses = size_class((std::size_t{32} << 10) / kUnit) + 1;
constexpr std::size_t kClasses = size_class(kMostBytes / kUnit) + 1;
constexpr std::size_t kSmallKept = std::size_t{8} << 20;
constexpr std::int64_t kSpare = std::int64_t{256} << 20;

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
void* from_system(std::size_t bytes) {
  if (!kCpuAllocatorKeeps || bytes < kHugePage) return std::aligned_alloc(kUnit, bytes);
  void* mapped = mmap(nullptr, bytes + kHugePage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED) return nullptr;
  auto* begin = static_cast<std::byte*>(mapped);
  const std::size_t before = (kHugePage - reinterpret_cast<std::uintptr_t>(begin) % kHugePage) % kHugePage;
  if (before != 0) munmap(begin, before);
  munmap(begin + before + bytes, kHugePage - before);
  madvise(begin + before, bytes, MADV_HUGEPAGE);
  return begin + before;
}

void to_system(void* data, std::size_t bytes) {
  if (!kCpuAllocatorKeeps || bytes < kHugePage) {
    std::free(data);
  } else {
    munmap(data, bytes);
  }
}

/// Small blocks that a thread freed.
struct ThreadLists {
  std::array<FreeBlock*, kSmallClasses> heads;
  std::size_t kept;
  bool watched;  ///< emptied when the thread ends
  bool ended;    ///< emptied; tensors with a longer life are still freed
};
constinit thread_local ThreadLists lists{};

class CpuAllocator final : public Allocator {
 public:
  void* allocate(std::size_t bytes) override {
    if (bytes == 0) return nullptr;
    if (bytes > kMostBytes) throw out_of_memory(bytes);
    const std::size_t index = class_of(bytes);
    void* data = index < kSmallClasses ? small(index) : large(index);
    if (data == nullptr) data = obtain(index, bytes);
    allocated_.add(static_cast<std::int64_t>(bytes));
    return data;
  }

  void deallocate(void* data, std::size_t bytes) noexcept override {
    if (data == nullptr) return;
    allocated_.subtract(static_cast<std::int64_t>(bytes));
    const std::size_t index = class_of(bytes);
    if (!kCpuAllocatorKeeps) {
      give_back(data, index);
    } else if (index < kSmallClasses) {
      keep_small(data, index);
    } else {
      const std::lock_guard lock(mutex_);
      push(large_[index].head, data);
    }
  }

  void empty_cache() override {
    empty_lists();
    const std::lock_guard lock(mutex_);
    while (drop_oldest_class()) {
    }
  }

  MemoryStats stats() const override {
    return {allocated_.sum(), allocated_.peak(), reserved_.sum(), reserved_.peak()};
  }
  void reset_peak() override {
    allocated_.reset_peak();
    reserved_.reset_peak();
  }

  /// The small blocks of the calling thread.
  void empty_lists() noexcept {
    for (std::size_t index = 0; index < kSmallClasses; ++index) {
      while (void* data = pop(lists.heads[index])) give_back(data, index);
    }
    lists.kept = 0;
  }

 private:
  struct LargeClass {
    FreeBlock* head = nullptr;
    std::uint64_t last_use = 0;
  };

  static void* small(std::size_t index) {
    void* data = pop(lists.heads[index]);
    if (data != nullptr) lists.kept -= class_bytes(index);
    return data;
  }

  void keep_small(void* data, std::size_t index) noexcept {
    if (!lists.watched) watch_thread();
    if (lists.ended || lists.kept + class_bytes(index) > kSmallKept) return give_back(data, index);
    push(lists.heads[index], data);
    lists.kept += class_bytes(index);
  }

  void* large(std::size_t index) {
    const std::lock_guard lock(mutex_);
    large_[index].last_use = ++uses_;
    return pop(large_[index].head);
  }

  void* obtain(std::size_t index, std::size_t asked) {
    const std::size_t bytes = class_bytes(index);
    if (index >= kSmallClasses) make_room(static_cast<std::int64_t>(bytes));
    void* data = from_system(bytes);
    if (data == nullptr) {
      empty_cache();
      data = from_system(bytes);
      if (data == nullptr) throw out_of_memory(asked);
    }
    reserved_.add(static_cast<std::int64_t>(bytes));
    return data;
  }

  void give_back(void* data, std::size_t index) noexcept {
    to_system(data, class_bytes(index));
    reserved_.subtract(static_cast<std::int64_t>(class_bytes(index)));
  }

  void make_room(std::int64_t bytes) {
    const std::lock_guard lock(mutex_);
    most_allocated_ = std::max(most_allocated_, allocated_.sum() + bytes);
    const std::int64_t limit = most_allocated_ + most_allocated_ / 2 + kSpare;
    while (reserved_.sum() + bytes > limit && drop_oldest_class()) {
    }
  }

  /// False if nothing is cached.
  bool drop_oldest_class() {
    LargeClass* oldest = nullptr;
    for (std::size_t index = kSmallClasses; index < kClasses; ++index) {
      LargeClass& candidate = large_[index];
      if (candidate.head != nullptr && (oldest == nullptr || candidate.last_use < oldest->last_use)) {
        oldest = &candidate;
      }
    }
    if (oldest == nullptr) return false;
    while (void* data = pop(oldest->head)) give_back(data, static_cast<std::size_t>(oldest - large_.data()));
    return true;
  }

  static void watch_thread() noexcept;

  TensorError out_of_memory(std::size_t asked) const {
    return {"allocate", out_of_memory_message("cpu", asked, stats())};
  }

  PeakCounter allocated_;
  PeakCounter reserved_;
  std::mutex mutex_;
  std::array<LargeClass, kClasses> large_;
  std::uint64_t uses_ = 0;
  std::int64_t most_allocated_ = 0;
};

/// Never destroyed: tensors of static lifetime are freed after everything else.
CpuAllocator& instance() {
  static CpuAllocator& allocator = *new CpuAllocator;
  return allocator;
}

struct EndOfThread {
  ~EndOfThread() {
    lists.ended = true;
    instance().empty_lists();
  }
  void watch() const { lists.watched = true; }
};

void CpuAllocator::watch_thread() noexcept {
  thread_local const EndOfThread end;
  end.watch();
}

}  // namespace

Allocator& cpu_allocator() {
  return instance();
}

}  // namespace lectern
