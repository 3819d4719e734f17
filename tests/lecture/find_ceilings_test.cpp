#include "lecture/find_ceilings.h"

#include <memory>
#include <utility>

#include <gtest/gtest.h>

#include "accounting/hardware.h"
#include "device/context.h"
#include "device/fake_driver.h"

namespace lectern::record {
namespace {

TEST(FoundCeilings, OfTheCpuAreMeasured) {
  const Ceilings ceilings = find_ceilings("cpu");
  const auto peak = peak_flops(cpu, float32);
  const Ceiling* const found = ceilings.find("cpu");
  ASSERT_EQ(found != nullptr, peak.has_value());
  if (found == nullptr) return;
  EXPECT_TRUE(found->measured);
  EXPECT_GT(found->bytes, 1e8);
  EXPECT_NEAR(*found->flops.find("float32"), *peak, 0.01 * *peak);
}

TEST(FoundCeilings, OfGpusAreTheirDataSheets) {
  auto driver = std::make_unique<test::FakeDriver>(2);
  driver->names[0] = "NVIDIA H100 80GB HBM3";
  const cuda::ContextOverride override{std::move(driver)};
  EXPECT_EQ(find_ceilings("cpu").find("cuda:0"), nullptr);
  const Ceilings ceilings = find_ceilings("cuda");
  const Ceiling* const found = ceilings.find("cuda:0");
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(*found, (Ceiling{.flops = {{"float64", 67e12}, {"float32", 67e12}, {"bfloat16", 989.5e12}},
                             .bytes = 3.35e12}));
  EXPECT_EQ(ceilings.find("cuda:1"), nullptr) << "nothing is known of it";
}

TEST(FoundDevice, IsTheGpuOfAProfileOfGpus) {
  auto driver = std::make_unique<test::FakeDriver>(1);
  driver->names[0] = "NVIDIA H200";
  const cuda::ContextOverride override{std::move(driver)};
  EXPECT_EQ(find_device("cuda"), "NVIDIA H200");
  EXPECT_EQ(find_device("cpu"), "");
}

TEST(FoundDevice, IsNoneWithoutAGpu) {
  const cuda::ContextOverride override{std::make_unique<test::FakeDriver>(0)};
  EXPECT_EQ(find_device("cuda"), "");
}

}  // namespace
}  // namespace lectern::record
