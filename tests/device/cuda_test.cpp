#include "device/cuda.h"

#include <cstdlib>
#include <functional>
#include <initializer_list>
#include <string>

#include "base/tensor_error.h"
#include "device/copy.h"
#include "device/device.h"
#include "device/fake_gpus.h"

namespace lectern::cuda {
namespace {

std::string message_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const TensorError& error) {
    return error.what();
  }
  return "";
}

class Cuda : public test::FakeGpus {};

TEST_F(Cuda, TellsWhatThereIs) {
  EXPECT_TRUE(is_available());
  EXPECT_EQ(unavailable_reason(), "");
  EXPECT_EQ(device_count(), 2);
  EXPECT_EQ(get_device_properties().name, "Fake 0");
  EXPECT_EQ(get_device_properties(1).name, "Fake 1");
  EXPECT_EQ(get_device_properties(1).multi_processor_count, 7);
  EXPECT_EQ(mem_get_info(1).free, 101);
  EXPECT_EQ(mem_get_info().total, 1000);
  EXPECT_EQ(current_device(), 0);
}

TEST_F(Cuda, RefusesDevicesThatAreNotThere) {
  EXPECT_EQ(message_of([] { set_device(2); }), "Device: device must be cuda:0 to cuda:1, not cuda:2");
  EXPECT_THROW(set_device(-1), TensorError);
  EXPECT_THROW(get_device_properties(2), TensorError);
  EXPECT_THROW(mem_get_info(2), TensorError);
  EXPECT_THROW(synchronize(2), TensorError);
  EXPECT_EQ(current_device(), 0);
}

TEST_F(Cuda, TheNameCudaMeansTheCurrentDevice) {
  EXPECT_EQ(Device("cuda").name(), "cuda:0");
  {
    const DeviceGuard guard(1);
    EXPECT_EQ(Device("cuda").name(), "cuda:1");
  }
  EXPECT_EQ(Device("cuda").name(), "cuda:0");
}

TEST_F(Cuda, SynchronizingWaitsForAllStreams) {
  char a[] = "text";
  char b[] = "....";
  const Event copied = copy_async(b, a, 4, Stream());
  synchronize();
  EXPECT_STREQ(b, "text");
}

TEST_F(Cuda, AFailedLaunchNamesItsOperation) {
  EXPECT_EQ(message_of([] { check("add"); }), "");
  driver_->launch_problem = "invalid configuration argument";
  const std::string message = message_of([] { check("matmul"); });
  EXPECT_TRUE(message.starts_with("matmul: CUDA: invalid configuration argument")) << message;
  EXPECT_EQ(message_of([] { check("add"); }), "");
}

TEST_F(Cuda, AFailureInWorkNamesTheLastOperations) {
  check("softmax");
  check("layer_norm");
  driver_->work_problem = "an illegal memory access was encountered";
  const std::string message = message_of([] { synchronize(); });
  EXPECT_TRUE(message.starts_with("synchronize: CUDA: an illegal memory access was encountered")) << message;
  EXPECT_NE(message.find("layer_norm, softmax"), std::string::npos) << message;
  EXPECT_NE(message.find("LECTERN_CUDA_SYNC=1"), std::string::npos) << message;
}

TEST(CudaSync, TheEnvironmentMakesEveryOperationWait) {
  setenv("LECTERN_CUDA_SYNC", "1", 1);
  auto* driver = new test::FakeDriver;
  const ContextOverride override{std::unique_ptr<Driver>(driver)};
  unsetenv("LECTERN_CUDA_SYNC");
  char a[] = "text";
  char b[] = "....";
  const Event copied = copy_async(b, a, 4);
  EXPECT_STREQ(b, "text");
  driver->copy(a, "more", 4, nullptr);
  check("more");
  EXPECT_STREQ(a, "more");
  driver->work_problem = "an illegal memory access was encountered";
  EXPECT_EQ(message_of([] { check("softmax"); }), "softmax: CUDA: an illegal memory access was encountered");
}

TEST(CudaSync, ZeroAndNothingSwitchItOff) {
  for (const char* value : {"0", ""}) {
    setenv("LECTERN_CUDA_SYNC", value, 1);
    EXPECT_FALSE(Context(std::make_unique<test::FakeDriver>()).synchronous()) << value;
  }
  unsetenv("LECTERN_CUDA_SYNC");
}

TEST(NoGpu, EveryQuestionHasAnAnswer) {
  if (is_available()) GTEST_SKIP() << "there is a GPU";
  EXPECT_EQ(device_count(), 0);
  EXPECT_EQ(current_device(), 0);
  EXPECT_NE(unavailable_reason(), "");
  EXPECT_EQ(Device("cuda").name(), "cuda:0");
}

TEST(NoGpu, UsesOfOneSayWhyThereIsNone) {
  if (is_available()) GTEST_SKIP() << "there is a GPU";
  const std::string expected = "cuda: no GPU is available: " + unavailable_reason();
  for (const std::function<void()>& use : std::initializer_list<std::function<void()>>{
           [] { set_device(0); }, [] { get_device_properties(); }, [] { mem_get_info(); },
           [] { synchronize(); }, [] { check("add"); }, [] { Stream(); }, [] { current_stream(); },
           [] { pinned_allocator(); }, [] { lectern::allocator("cuda"); }}) {
    EXPECT_EQ(message_of(use), expected);
  }
}

}  // namespace
}  // namespace lectern::cuda
