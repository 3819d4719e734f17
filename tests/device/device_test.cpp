#include "device/device.h"

#include <gtest/gtest.h>

#include "base/tensor_error.h"

namespace lectern {
namespace {

TEST(Device, IsNamedAsItIsRead) {
  EXPECT_EQ(Device("cpu"), cpu);
  EXPECT_EQ(Device("cuda:3"), Device(Device::Type::cuda, 3));
  EXPECT_EQ(Device("cuda:12").name(), "cuda:12");
  EXPECT_EQ(Device(std::string("cpu")).name(), "cpu");
  EXPECT_TRUE(Device("cuda").is_cuda());
}

TEST(Device, RefusesEverythingElse) {
  for (const char* name : {"", "CPU", "gpu", "cuda:", "cuda:x", "cuda:1x", "cuda:-1", "cuda: 1", "cuda0",
                           "cpu:0", "cuda:99999999999999999999"}) {
    EXPECT_THROW(Device{name}, TensorError) << name;
  }
  try {
    Device("gpu");
  } catch (const TensorError& error) {
    EXPECT_STREQ(error.what(), "Device: name must be \"cpu\", \"cuda\" or \"cuda:N\", not \"gpu\"");
  }
}

}  // namespace
}  // namespace lectern
