#include "cli/proof.h"

#include <algorithm>
#include <atomic>
#include <charconv>
#include <fstream>
#include <mutex>
#include <thread>

#include "base/files.h"
#include "cli/preset.h"
#include "cli/process.h"

namespace lectern::cli {
namespace fs = std::filesystem;
namespace {

using Paths = std::vector<fs::path>;

Tally one(bool passed, const std::string& name) {
  return passed ? Tally{.passed = 1} : Tally{.failed = 1, .failures = {name}};
}

std::string jobs() {
  return std::to_string(std::max(1U, std::thread::hardware_concurrency()));
}

/// Files below these folders with one of the endings, sorted; fixtures and inputs for fuzzers are left as
/// they are.
Paths files_of(const fs::path& root, const std::vector<std::string>& folders,
               const std::vector<std::string>& endings) {
  Paths files;
  for (const auto& folder : folders) {
    if (!fs::exists(root / folder)) continue;
    for (fs::recursive_directory_iterator entry(root / folder), end; entry != end; ++entry) {
      const std::string name = entry->path().filename();
      if (entry->is_directory()) {
        if (name == "fixtures" || name == "constructs" || name == "corpus" || name == "node_modules")
          entry.disable_recursion_pending();
      } else if (std::any_of(endings.begin(), endings.end(),
                             [&](const auto& ending) { return name.ends_with(ending); })) {
        files.push_back(entry->path());
      }
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::vector<std::string> with(std::vector<std::string> arguments, const Paths& files) {
  for (const auto& file : files) arguments.push_back(file.string());
  return arguments;
}

/// A command whose exit status is the verdict.
Proof command_proof(const Workspace& workspace, const std::string& name,
                    const std::vector<std::string>& arguments) {
  const fs::path log = workspace.logs() / ("test-" + name + ".log");
  return {name, log, [=, folder = workspace.root] {
            return one(run_logged({.arguments = arguments, .folder = folder}, log) == 0, name);
          }};
}

/// The tree of `lectern build` has no tests until it is configured with them, one of sanitizers no fuzzers.
Proof build_proof(const Workspace& workspace, const std::string& name, const fs::path& tree,
                  const std::string& preset, const std::vector<std::string>& targets) {
  const fs::path log = workspace.logs() / ("test-" + name + ".log");
  PresetBuild build{.root = workspace.root, .tree = tree, .preset = preset, .targets = targets};
  build.definitions = {preset == "release" ? "LECTERN_TESTS=ON" : "LECTERN_FUZZERS=ON"};
  return {name, log, [=] { return one(build_preset(build, log), name); }};
}

Proof ctest_proof(const Workspace& workspace, const std::string& name, const fs::path& tree,
                  const std::string& label) {
  const fs::path log = workspace.logs() / ("test-" + name + ".log");
  return {name, log, [=, report = workspace.logs() / ("test-" + name + ".xml")] {
            fs::remove(report);
            std::vector<std::string> arguments = {
                "ctest", "--test-dir",     tree,  "--output-on-failure", "--no-tests=error", "-j",
                jobs(),  "--output-junit", report};
            if (!label.empty()) arguments.insert(arguments.end(), {"-L", "^" + label + "$"});
            const int status = run_logged({arguments}, log);
            Tally tally = fs::exists(report) ? tally_of_junit(read_file(report)) : Tally{};
            if (status != 0 && tally.failed == 0) tally += one(false, name);
            return tally;
          }};
}

/// Calls `work` for each file, as many at a time as there are processors.
void for_each_at_once(const Paths& files, const std::function<void(const fs::path&)>& work) {
  std::atomic<std::size_t> next = 0;
  std::vector<std::thread> workers(std::max(1U, std::thread::hardware_concurrency()));
  for (auto& worker : workers) {
    worker = std::thread([&] {
      for (std::size_t i; (i = next++) < files.size();) work(files[i]);
    });
  }
  for (auto& worker : workers) worker.join();
}

/// The seconds that a test file takes, if its first line says so: "// cost: 150".
int cost_of(const fs::path& file) {
  std::string line;
  std::getline(std::ifstream(file), line);
  constexpr std::string_view words = "// cost: ";
  int cost = 0;
  if (line.starts_with(words)) std::from_chars(line.data() + words.size(), line.data() + line.size(), cost);
  return cost;
}

/// Tests written for node's own runner, those of the pages in a browser among them. What takes long begins
/// first, so that no processor is left without work in the end.
Proof node_proof(const Workspace& workspace) {
  const fs::path log = workspace.logs() / "test-browser.log";
  return {
      "browser", log, [=] {
        std::ofstream out(log);
        std::mutex mutex;
        Tally total;
        Paths files = files_of(workspace.root, {"tests"}, {".test.mjs"});
        std::stable_sort(files.begin(), files.end(),
                         [](const auto& a, const auto& b) { return cost_of(a) > cost_of(b); });
        for_each_at_once(files, [&](const fs::path& file) {
          std::string tap;
          const Command command{.arguments = {"node", "--test", "--test-reporter=tap", file},
                                .folder = workspace.root,
                                .environment = {"LECTERN_SITE=" + workspace.site.string(),
                                                "LECTERN_BIN=" + (workspace.home / "bin/lectern").string()}};
          const int status = run_command(command, [&](std::string_view line) { tap.append(line) += '\n'; });
          Tally tally = tally_of_tap(tap);
          if (status != 0 && tally.failed == 0) tally += one(false, file.filename());
          const std::lock_guard lock(mutex);
          out << tap << std::flush;
          total += tally;
        });
        return total.passed + total.failed > 0 ? total : one(false, "browser: no tests found");
      }};
}

Proof fuzz_proof(const Workspace& workspace, const fs::path& tree) {
  const fs::path log = workspace.logs() / "test-fuzz.log";
  return {"fuzz", log, [=] {
            std::mutex mutex;
            Tally total;
            for_each_at_once(files_of(tree, {"fuzzers"}, {""}), [&](const fs::path& program) {
              const std::string name = program.filename();
              const fs::path found = tree / "found" / name;
              fs::create_directories(found);
              std::vector<std::string> arguments = {
                  program,
                  "-max_total_time=10",
                  "-seed=1",
                  "-timeout=10",
                  "-rss_limit_mb=2048",
                  "-artifact_prefix=" + (workspace.logs() / name).string() + "-",
                  found};
              const std::string room = name.substr(name.find('_') + 1);
              for (const fs::path& seeds : {workspace.root / "tests/fuzz/corpus" / room,
                                            workspace.root / "tests" / room / "constructs"}) {
                if (fs::is_directory(seeds)) arguments.push_back(seeds);
              }
              const fs::path words = workspace.root / "tests/fuzz" / (room + ".dict");
              if (fs::exists(words)) arguments.push_back("-dict=" + words.string());
              const int status = run_logged({arguments}, workspace.logs() / ("test-" + name + ".log"));
              const std::lock_guard lock(mutex);
              total += one(status == 0, name);
            });
            return total.passed + total.failed > 0 ? total : one(false, "fuzz: no fuzzers found");
          }};
}

/// clang-tidy for each file; one verdict.
Proof tidy_proof(const Workspace& workspace) {
  const fs::path log = workspace.logs() / "test-clang-tidy.log";
  return {"clang-tidy", log, [=] {
            std::ofstream out(log);
            std::mutex mutex;
            std::atomic<bool> clean = true;
            // Not what this build leaves out: of CUDA's side or its stand-in, one.
            const std::string compiled = read_file(workspace.home / "compile_commands.json");
            for_each_at_once(
                files_of(workspace.root, {"engine", "kernels"}, {".cpp"}), [&](const fs::path& file) {
                  if (compiled.find('"' + file.string() + '"') == std::string::npos) return;
                  std::string said;
                  const int status = run_command({{"clang-tidy", "--quiet", "-p", workspace.home, file}},
                                                 [&](std::string_view line) { said.append(line) += '\n'; });
                  if (status == 0) return;
                  clean = false;
                  const std::lock_guard lock(mutex);
                  out << said << std::flush;
                });
            return one(clean, "clang-tidy");
          }};
}

}  // namespace

std::vector<Proof> proofs(const Workspace& workspace, bool quick) {
  const fs::path& root = workspace.root;
  if (quick) {
    return {build_proof(workspace, "build", workspace.home, "release", {"unit-tests"}),
            ctest_proof(workspace, "unit", workspace.home, "unit")};
  }
  Paths scripts = files_of(root, {"tests"}, {".sh"});
  for (const char* const script : {"lectern", ".ci/run", ".ci/publish", "tests/bundle/run"})
    scripts.push_back(root / script);
  const bool thorough = !find_program("shellcheck").empty();
  const auto shell = with(
      thorough ? std::vector<std::string>{"shellcheck"} : std::vector<std::string>{"bash", "-n"}, scripts);
  const fs::path asan = root / "build/asan";
  return {
      command_proof(workspace, "clang-format",
                    with({"clang-format", "--dry-run", "-Werror"},
                         files_of(root, {"engine", "kernels", "tests"}, {".cpp", ".h", ".cu", ".cuh"}))),
      command_proof(workspace, "shell", shell),
      command_proof(
          workspace, "typescript",
          {"node", "site_templates/node_modules/typescript/bin/tsc", "--noEmit", "-p", "site_templates"}),
      build_proof(workspace, "build", workspace.home, "release", {"all"}),
      ctest_proof(workspace, "ctest", workspace.home, ""),
      command_proof(workspace, "check", {(workspace.home / "bin/lectern").string(), "check"}),
      node_proof(workspace),
      build_proof(workspace, "sanitizer-build", asan, "asan", {"unit-tests", "fuzzers"}),
      ctest_proof(workspace, "sanitizers", asan, "unit"),
      fuzz_proof(workspace, asan),
      tidy_proof(workspace),
  };
}

}  // namespace lectern::cli
