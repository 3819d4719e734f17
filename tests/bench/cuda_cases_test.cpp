#include <gtest/gtest.h>

#include "cli/bench_gpu_runs.h"

namespace lectern::cli {
namespace {

// As on a real GPU, but for the size of the tensors: what has a wrong shape there has one here.
TEST(CudaCases, RunOnASimulatedGpu) {
  std::size_t results = 0;
  const GpuBenchRuns runs = run_gpu_benchmarks(
      {.ours = {.arguments = {LECTERN_TENSOR_BENCH, "--tiny"}}},
      {.on_result = [&](const std::string&) { ++results; }, .on_progress = [](const std::string&) {}});
  for (const GpuRow& row : runs.rows) {
    EXPECT_TRUE(row.ours.nanoseconds) << row.name << ": " << row.ours.error;
    EXPECT_FALSE(row.tensors.empty()) << row.name;
  }
  EXPECT_EQ(results, runs.rows.size());
  EXPECT_TRUE(runs.is_complete());
  ASSERT_GE(runs.rows.size(), 2U);
  EXPECT_EQ(runs.rows[0].name, "ceiling_matmul_bfloat16_8192");
  EXPECT_EQ(runs.rows[1].name, "ceiling_copy_float32");
}

GpuRow tiny(const std::string& name) {
  const GpuBenchRuns runs =
      run_gpu_benchmarks({.ours = {.arguments = {LECTERN_TENSOR_BENCH, "--tiny"}}, .filter = name},
                         {.on_result = [](const std::string&) {}, .on_progress = [](const std::string&) {}});
  EXPECT_EQ(runs.rows.size(), 1U) << name;
  return runs.rows.at(0);
}

TEST(CudaCases, HaveTheLimitOfWhatTheyCount) {
  const GpuRow copy = tiny("ceiling_copy");
  EXPECT_FALSE(copy.is_limited_by_arithmetic);
  EXPECT_EQ(copy.bytes, 2 * 4 * 1003);
  EXPECT_NEAR(copy.limit, 8024 / 4300., 0.01) << "at 4.3 TB/s";
  const GpuRow step = tiny("gpt2_step");
  EXPECT_TRUE(step.is_limited_by_arithmetic);
  EXPECT_NEAR(step.limit, static_cast<double>(step.flops) / 790e3, 0.01) << "at 790 TFLOP/s";
  const GpuRow mlp = tiny("mlp_step");
  EXPECT_NEAR(mlp.limit, static_cast<double>(mlp.flops) / 67e3, 0.01) << "float32, by the data sheet";
  EXPECT_EQ(tiny("to_host_pinned").limit, 0) << "the way to the host is nothing that is counted";
}

}  // namespace
}  // namespace lectern::cli
