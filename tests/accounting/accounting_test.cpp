#include <gtest/gtest.h>

#include "accounting/cpu_peak.h"
#include "accounting/hardware.h"
#include "accounting/timing.h"
#include "base/tensor_error.h"
#include "device/threads.h"

namespace lectern {
namespace {

TEST(Hardware, IsFoundByTheNameThatItsDriverGives) {
  const auto found = [](std::string_view name) { return find_hardware(name).value_or(Hardware{}).name; };
  EXPECT_EQ(found("NVIDIA H200"), "H200 SXM");
  EXPECT_EQ(found("NVIDIA H200 NVL"), "H200 NVL");
  EXPECT_EQ(found("NVIDIA H100 80GB HBM3"), "H100 SXM");
  EXPECT_EQ(found("NVIDIA H100 PCIe"), "H100 PCIe");
  EXPECT_EQ(found("NVIDIA H100 NVL"), "H100 NVL");
  EXPECT_EQ(found("NVIDIA A100-SXM4-80GB"), "A100 SXM 80GB");
  EXPECT_EQ(found("NVIDIA A100-SXM4-40GB"), "A100 SXM 40GB");
  EXPECT_EQ(found("NVIDIA A100 80GB PCIe"), "A100 PCIe 80GB");
  EXPECT_EQ(found("NVIDIA A100-PCIE-40GB"), "A100 PCIe 40GB");
}

TEST(Hardware, IsUnknownRatherThanGuessed) {
  EXPECT_FALSE(find_hardware("NVIDIA GeForce RTX 4090"));
  EXPECT_FALSE(find_hardware("NVIDIA A100X"));
  EXPECT_FALSE(find_hardware(""));
}

TEST(Hardware, PromisesDenseRatesByDtype) {
  const Hardware h100 = find_hardware("NVIDIA H100 80GB HBM3").value();
  EXPECT_EQ(peak_flops(h100, bfloat16), 989.5e12);
  EXPECT_EQ(peak_flops(h100, float16), 989.5e12);
  EXPECT_EQ(peak_flops(h100, float32), 67e12);
  EXPECT_EQ(peak_flops(h100, float32, /*allow_tf32=*/true), 494.5e12);
  EXPECT_EQ(peak_flops(h100, float8_e4m3fn), 1979e12);
  EXPECT_FALSE(peak_flops(h100, int64));
  const Hardware a100 = find_hardware("NVIDIA A100-SXM4-80GB").value();
  EXPECT_EQ(peak_flops(a100, bfloat16), 312e12);
  EXPECT_FALSE(peak_flops(a100, float8_e5m2));
}

TEST(Hardware, ACpuHasThePeakOfItsThreads) {
  EXPECT_EQ(peak_flops(cpu, float32), cpu_peak_flops(float32, get_num_threads()));
  EXPECT_FALSE(peak_flops(cpu, int64));
}

TEST(Utilization, IsTheShareOfThePeak) {
  EXPECT_EQ(model_flops_utilization(100, 2, 200), 0.25);
}

TEST(Utilization, IsAbsentWithoutAPeak) {
  EXPECT_FALSE(model_flops_utilization(100, 2, {}));
}

TEST(Utilization, RefusesWhatIsNotPositive) {
  EXPECT_THROW(model_flops_utilization(0, 1, 1), TensorError);
  EXPECT_THROW(model_flops_utilization(1, 0, {}), TensorError);
  EXPECT_THROW(model_flops_utilization(1, -1, 1), TensorError);
  EXPECT_THROW(model_flops_utilization(1, 1, 0), TensorError);
}

TEST(Timing, RunsOnceMoreThanItCounts) {
  int calls = 0;
  EXPECT_GE(measure_seconds([&] { ++calls; }, 3), 0);
  EXPECT_EQ(calls, 4);
}

TEST(Timing, RefusesNoRuns) {
  EXPECT_THROW(measure_seconds([] {}, 0), TensorError);
}

}  // namespace
}  // namespace lectern
