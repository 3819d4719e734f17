#include <cstdint>
#include <cstring>
#include <numeric>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/tensor_error.h"
#include "device/allocator.h"
#include "device/copy.h"
#include "device/memory.h"

namespace lectern::cuda {
namespace {

const Device kGpu(Device::Type::cuda);

class Gpu : public testing::Test {
 protected:
  void SetUp() override {
    if (!is_available()) GTEST_SKIP() << "needs a GPU: " << unavailable_reason();
  }
};

/// A block of one of the allocators, until the end of the scope.
struct Block {
  Block(Allocator& from, std::size_t size) : allocator(from), data(from.allocate(size)), bytes(size) {}
  ~Block() { allocator.deallocate(data, bytes); }
  Block(const Block&) = delete;
  Block& operator=(const Block&) = delete;

  template <typename T>
  T* as() const {
    return static_cast<T*>(data);
  }

  Allocator& allocator;
  void* data;
  std::size_t bytes;
};

TEST_F(Gpu, DescribesItself) {
  const DeviceProperties properties = get_device_properties();
  EXPECT_FALSE(properties.name.empty());
  EXPECT_GE(properties.major, 5);
  EXPECT_GT(properties.multi_processor_count, 0);
  EXPECT_GT(properties.clock_rate, 100'000);
  EXPECT_GT(properties.memory_clock_rate, 100'000);
  const MemoryInfo info = mem_get_info();
  EXPECT_GT(info.free, 0);
  EXPECT_LE(info.free, info.total);
  EXPECT_LE(info.total, properties.total_memory);
  EXPECT_THROW(set_device(device_count()), TensorError);
}

TEST_F(Gpu, CountsBytesAsTheyWereAskedFor) {
  const std::int64_t before = memory_allocated(kGpu);
  {
    const Block block(allocator(kGpu), 4096);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(block.data) % 256, 0U);
    EXPECT_EQ(memory_allocated(kGpu) - before, 4096);
  }
  EXPECT_EQ(memory_allocated(kGpu), before);
  empty_cache(kGpu);
  EXPECT_EQ(memory_reserved(kGpu), before);
}

TEST_F(Gpu, NumbersComeBackAsTheyWent) {
  std::vector<int> there(1'000'003);
  std::iota(there.begin(), there.end(), 0);
  std::vector<int> back(there.size());
  const std::size_t bytes = there.size() * sizeof(int);
  const Block one(allocator(kGpu), bytes);
  const Block two(allocator(kGpu), bytes);
  copy(one.data, there.data(), bytes);
  copy(two.data, one.data, bytes);
  copy(back.data(), two.data, bytes);
  EXPECT_EQ(back, there);
}

TEST_F(Gpu, PinnedBlocksMayBeFreedWhileTheyAreCopied) {
  constexpr std::size_t kBytes = std::size_t{64} << 20;
  const Block device(allocator(kGpu), kBytes);
  const Stream side;
  side.wait_stream(default_stream());
  for (int round = 0; round < 20; ++round) {
    Event done;
    {
      const Block host(pinned_allocator(), kBytes);
      std::memset(host.data, round, kBytes);
      done = copy_async(device.data, host.data, kBytes, side);
    }
    const Block next(pinned_allocator(), kBytes);
    std::memset(next.data, 0xff, kBytes);
    const Block back(pinned_allocator(), kBytes);
    copy(back.data, device.data, kBytes, side);
    EXPECT_TRUE(done.query());
    const std::string expected(kBytes, static_cast<char>(round));
    ASSERT_EQ(std::memcmp(back.data, expected.data(), kBytes), 0) << round;
  }
}

TEST_F(Gpu, BlocksUsedByAnotherStreamAreNotReusedTooEarly) {
  constexpr std::size_t kBytes = std::size_t{64} << 20;
  const Block ones(pinned_allocator(), kBytes);
  const Block twos(pinned_allocator(), kBytes);
  const Block back(pinned_allocator(), kBytes);
  std::memset(ones.data, 1, kBytes);
  std::memset(twos.data, 2, kBytes);
  const Stream side;
  for (int round = 0; round < 20; ++round) {
    Event read;
    {
      const Block block(allocator(kGpu), kBytes);
      copy(block.data, ones.data, kBytes);
      read = copy_async(back.data, block.data, kBytes, side);
    }
    const Block next(allocator(kGpu), kBytes);
    const Event written = copy_async(next.data, twos.data, kBytes);
    read.synchronize();
    ASSERT_EQ(std::memcmp(back.data, ones.data, kBytes), 0) << round;
    written.synchronize();
  }
}

TEST_F(Gpu, EventsMeasureWork) {
  constexpr std::size_t kBytes = std::size_t{256} << 20;
  const Block one(allocator(kGpu), kBytes);
  const Block two(allocator(kGpu), kBytes);
  Event start(true);
  Event end(true);
  start.record();
  for (int i = 0; i < 10; ++i) (void)copy_async(two.data, one.data, kBytes);
  end.record();
  end.synchronize();
  const double milliseconds = start.elapsed_time(end);
  EXPECT_GT(milliseconds, 0.1);
  EXPECT_LT(milliseconds, 10'000);
}

TEST_F(Gpu, OutOfMemoryFreesTheCacheAndTheProgramGoesOn) {
  empty_cache(kGpu);
  const auto half = static_cast<std::size_t>(mem_get_info().free) / 2;
  { const Block kept(allocator(kGpu), half); }
  EXPECT_GE(memory_reserved(kGpu), static_cast<std::int64_t>(half));
  { const Block other(allocator(kGpu), half + half / 4); }  // not without what is kept
  try {
    const Block too_much(allocator(kGpu), 4 * half);
    FAIL() << "twice what is free";
  } catch (const TensorError& error) {
    EXPECT_NE(std::string(error.what()).find("out of memory on cuda:0"), std::string::npos) << error.what();
  }
  const Block small(allocator(kGpu), 4096);
  int there = 7;
  int back = 0;
  copy(small.data, &there, sizeof there);
  copy(&back, small.data, sizeof back);
  EXPECT_EQ(back, 7);
  EXPECT_NO_THROW(check("copy"));
  empty_cache(kGpu);
}

}  // namespace
}  // namespace lectern::cuda
