#include "device/memory.h"

#include <gtest/gtest.h>

#include "base/tensor_error.h"
#include "device/allocator.h"

namespace lectern {
namespace {

TEST(Memory, CountsBytesAsTheyWereAskedFor) {
  const std::int64_t before = memory_allocated();
  void* small = allocator(cpu).allocate(4096);
  EXPECT_EQ(memory_allocated() - before, 4096);
  void* odd = allocator(cpu).allocate(5'000'001);
  EXPECT_EQ(memory_allocated() - before, 4096 + 5'000'001);
  EXPECT_GE(memory_reserved(), memory_allocated());
  allocator(cpu).deallocate(small, 4096);
  allocator(cpu).deallocate(odd, 5'000'001);
  EXPECT_EQ(memory_allocated(), before);
}

TEST(Memory, ThePeakIsKeptUntilItIsReset) {
  reset_peak_memory_stats();
  const std::int64_t before = memory_allocated();
  EXPECT_EQ(max_memory_allocated(), before);
  void* data = allocator(cpu).allocate(1'000'000);
  allocator(cpu).deallocate(data, 1'000'000);
  EXPECT_EQ(max_memory_allocated(), before + 1'000'000);
  EXPECT_GE(max_memory_reserved(), before + 1'000'000);
  reset_peak_memory_stats();
  EXPECT_EQ(max_memory_allocated(), before);
  EXPECT_EQ(max_memory_reserved(), memory_reserved());
}

TEST(Memory, EmptyingGivesBackWhatIsKept) {
  empty_cache();
  const std::int64_t before = memory_reserved();
  void* data = allocator(cpu).allocate(10'000'000);
  EXPECT_GE(memory_reserved() - before, 10'000'000);
  allocator(cpu).deallocate(data, 10'000'000);
  empty_cache();
  EXPECT_EQ(memory_reserved(), before);
}

TEST(Memory, TheSummaryHasTheNumbers) {
  void* data = allocator(cpu).allocate(3 << 20);
  const std::string summary = memory_summary();
  EXPECT_NE(summary.find("memory on cpu"), std::string::npos) << summary;
  EXPECT_NE(summary.find(format_bytes(memory_allocated())), std::string::npos) << summary;
  EXPECT_NE(summary.find(format_bytes(max_memory_reserved())), std::string::npos) << summary;
  allocator(cpu).deallocate(data, 3 << 20);
}

TEST(Memory, OfADeviceThatIsNotThereIsAnError) {
  EXPECT_THROW(memory_allocated("cuda:4000"), TensorError);
}

TEST(Memory, BytesAreWrittenForPeople) {
  EXPECT_EQ(format_bytes(0), "0 bytes");
  EXPECT_EQ(format_bytes(1), "1 byte");
  EXPECT_EQ(format_bytes(1023), "1023 bytes");
  EXPECT_EQ(format_bytes(1536), "1.50 KiB");
  EXPECT_EQ(format_bytes(std::int64_t{3} << 30), "3.00 GiB");
  EXPECT_EQ(format_bytes(INT64_MAX), "8.00 EiB");
}

}  // namespace
}  // namespace lectern
