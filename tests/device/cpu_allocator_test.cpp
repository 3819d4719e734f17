#include "device/cpu_allocator.h"

#include <cstring>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "base/tensor_error.h"

namespace lectern {
namespace {

constexpr std::size_t kMiB = std::size_t{1} << 20;

class CpuAllocator : public testing::Test {
 protected:
  void* allocate(std::size_t bytes) const { return allocator_.allocate(bytes); }
  void deallocate(void* data, std::size_t bytes) const { allocator_.deallocate(data, bytes); }
  std::int64_t reserved() const { return allocator_.stats().reserved; }

  Allocator& allocator_ = cpu_allocator();
};

TEST_F(CpuAllocator, AlignsEverySize) {
  for (const std::size_t bytes :
       {1UL, 63UL, 64UL, 65UL, 4096UL, 32'768UL, 32'769UL, 1'000'000UL, 2 * kMiB, 5 * kMiB + 1}) {
    void* data = allocate(bytes);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(data) % 64, 0U) << bytes;
    std::memset(data, 0x5a, bytes);
    deallocate(data, bytes);
  }
}

TEST_F(CpuAllocator, NothingIsNoMemory) {
  EXPECT_EQ(allocate(0), nullptr);
  deallocate(nullptr, 0);
}

TEST_F(CpuAllocator, AFreedBlockServesTheNextRequestOfItsClass) {
  if (!kCpuAllocatorCaches) GTEST_SKIP() << "nothing is kept under AddressSanitizer";
  for (const std::size_t bytes : {100UL, 20'000UL, 100'000UL, 10 * kMiB}) {
    void* first = allocate(bytes);
    deallocate(first, bytes);
    const std::int64_t before = reserved();
    void* second = allocate(bytes - 1);
    EXPECT_EQ(second, first) << bytes;
    EXPECT_EQ(reserved(), before);
    deallocate(second, bytes - 1);
  }
}

TEST_F(CpuAllocator, AddressSanitizerSeesUsesOfFreedMemory) {
  if (kCpuAllocatorCaches) GTEST_SKIP() << "needs AddressSanitizer";
  for (const std::size_t bytes : {100UL, 10 * kMiB}) {
    auto* volatile data = static_cast<char*>(allocate(bytes));
    deallocate(data, bytes);
    EXPECT_DEATH(data[1] = 1, "heap-use-after-free");
  }
}

TEST_F(CpuAllocator, LargeBlocksAreAlignedForHugePages) {
  if (!kCpuAllocatorCaches) GTEST_SKIP() << "under AddressSanitizer memory is malloc's";
  void* data = allocate(40 * kMiB);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(data) % (2 * kMiB), 0U);
  deallocate(data, 40 * kMiB);
}

TEST_F(CpuAllocator, ABlockMayBeFreedByAnotherThread) {
  for (const std::size_t bytes : {256UL, 3 * kMiB}) {
    const std::int64_t before = allocator_.stats().allocated;
    void* data = allocate(bytes);
    std::thread([&] { deallocate(data, bytes); }).join();
    EXPECT_EQ(allocator_.stats().allocated, before);
  }
}

TEST_F(CpuAllocator, AThreadThatEndsKeepsNoSmallBlocks) {
  const std::int64_t before = reserved();
  std::thread([&] {
    std::vector<void*> blocks(1000);
    for (void*& block : blocks) block = allocate(1000);
    for (void* block : blocks) deallocate(block, 1000);
  }).join();
  EXPECT_EQ(reserved(), before);
}

struct FreedLast {
  ~FreedLast() { cpu_allocator().deallocate(data, 512); }
  void* data = nullptr;
};

TEST_F(CpuAllocator, ThreadLocalTensorsMayOutliveTheThreadsLists) {
  const std::int64_t before = reserved();
  std::thread([&] {
    thread_local FreedLast last;  // made before the lists: freed after them
    last.data = allocate(512);
    deallocate(allocate(512), 512);
  }).join();
  EXPECT_EQ(reserved(), before);
}

TEST_F(CpuAllocator, AThreadKeepsABoundedAmountOfSmallBlocks) {
  std::thread([&] {
    const std::int64_t before = reserved();
    std::vector<void*> blocks(2000);
    for (void*& block : blocks) block = allocate(32'768);
    for (void* block : blocks) deallocate(block, 32'768);
    EXPECT_LE(reserved() - before, static_cast<std::int64_t>(8 * kMiB));
    allocator_.empty_cache();
    EXPECT_LE(reserved(), before);
  }).join();
}

TEST_F(CpuAllocator, SizesThatWereNotAskedForTheLongestGoFirst) {
  if (!kCpuAllocatorCaches) GTEST_SKIP() << "nothing is kept under AddressSanitizer";
  allocator_.empty_cache();
  void* most = allocate(1024 * kMiB);  // never touched: address space only
  deallocate(most, 1024 * kMiB);
  for (std::size_t bytes = 900 * kMiB; bytes > 400 * kMiB; bytes -= 60 * kMiB) {
    deallocate(allocate(bytes), bytes);
  }
  const MemoryStats stats = allocator_.stats();
  EXPECT_LE(stats.reserved,
            stats.max_allocated + stats.max_allocated / 2 + static_cast<std::int64_t>(256 * kMiB));
  EXPECT_GT(stats.reserved, static_cast<std::int64_t>(420 * kMiB));  // the newest is still there
  allocator_.empty_cache();
}

TEST_F(CpuAllocator, OutOfMemorySaysWhatWasAskedAndGoesOn) {
  void* kept = allocate(8 * kMiB);
  deallocate(kept, 8 * kMiB);
  void* used = allocate(3 * kMiB);
  for (const std::size_t bytes : {std::size_t{1} << 61, SIZE_MAX}) {
    try {
      allocate(bytes);
      FAIL() << "got " << bytes << " bytes";
    } catch (const TensorError& error) {
      const std::string message = error.what();
      EXPECT_NE(message.find("out of memory on cpu"), std::string::npos) << message;
      EXPECT_NE(message.find("allocated"), std::string::npos) << message;
    }
  }
  EXPECT_NO_THROW(deallocate(allocate(9 * kMiB), 9 * kMiB));
  deallocate(used, 3 * kMiB);
}

TEST_F(CpuAllocator, BlocksOfManyThreadsNeverOverlap) {
  const std::int64_t before = allocator_.stats().allocated;
  std::vector<std::thread> threads;
  for (unsigned seed = 0; seed < 4; ++seed) {
    threads.emplace_back([&, seed] {
      struct Block {
        unsigned char* data;
        std::size_t bytes;
        unsigned char mark;
      };
      std::mt19937 random(seed);
      std::vector<Block> blocks;
      const auto drop = [&](std::size_t at) {
        const Block block = blocks[at];
        EXPECT_EQ(block.data[0], block.mark);
        EXPECT_EQ(block.data[block.bytes - 1], block.mark);
        deallocate(block.data, block.bytes);
        blocks[at] = blocks.back();
        blocks.pop_back();
      };
      for (int round = 0; round < 20'000; ++round) {
        if (blocks.size() < 50 || random() % 2 == 0) {
          const std::size_t bytes = 1 + random() % (std::size_t{1} << (1 + random() % 18));
          auto* data = static_cast<unsigned char*>(allocate(bytes));
          const auto mark = static_cast<unsigned char>(random());
          data[0] = data[bytes - 1] = mark;
          blocks.push_back({data, bytes, mark});
        }
        if (blocks.size() > 100) drop(random() % blocks.size());
      }
      while (!blocks.empty()) drop(blocks.size() - 1);
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(allocator_.stats().allocated, before);
}

}  // namespace
}  // namespace lectern
