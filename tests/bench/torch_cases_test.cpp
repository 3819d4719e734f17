#include <algorithm>

#include <gtest/gtest.h>

#include "cli/bench_gpu_runs.h"

namespace lectern::cli {
namespace {

const std::vector<std::string> kTorch = {"/usr/bin/python3",
                                         LECTERN_SOURCE_DIR "/tests/bench/torch_bench.py"};

std::vector<std::string> names_of(Command program) {
  program.arguments.insert(program.arguments.end(), {"--list", "cuda"});
  program.errors = false;
  std::vector<std::string> names;
  EXPECT_EQ(run_command(program, [&](std::string_view name) { names.emplace_back(name); }), 0);
  std::sort(names.begin(), names.end());
  return names;
}

bool has_torch() {
  return run_command({.arguments = {kTorch[0], "-c", "import torch"}}, [](std::string_view) {}) == 0;
}

TEST(TorchCases, HaveOurNamesAndRun) {
  if (!has_torch()) GTEST_SKIP() << "/usr/bin/python3 has no PyTorch";
  EXPECT_EQ(names_of({.arguments = kTorch}), names_of({.arguments = {LECTERN_TENSOR_BENCH}}));

  Command torch{.arguments = kTorch};
  torch.arguments.insert(torch.arguments.end(), {"--tiny", "--on", "cpu"});
  const GpuBenchRuns runs =
      run_gpu_benchmarks({.ours = {.arguments = {LECTERN_TENSOR_BENCH, "--tiny"}}, .torch = torch},
                         {.on_result = [](const std::string&) {}, .on_progress = [](const std::string&) {}});
  EXPECT_NE(runs.torch, "") << runs.why_no_torch;
  for (const GpuRow& row : runs.rows)
    EXPECT_TRUE(row.torch.nanoseconds) << row.name << ": " << row.torch.error;
}

}  // namespace
}  // namespace lectern::cli
