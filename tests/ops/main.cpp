// Runs the tests with their tensors on the device that LECTERN_TEST_DEVICE names. Without that device it says
// so and exits with 77: skipped.
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include <gtest/gtest.h>

#include "device/cuda.h"
#include "tensor/creation.h"

int main(int count, char** arguments) {
  testing::InitGoogleTest(&count, arguments);
  if (const char* name = std::getenv("LECTERN_TEST_DEVICE")) {
    const std::string_view device = name;
    if (device.starts_with("cuda") && !lectern::cuda::is_available()) {
      std::printf("skipped: %s\n", lectern::cuda::unavailable_reason().c_str());
      return 77;
    }
    lectern::set_default_device(device);
  }
  return RUN_ALL_TESTS();
}
