#include "cli/bench_runs.h"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "cli/bench_program.h"

namespace lectern::cli {
namespace {

constexpr int kNoSuchCase = 2;

std::string version_of_torch(std::string_view line) {
  const auto json = nlohmann::json::parse(line, nullptr, false);
  if (!json.is_object() || !json.contains("torch")) return {};
  return fmt::format("PyTorch {} with {}", json.value("torch", ""), json.value("blas", ""));
}

}  // namespace

BenchRuns run_benchmarks(const BenchPlan& plan, const std::function<void(const std::string&)>& on_progress) {
  BenchRuns runs;
  bool compare = plan.torch.has_value();
  for (const int threads : plan.threads) {
    for (int round = 1; round <= plan.rounds; ++round) {
      const auto announce = [&](const char* what) {
        on_progress(fmt::format("{}, round {} of {}: {}", threads_text(threads), round, plan.rounds, what));
      };
      announce("ours");
      const std::vector<std::string> arguments = {std::to_string(threads), plan.filter};
      const BenchOutcome ours =
          run_bench_program(plan.ours, arguments, [&](std::string_view line) { add_ours(runs.rows, line); });
      if (ours.status == kNoSuchCase) throw NoSuchCase(ours.said);
      if (ours.status != 0)
        throw Error(fmt::format("tensor_bench failed with exit status {}: {}", ours.status, ours.said));
      if (!compare) continue;
      announce("torch");
      const BenchOutcome torch = run_bench_program(*plan.torch, arguments, [&](std::string_view line) {
        if (const std::string version = version_of_torch(line); !version.empty()) {
          runs.torch = version;
        } else {
          add_torch(runs.rows, line);
        }
      });
      if (torch.status == kNoTorch || torch.status == kNotStarted) {
        compare = false;
        runs.why_no_torch = torch.said;
      } else if (torch.status != 0) {
        throw Error(fmt::format("torch_bench.py failed with exit status {}: {}", torch.status, torch.said));
      }
    }
  }
  return runs;
}

}  // namespace lectern::cli
