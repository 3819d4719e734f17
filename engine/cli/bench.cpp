#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <memory>
#include <thread>

#include <CLI/CLI.hpp>
#include <fmt/chrono.h>
#include <fmt/core.h>
#include <unistd.h>

#include "base/files.h"
#include "cli/bench_runs.h"
#include "cli/commands.h"
#include "cli/preset.h"
#include "cli/workspace.h"

namespace lectern::cli {
namespace {
namespace fs = std::filesystem;

struct BenchArguments {
  std::string filter;
  std::string against;
  std::string device = "cpu";
  std::vector<int> threads;
  int rounds = 5;
  std::string json;
  fs::path program;  ///< tensor_bench, when it is built already
};

/// Nobody's PyTorch is better off: one pool of threads (OpenBLAS in its OpenMP build), and memory that is
/// freed stays with malloc instead of going back to the system page by page.
Command torch_program(const fs::path& root, const fs::path& openblas) {
  const char* folders = std::getenv("LD_LIBRARY_PATH");
  const std::string others = folders == nullptr || *folders == '\0' ? "" : std::string(":") + folders;
  return {.arguments = {"/usr/bin/python3", root / "tests/bench/torch_bench.py"},
          .environment = {"LD_LIBRARY_PATH=" + openblas.parent_path().string() + others, "MALLOC_MMAP_MAX_=0",
                          "MALLOC_TRIM_THRESHOLD_=17179869184", "MALLOC_TOP_PAD_=268435456"}};
}

std::string processor() {
  std::string model = "unknown processor";
  std::ifstream in("/proc/cpuinfo");
  for (std::string line; std::getline(in, line);) {
    const auto colon = line.find(": ");
    if (!line.starts_with("model name") || colon == std::string::npos) continue;
    model = line.substr(colon + 2);
    break;
  }
  return fmt::format("{}, {} logical", model, std::thread::hardware_concurrency());
}

std::string gpu() {
  const std::string found =
      first_line_of({"nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"});
  const auto comma = found.find(", ");
  if (comma == std::string::npos) return "unknown GPU";
  return found.substr(0, comma) + ", driver " + found.substr(comma + 2);
}

BenchContext context_of(const std::string& commit, const BenchRuns& runs, const BenchArguments& arguments) {
  return {.device = arguments.device == "cuda" ? gpu() : processor(),
          .date = fmt::format("{:%Y-%m-%d}", fmt::localtime(std::time(nullptr))),
          .commit = commit.empty() ? "unknown" : commit,
          .torch = runs.torch,
          .rounds = arguments.rounds};
}

/// What goes on, on standard error: one line on a terminal, gone in the end; elsewhere each a line of its
/// own.
class StatusLine {
 public:
  StatusLine() = default;
  StatusLine(const StatusLine&) = delete;
  StatusLine& operator=(const StatusLine&) = delete;
  ~StatusLine() {
    if (terminal_) std::fputs("\r\x1b[K", stderr);
  }

  void show(const std::string& what) const {
    std::fprintf(stderr, terminal_ ? "\r\x1b[K%s" : "  %s\n", what.c_str());
  }

 private:
  bool terminal_ = isatty(STDERR_FILENO) != 0;
};

/// Of the tree that the preset builds it in.
fs::path build_program(const Workspace& workspace, const StatusLine& line) {
  const fs::path tree = workspace.root / "build/bench";
  const fs::path log = workspace.logs() / "bench.log";
  line.show("building the benchmarks");
  const bool built = build_preset(
      {.root = workspace.root, .tree = tree, .preset = "bench", .targets = {"tensor_bench"}}, log);
  if (!built) throw Error("the benchmarks did not build; the whole log: " + shown(log));
  return tree / "bin/tensor_bench";
}

BenchRuns build_and_run(const Workspace& workspace, const BenchArguments& arguments) {
  const StatusLine line;
  const fs::path program = arguments.program.empty() ? build_program(workspace, line) : arguments.program;
  BenchPlan plan{.ours = {.arguments = {program}},
                 .threads = arguments.device == "cuda" ? std::vector{0} : arguments.threads,
                 .filter = arguments.filter,
                 .rounds = arguments.rounds};
  if (!arguments.against.empty()) {
    plan.torch =
        torch_program(workspace.root, cache_entry(program.parent_path().parent_path(), "OPENBLAS_LIBRARY"));
  }
  return run_benchmarks(plan, [&](const std::string& what) { line.show(what); });
}

/// Of the repository; of a program that was built before, as a file beside its folder has it.
std::string commit_measured(const Workspace& workspace, const BenchArguments& arguments) {
  if (arguments.program.empty()) return commit_of(workspace.root);
  const fs::path recorded = fs::absolute(arguments.program).parent_path().parent_path() / "commit";
  return fs::exists(recorded) ? first_line_of({"head", "-n", "1", recorded}) : std::string();
}

int bench(const BenchArguments& arguments, int& status) {
  const Workspace workspace = find_workspace();
  if (!workspace.repository && arguments.program.empty())
    throw Error("there is nothing to measure here; run `./lectern bench` in Lectern's repository");
  BenchRuns runs;
  try {
    runs = build_and_run(workspace, arguments);
  } catch (const NoSuchCase&) {
    status = 2;
    throw;
  }
  if (!runs.why_no_torch.empty())
    std::fprintf(stderr, "lectern: PyTorch was not measured (%s); install python3-torch\n",
                 runs.why_no_torch.c_str());
  const BenchContext context = context_of(commit_measured(workspace, arguments), runs, arguments);
  if (!arguments.json.empty()) write_file(arguments.json, bench_json(context, runs.rows));
  std::fputs(bench_table(context, runs.rows).c_str(), stdout);
  const auto held = [](const BenchRow& row) { return row.held().value_or(true); };
  return std::all_of(runs.rows.begin(), runs.rows.end(), held) ? 0 : 1;
}

}  // namespace

void add_bench(CLI::App& app, int& status) {
  auto arguments = std::make_shared<BenchArguments>();
  arguments->threads = {1};
  if (std::thread::hardware_concurrency() > 1) arguments->threads.push_back(2);
  auto* command = app.add_subcommand("bench", "Measures the tensor operations");
  command->add_option("FILTER", arguments->filter, "Only the cases with this in their names");
  command->add_option("--device", arguments->device, "Where: cpu, or cuda, on the first GPU")
      ->check(CLI::IsMember({"cpu", "cuda"}))
      ->capture_default_str();
  auto* against =
      command->add_option("--against", arguments->against, "Measures PyTorch too, by turns with ours: torch")
          ->check(CLI::IsMember({"torch"}));
  auto* threads =
      command->add_option("--threads", arguments->threads, "Numbers of threads, separated by commas")
          ->delimiter(',')
          ->allow_extra_args(false)
          ->check(CLI::Range(1, 1024))
          ->capture_default_str();
  command->add_option("--program", arguments->program, "A tensor_bench that is built already, of a bundle")
      ->check(CLI::ExistingFile)
      ->excludes(against);
  command->add_option("--rounds", arguments->rounds, "How often each program is run; medians count")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  command->add_option("--json", arguments->json, "A file for the results, with the time of each round");
  command->footer(
      "A bar is a time that a case may take, or to be as fast as PyTorch. That is Debian's, with OpenBLAS in "
      "its OpenMP build, and with the memory that it frees kept by malloc. There are no bars on a GPU.\n"
      "Exit status: 0 every bar was held, 1 one was not, or something failed, 2 the command line is wrong or "
      "no case has such a name, 3 something is not installed.");
  command->callback([arguments, against, threads, &status] {
    if (arguments->device == "cuda" && (against->count() > 0 || threads->count() > 0))
      throw CLI::ValidationError("--device cuda", "takes neither --against nor --threads");
    status = bench(*arguments, status);
  });
}

}  // namespace lectern::cli
