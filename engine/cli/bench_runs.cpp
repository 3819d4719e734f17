#include "cli/bench_runs.h"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

namespace lectern::cli {
namespace {

constexpr int kNoSuchCase = 2, kNoTorch = 77, kNotStarted = 127;

struct Outcome {
  int status;
  std::string said;  ///< what was no JSON, the last line of it
};

/// One program once; `on_line` gets its lines of JSON.
Outcome run_once(const BenchPlan& plan, Command command, int threads,
                 const std::function<void(std::string_view)>& on_line) {
  command.arguments.push_back(threads == 0 ? "cuda" : std::to_string(threads));
  command.arguments.push_back(plan.filter);
  Outcome outcome{};
  outcome.status = run_command(command, [&](std::string_view line) {
    if (line.starts_with('{')) {
      on_line(line);
    } else if (!line.empty()) {
      outcome.said = line;
    }
  });
  return outcome;
}

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
      const Outcome ours =
          run_once(plan, plan.ours, threads, [&](std::string_view line) { add_ours(runs.rows, line); });
      if (ours.status == kNoSuchCase) throw NoSuchCase(ours.said);
      if (ours.status != 0)
        throw Error(fmt::format("tensor_bench failed with exit status {}: {}", ours.status, ours.said));
      if (!compare) continue;
      announce("torch");
      const Outcome torch = run_once(plan, *plan.torch, threads, [&](std::string_view line) {
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
