#include "device/index_fault.h"

#include <functional>
#include <string>

#include "base/tensor_error.h"
#include "device/context.h"
#include "device/cuda.h"
#include "device/device_allocator.h"
#include "device/fake_gpus.h"
#include "device/stream.h"

namespace lectern::cuda {
namespace {

class IndexFaults : public test::FakeGpus {
 protected:
  /// As a kernel of `gather` would.
  static void report(std::int64_t launch = next_watched_launch()) {
    IndexFault& fault = index_fault();
    fault.operation = "gather";
    fault.operation_length = 6;
    fault.index = 9;
    fault.size = 4;
    fault.launch = launch;
  }

  static std::string error_of(const std::function<void()>& call) {
    try {
      call();
    } catch (const TensorError& error) {
      return error.what();
    }
    return "no error";
  }
};

TEST_F(IndexFaults, NothingIsKeptUntilAKernelNeedsIt) {
  EXPECT_EQ(error_of([] { check("add"); }), "no error");
  EXPECT_EQ(driver_->pinned_blocks(), 0u);
}

TEST_F(IndexFaults, ComeOnceWithWhateverLooksFirstAndNameTheirOperation) {
  const std::string expected =
      "gather: index 9 is out of range for a dimension of size 4 (detected on the GPU: the results of this "
      "operation, and all that was computed from them, are invalid)";
  const std::function<void()> looks[] = {[] { check("add"); }, [] { synchronize(); },
                                         [] { current_stream().synchronize(); },
                                         [] {
                                           Event event;
                                           event.record();
                                           event.synchronize();
                                         }};
  for (const auto& look : looks) {
    report();
    EXPECT_EQ(error_of(look), expected);
    EXPECT_EQ(error_of(look), "no error");
  }
}

TEST_F(IndexFaults, OfALaunchComeOnceHoweverManyThreadsReport) {
  const std::int64_t launch = next_watched_launch();
  report(launch);
  EXPECT_NE(error_of([] { check("add"); }), "no error");
  report(launch);
  EXPECT_EQ(error_of([] { check("add"); }), "no error");
  report();
  EXPECT_NE(error_of([] { check("add"); }), "no error");
}

TEST_F(IndexFaults, AreNotLostWhereMemoryIsGivenBack) {
  DeviceAllocator& allocator = context().allocator(0);
  void* const block = allocator.allocate(1000);
  EXPECT_TRUE(allocator.record_stream(block, Stream()));
  allocator.deallocate(block, 1000);  // once the stream is done with it
  report();
  allocator.empty_cache();
  EXPECT_NE(error_of([] { check("add"); }), "no error");
}

}  // namespace
}  // namespace lectern::cuda
