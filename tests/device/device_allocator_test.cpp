#include "device/device_allocator.h"

#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "base/tensor_error.h"
#include "device/copy.h"
#include "device/fake_gpus.h"
#include "device/memory.h"

namespace lectern::cuda {
namespace {

class OneDeviceAllocator : public test::FakeGpus {
 protected:
  DeviceAllocator& allocator(int device = 0) { return context().allocator(device); }

  /// With `stream` as the current one.
  void* allocate(std::size_t bytes, const Stream& stream = default_stream(0)) {
    const StreamGuard guard(stream);
    return allocator(stream.device()).allocate(bytes);
  }
  void deallocate(void* data, std::size_t bytes) { allocator().deallocate(data, bytes); }
  void run(const Stream& stream) { driver_->run(stream.device(), stream.handle()); }
};

TEST_F(OneDeviceAllocator, AFreedBlockServesItsStreamAtOnce) {
  void* first = allocate(5000);
  deallocate(first, 5000);
  EXPECT_EQ(allocate(5001), first);
  EXPECT_EQ(driver_->allocations, 1);
  EXPECT_EQ(driver_->marks, 0);
}

TEST_F(OneDeviceAllocator, ABlockOfAnotherClassIsAnotherBlock) {
  void* first = allocate(5000);
  deallocate(first, 5000);
  EXPECT_NE(allocate(6000), first);
  EXPECT_EQ(driver_->allocations, 2);
}

TEST_F(OneDeviceAllocator, AStreamDoesNotGetTheBlocksOfAnother) {
  const Stream one;
  const Stream two;
  void* first = allocate(4096, one);
  deallocate(first, 4096);
  EXPECT_NE(allocate(4096, two), first);
  EXPECT_NE(allocate(4096), first);
  EXPECT_EQ(allocate(4096, one), first);
}

TEST_F(OneDeviceAllocator, TheStreamThatAskedOwnsTheBlockWhoeverFreesIt) {
  const Stream side;
  void* first = allocate(4096, side);
  {
    const StreamGuard guard(Stream{});
    deallocate(first, 4096);
  }
  EXPECT_EQ(allocate(4096, side), first);
}

TEST_F(OneDeviceAllocator, ARecordedStreamDefersReuse) {
  const Stream other;
  void* block = allocate(4096);
  EXPECT_TRUE(allocator().record_stream(block, other));
  deallocate(block, 4096);
  void* second = allocate(4096);
  EXPECT_NE(second, block);
  run(default_stream(0));  // the owner's progress does not matter
  void* third = allocate(4096);
  EXPECT_NE(third, block);
  run(other);
  EXPECT_EQ(allocate(4096), block);
}

TEST_F(OneDeviceAllocator, ABlockWaitsForAllItsStreamsOnceEach) {
  const Stream one;
  const Stream two;
  void* block = allocate(4096);
  for (const Stream& stream : {one, two, one, two}) allocator().record_stream(block, stream);
  deallocate(block, 4096);
  EXPECT_EQ(driver_->marks, 2);
  run(one);
  EXPECT_NE(allocate(4096), block);
  run(two);
  EXPECT_EQ(allocate(4096), block);
  EXPECT_EQ(driver_->living_events(), 0U);
}

TEST_F(OneDeviceAllocator, TheOwnerNeedsNoRecord) {
  const Stream stream;
  void* block = allocate(4096, stream);
  EXPECT_TRUE(allocator().record_stream(block, stream));
  deallocate(block, 4096);
  EXPECT_EQ(allocate(4096, stream), block);
  EXPECT_EQ(driver_->marks, 0);
}

TEST_F(OneDeviceAllocator, ARecordEndsWithTheUseOfTheBlock) {
  const Stream other;
  void* block = allocate(4096);
  allocator().record_stream(block, other);
  deallocate(block, 4096);
  run(other);
  ASSERT_EQ(allocate(4096), block);
  deallocate(block, 4096);
  EXPECT_EQ(allocate(4096), block);
}

TEST_F(OneDeviceAllocator, AStreamIsRecordedThroughAnyPointerIntoTheBlock) {
  const Stream other;
  auto* block = static_cast<std::byte*>(allocate(4096));
  EXPECT_TRUE(allocator().owns(block + 4095));
  EXPECT_FALSE(allocator().owns(block - 1));
  EXPECT_FALSE(allocator().owns(block + 4096));
  EXPECT_TRUE(allocator().record_stream(block + 100, other));
  deallocate(block, 4096);
  EXPECT_FALSE(allocator().owns(block));
  EXPECT_FALSE(allocator().record_stream(block, other));
  EXPECT_NE(allocate(4096), block);
}

TEST_F(OneDeviceAllocator, CountsBytesAsTheyWereAskedFor) {
  void* a = allocate(4096);
  void* b = allocate(1000);
  MemoryStats stats = allocator().stats();
  EXPECT_EQ(stats.allocated, 5096);
  EXPECT_EQ(stats.reserved, 4096 + 1024);
  deallocate(a, 4096);
  stats = allocator().stats();
  EXPECT_EQ(stats.allocated, 1000);
  EXPECT_EQ(stats.max_allocated, 5096);
  EXPECT_EQ(stats.reserved, 4096 + 1024);
  allocator().reset_peak();
  EXPECT_EQ(allocator().stats().max_allocated, 1000);
  deallocate(b, 1000);
  allocator().empty_cache();
  stats = allocator().stats();
  EXPECT_EQ(stats.allocated, 0);
  EXPECT_EQ(stats.reserved, 0);
  EXPECT_EQ(stats.max_reserved, 4096 + 1024);
}

TEST_F(OneDeviceAllocator, EmptyingWaitsForRecordedStreamsAndGivesAllBack) {
  const Stream other;
  void* kept = allocate(4096);
  void* waiting = allocate(4096, other);
  void* used = allocate(4096);
  allocator().record_stream(waiting, default_stream(0));
  deallocate(kept, 4096);
  deallocate(waiting, 4096);
  allocator().empty_cache();
  EXPECT_EQ(driver_->frees, 2);
  EXPECT_EQ(driver_->trims, 1);
  EXPECT_EQ(driver_->in_use, 4096U);
  EXPECT_EQ(allocator().stats().reserved, 4096);
  deallocate(used, 4096);
}

TEST_F(OneDeviceAllocator, OutOfMemoryGivesBackWhatIsKeptAndTriesAgain) {
  driver_->limit = 10 * 1024;
  const Stream other;
  void* kept = allocate(4096);
  void* waiting = allocate(4096);
  allocator().record_stream(waiting, other);
  deallocate(kept, 4096);
  deallocate(waiting, 4096);
  void* large = allocate(8192);  // fits only in place of both, and after the pool was trimmed
  EXPECT_NE(large, nullptr);
  EXPECT_EQ(driver_->trims, 1);
  EXPECT_EQ(allocator().stats().reserved, 8192);
  EXPECT_EQ(allocator().stats().max_allocated, 8192);
  deallocate(large, 8192);
}

TEST_F(OneDeviceAllocator, OutOfMemorySaysWhatWasAskedAndGoesOn) {
  driver_->limit = 10 * 1024;
  void* used = allocate(4096);
  try {
    allocate(7000);
    FAIL() << "more than there is";
  } catch (const TensorError& error) {
    EXPECT_STREQ(error.what(),
                 "allocate: out of memory on cuda:0: 6.84 KiB requested, 4.00 KiB allocated, 0 bytes cached");
  }
  EXPECT_THROW(allocate(SIZE_MAX), TensorError);
  EXPECT_EQ(allocator().stats().allocated, 4096);
  EXPECT_NE(allocate(4096), nullptr);
  deallocate(used, 4096);
}

TEST_F(OneDeviceAllocator, NothingIsNoMemory) {
  EXPECT_EQ(allocate(0), nullptr);
  deallocate(nullptr, 0);
  EXPECT_EQ(driver_->allocations, 0);
}

TEST_F(OneDeviceAllocator, DevicesAreCountedApart) {
  void* data = lectern::allocator("cuda:1").allocate(4096);
  EXPECT_EQ(memory_allocated("cuda:1"), 4096);
  EXPECT_EQ(max_memory_allocated("cuda:1"), 4096);
  EXPECT_EQ(memory_reserved("cuda:1"), 4096);
  EXPECT_EQ(memory_allocated("cuda:0"), 0);
  EXPECT_EQ(current_device(), 0);
  lectern::allocator("cuda:1").deallocate(data, 4096);
  empty_cache("cuda:1");
  EXPECT_EQ(memory_reserved("cuda:1"), 0);
  EXPECT_NE(memory_summary("cuda:1").find("memory on cuda:1"), std::string::npos);
  EXPECT_THROW(lectern::allocator("cuda:2"), TensorError);
}

TEST_F(OneDeviceAllocator, AFailedDeviceIsNotWaitedFor) {
  const Stream other;
  void* marked = allocate(4096);
  void* unmarked = allocate(4096);
  allocator().record_stream(marked, other);
  allocator().record_stream(unmarked, other);
  deallocate(marked, 4096);
  driver_->work_problem = "an illegal memory access was encountered";
  deallocate(unmarked, 4096);
  EXPECT_NO_THROW(allocator().empty_cache());
  EXPECT_EQ(allocator().stats().reserved, 0);
}

TEST_F(OneDeviceAllocator, ThreadsOnTheirOwnStreamsNeverShareABlock) {
  std::vector<std::thread> threads;
  for (int mark = 1; mark <= 4; ++mark) {
    threads.emplace_back([this, mark] {
      const StreamGuard guard(Stream{});
      for (int round = 0; round < 1000; ++round) {
        const auto bytes = static_cast<std::size_t>(100 + round % 7 * 1000);
        auto* data = static_cast<unsigned char*>(allocator().allocate(bytes));
        std::memset(data, mark, bytes);
        for (std::size_t i = 0; i < bytes; i += 50) ASSERT_EQ(data[i], mark);
        allocator().deallocate(data, bytes);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(allocator().stats().allocated, 0);
}

TEST_F(OneDeviceAllocator, FreeingTwiceEndsTheProgram) {
  void* data = allocate(4096);
  deallocate(data, 4096);
  EXPECT_DEATH(deallocate(data, 4096), "");
}

class PinnedMemory : public test::FakeGpus {};

TEST_F(PinnedMemory, IsNotReusedBeforeItsCopyIsDone) {
  auto* host = static_cast<char*>(pinned_allocator().allocate(4096));
  auto* device = static_cast<char*>(context().allocator(0).allocate(4096));
  std::memset(host, 'a', 4096);
  const Event done = copy_async(device, host, 4096);
  pinned_allocator().deallocate(host, 4096);
  auto* next = static_cast<char*>(pinned_allocator().allocate(4096));
  EXPECT_NE(next, host);
  std::memset(next, 'b', 4096);
  EXPECT_FALSE(done.query());
  done.synchronize();
  EXPECT_EQ(std::string(device, 4096), std::string(4096, 'a'));
  EXPECT_EQ(pinned_allocator().allocate(4096), host);
}

TEST_F(PinnedMemory, IsNotReusedWhileACopyWritesToIt) {
  auto* device = static_cast<char*>(context().allocator(0).allocate(4096));
  auto* host = static_cast<char*>(pinned_allocator().allocate(4096));
  const Event arrived = copy_async(host, device, 4096);
  EXPECT_FALSE(arrived.query()) << "there is something to wait for";
  pinned_allocator().deallocate(host, 4096);
  EXPECT_NE(pinned_allocator().allocate(4096), host);
  arrived.synchronize();
  EXPECT_EQ(pinned_allocator().allocate(4096), host);
}

TEST_F(PinnedMemory, ServesTheNextRequestWhenNoCopyUsedIt) {
  void* block = pinned_allocator().allocate(10'000);
  pinned_allocator().deallocate(block, 10'000);
  const StreamGuard guard(Stream{});
  EXPECT_EQ(pinned_allocator().allocate(10'000), block);
}

TEST_F(PinnedMemory, IsKnownByItsPointers) {
  auto* block = static_cast<std::byte*>(pinned_allocator().allocate(100));
  int elsewhere = 0;
  EXPECT_TRUE(is_pinned(block));
  EXPECT_TRUE(is_pinned(block + 99));
  EXPECT_FALSE(is_pinned(&elsewhere));
  pinned_allocator().deallocate(block, 100);
  EXPECT_FALSE(is_pinned(block));
}

TEST_F(PinnedMemory, OutOfMemoryWaitsForCopies) {
  driver_->pinned_limit = 1;
  void* device = context().allocator(0).allocate(4096);
  void* host = pinned_allocator().allocate(4096);
  std::memset(host, 0, 4096);
  const Event done = copy_async(device, host, 4096);
  pinned_allocator().deallocate(host, 4096);
  EXPECT_NE(pinned_allocator().allocate(8192), nullptr);
  EXPECT_TRUE(done.query());
  EXPECT_EQ(driver_->pinned_blocks(), 1U);
  EXPECT_THROW(pinned_allocator().allocate(8192), TensorError);
}

TEST(PinnedMemoryAnywhere, OtherMemoryIsNotPinned) {
  int here = 0;
  EXPECT_FALSE(is_pinned(&here));
}

}  // namespace
}  // namespace lectern::cuda
