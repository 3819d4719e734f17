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
#include "cli/bench_gpu_runs.h"
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
  fs::path json_lines;
  int limit = 0;        ///< seconds of a run on a GPU; 0: none
  int case_limit = 30;  ///< seconds of a case there
  fs::path program;     ///< tensor_bench, when it is built already

  bool is_on_gpu() const { return device == "cuda"; }
};

/// Nobody's PyTorch is better off: one pool of threads (OpenBLAS in its OpenMP build), and memory that is
/// freed stays with malloc instead of going back to the system page by page.
Command torch_on_cpu(const fs::path& root, const fs::path& openblas) {
  const char* folders = std::getenv("LD_LIBRARY_PATH");
  const std::string others = folders == nullptr || *folders == '\0' ? "" : std::string(":") + folders;
  return {.arguments = {"/usr/bin/python3", root / "tests/bench/torch_bench.py"},
          .environment = {"LD_LIBRARY_PATH=" + openblas.parent_path().string() + others, "MALLOC_MMAP_MAX_=0",
                          "MALLOC_TRIM_THRESHOLD_=17179869184", "MALLOC_TOP_PAD_=268435456"}};
}

/// The python3 of this machine, which has the PyTorch that fits its GPU; the script is the program's own, in
/// a bundle.
Command torch_on_gpu(const fs::path& root, const fs::path& program) {
  const fs::path beside = fs::absolute(program).parent_path() / "torch_bench.py";
  return {.arguments = {"python3", fs::exists(beside) ? beside : root / "tests/bench/torch_bench.py"}};
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
  std::string found;
  run_command({.arguments = {"nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"},
               .errors = false,
               .limit = std::chrono::seconds(20)},
              [&](std::string_view line) {
                if (found.empty()) found = line;
              });
  const auto comma = found.find(", ");
  if (comma == std::string::npos) return "unknown GPU";
  return found.substr(0, comma) + ", driver " + found.substr(comma + 2);
}

std::string today() {
  return fmt::format("{:%Y-%m-%d}", fmt::localtime(std::time(nullptr)));
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

fs::path find_or_build(const Workspace& workspace, const BenchArguments& arguments, const StatusLine& line) {
  return arguments.program.empty() ? build_program(workspace, line) : arguments.program;
}

/// Of the repository; of a program that was built before, as a file beside its folder has it.
std::string commit_measured(const Workspace& workspace, const BenchArguments& arguments) {
  std::string commit;
  if (arguments.program.empty()) {
    commit = commit_of(workspace.root);
  } else if (const fs::path recorded = fs::absolute(arguments.program).parent_path().parent_path() / "commit";
             fs::exists(recorded)) {
    commit = first_line_of({"head", "-n", "1", recorded});
  }
  return commit.empty() ? "unknown" : commit;
}

BenchRuns run_on_cpu(const Workspace& workspace, const BenchArguments& arguments) {
  const StatusLine line;
  const fs::path program = find_or_build(workspace, arguments, line);
  BenchPlan plan{.ours = {.arguments = {program}},
                 .threads = arguments.threads,
                 .filter = arguments.filter,
                 .rounds = arguments.rounds};
  if (!arguments.against.empty()) {
    plan.torch =
        torch_on_cpu(workspace.root, cache_entry(program.parent_path().parent_path(), "OPENBLAS_LIBRARY"));
  }
  return run_benchmarks(plan, [&](const std::string& what) { line.show(what); });
}

int bench_on_cpu(const Workspace& workspace, const BenchArguments& arguments) {
  const BenchRuns runs = run_on_cpu(workspace, arguments);
  if (!runs.why_no_torch.empty())
    std::fprintf(stderr, "lectern: PyTorch was not measured (%s); install python3-torch\n",
                 runs.why_no_torch.c_str());
  const BenchContext context{.device = processor(),
                             .date = today(),
                             .commit = commit_measured(workspace, arguments),
                             .torch = runs.torch,
                             .rounds = arguments.rounds};
  if (!arguments.json.empty()) write_file(arguments.json, bench_json(context, runs.rows));
  std::fputs(bench_table(context, runs.rows).c_str(), stdout);
  const auto held = [](const BenchRow& row) { return row.held().value_or(true); };
  return std::all_of(runs.rows.begin(), runs.rows.end(), held) ? 0 : 1;
}

/// Lines at the end of a file, each written when it is there: what ends this process leaves those before.
class LinesFile {
 public:
  explicit LinesFile(const fs::path& path) : path_(path) {
    if (path.empty()) return;
    out_.open(path, std::ios::app);
    if (!out_) throw Error(shown(path) + " cannot be written; name a file in a folder that is there");
  }
  void add(const std::string& line) {
    if (!path_.empty()) out_ << line << '\n' << std::flush;
  }
  /// Throws Error when not everything was written.
  void finish() const {
    if (!path_.empty() && !out_)
      throw Error(shown(path_) + " is not complete; look whether the disk is full");
  }

 private:
  fs::path path_;
  std::ofstream out_;
};

int bench_on_gpu(const Workspace& workspace, const BenchArguments& arguments) {
  LinesFile file(arguments.json_lines);
  GpuBenchRuns runs;
  GpuBenchContext context;
  {
    const StatusLine line;
    const fs::path program = find_or_build(workspace, arguments, line);
    GpuBenchPlan plan{.ours = {.arguments = {program}},
                      .filter = arguments.filter,
                      .case_limit = std::chrono::seconds(arguments.case_limit),
                      .limit = std::chrono::seconds(arguments.limit)};
    if (!arguments.against.empty()) plan.torch = torch_on_gpu(workspace.root, program);
    context = {.device = gpu(), .date = today(), .commit = commit_measured(workspace, arguments)};
    file.add(gpu_bench_header(context));
    runs = run_gpu_benchmarks(plan, {.on_result = [&](const std::string& json) { file.add(json); },
                                     .on_progress = [&](const std::string& what) { line.show(what); }});
  }
  std::fputs(gpu_bench_table(context, runs).c_str(), stdout);
  file.finish();
  return runs.is_complete() ? 0 : 1;
}

int bench(const BenchArguments& arguments, int& status) {
  const Workspace workspace = find_workspace();
  if (!workspace.repository && arguments.program.empty())
    throw Error("there is nothing to measure here; run `./lectern bench` in Lectern's repository");
  try {
    return arguments.is_on_gpu() ? bench_on_gpu(workspace, arguments) : bench_on_cpu(workspace, arguments);
  } catch (const NoSuchCase&) {
    status = 2;
    throw;
  }
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
  command
      ->add_option("--against", arguments->against,
                   "Measures PyTorch too, by turns with ours, on a GPU after ours: torch")
      ->check(CLI::IsMember({"torch"}));
  command->add_option("--program", arguments->program, "A tensor_bench that is built already, of a bundle")
      ->check(CLI::ExistingFile);
  // Each of these is an option of one device.
  const std::vector<CLI::Option*> of_cpu = {
      command->add_option("--threads", arguments->threads, "Numbers of threads, separated by commas")
          ->delimiter(',')
          ->allow_extra_args(false)
          ->check(CLI::Range(1, 1024))
          ->capture_default_str(),
      command->add_option("--rounds", arguments->rounds, "How often each program is run; medians count")
          ->check(CLI::Range(1, 1000))
          ->capture_default_str(),
      command->add_option("--json", arguments->json, "A file for the results, with the time of each round")};
  const std::vector<CLI::Option*> of_gpu = {
      command->add_option("--json-lines", arguments->json_lines,
                          "With --device cuda: a file that each result is added to, as soon as it is there"),
      command
          ->add_option("--limit", arguments->limit,
                       "With --device cuda: all ends within so many seconds, and says what was not reached")
          ->check(CLI::Range(1, 1'000'000)),
      command
          ->add_option("--case-limit", arguments->case_limit,
                       "With --device cuda: a case that takes more seconds is killed")
          ->check(CLI::Range(1, 1'000'000))
          ->capture_default_str()};
  command->footer(
      "A bar is a time that a case may take, or to be as fast as PyTorch. That is Debian's, with OpenBLAS in "
      "its OpenMP build, and with the memory that it frees kept by malloc.\n"
      "On a GPU there are no bars. Each case runs in a process of its own: one that fails, crashes or hangs "
      "costs only itself. PyTorch is that of the python3 on the PATH.\n"
      "Exit status: 0 every bar was held, on a GPU every case was measured; 1 one was not, or something "
      "failed; 2 the command line is wrong or no case has such a name; 3 something is not installed.");
  command->callback([arguments, of_cpu, of_gpu, &status] {
    for (const CLI::Option* option : arguments->is_on_gpu() ? of_cpu : of_gpu) {
      if (option->count() > 0) {
        throw CLI::ValidationError(option->get_name(), arguments->is_on_gpu() ? "is not for --device cuda"
                                                                              : "is for --device cuda only");
      }
    }
    if (!arguments->is_on_gpu() && !arguments->program.empty() && !arguments->against.empty())
      throw CLI::ValidationError("--program", "excludes --against without --device cuda");
    status = bench(*arguments, status);
  });
}

}  // namespace lectern::cli
