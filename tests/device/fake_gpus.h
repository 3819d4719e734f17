#pragma once

#include <memory>

#include <gtest/gtest.h>

#include "device/context.h"
#include "device/fake_driver.h"

namespace lectern::test {

/// A fixture on a machine with two fake GPUs.
class FakeGpus : public testing::Test {
 protected:
  void TearDown() override { cuda::set_device(0); }

  FakeDriver* driver_ = new FakeDriver(2);
  cuda::ContextOverride override_{std::unique_ptr<cuda::Driver>(driver_)};
};

}  // namespace lectern::test
