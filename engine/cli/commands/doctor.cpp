#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <glob.h>

#include "base/files.h"
#include "cli/commands/commands.h"
#include "cli/process.h"
#include "cli/workspace.h"

namespace lectern::cli {
namespace {
namespace fs = std::filesystem;

/// A line of engine/dependencies.txt, which says what its words mean.
struct Dependency {
  std::string who, kind, name, package, use;

  bool is_needed() const { return who == "author" || who == "build"; }
};

/// The dependencies of this workspace: an installed Lectern is neither built nor tested.
std::vector<Dependency> read_dependencies(const Workspace& workspace) {
  std::vector<Dependency> dependencies;
  std::istringstream lines(read_file(workspace.home / "share/lectern/dependencies.txt"));
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with('#')) continue;
    std::istringstream words(line);
    Dependency found;
    words >> found.who >> found.kind >> found.name >> found.package >> std::ws;
    std::getline(words, found.use);
    const bool listed = std::any_of(dependencies.begin(), dependencies.end(),
                                    [&](const Dependency& other) { return other.name == found.name; });
    if (!listed && (workspace.repository || found.who == "author" || found.who == "optional"))
      dependencies.push_back(found);
  }
  return dependencies;
}

/// The first of these commands that is there.
std::string find_command(const std::string& names) {
  std::istringstream all(names);
  for (std::string name; std::getline(all, name, '|');) {
    const fs::path path = find_program(name);
    if (path.empty()) continue;
    const std::string version = first_output_line({path, "--version"});
    return version.empty() ? path.string() : version + "  (" + path.string() + ")";
  }
  return {};
}

std::string find_header(const std::string& name) {
  for (const fs::path folder : {"/usr/include", "/usr/local/include"}) {
    if (fs::exists(folder / name)) return folder / name;
  }
  const int status = run_command({{"g++", "-E", "-x", "c++", "-include", name, "/dev/null"}}, [](auto) {});
  return status == 0 ? name : "";
}

/// The first file that matches one of the patterns.
std::string find_file(const std::string& patterns) {
  std::istringstream all(patterns);
  for (std::string pattern; std::getline(all, pattern, '|');) {
    glob_t matches{};
    const bool found = glob(pattern.c_str(), 0, nullptr, &matches) == 0;
    const std::string path = found ? matches.gl_pathv[0] : "";
    globfree(&matches);
    if (found) return path;
  }
  return {};
}

std::string find(const Dependency& dependency) {
  if (dependency.kind == "command") return find_command(dependency.name);
  return dependency.kind == "header" ? find_header(dependency.name) : find_file(dependency.name);
}

/// nvcc, whether or not it is on the PATH.
std::string cuda_toolkit() {
  std::vector<fs::path> candidates;
  for (const char* name : {"CUDA_PATH", "CUDA_HOME"}) {
    if (const char* home = std::getenv(name); home != nullptr)
      candidates.push_back(fs::path(home) / "bin/nvcc");
  }
  candidates.push_back(find_program("nvcc"));
  candidates.emplace_back("/usr/local/cuda/bin/nvcc");
  for (const auto& nvcc : candidates) {
    if (nvcc.empty() || !fs::exists(nvcc)) continue;
    std::string release;
    run_command({{nvcc, "--version"}}, [&](std::string_view line) {
      if (line.find("release") != std::string_view::npos) release = line;
    });
    if (!release.empty()) return release + "  (" + nvcc.string() + ")";
  }
  return {};
}

std::string described_gpu() {
  const fs::path smi = find_program("nvidia-smi");
  if (smi.empty()) return {};
  return first_output_line({smi, "--query-gpu=name,driver_version,memory.total", "--format=csv,noheader"});
}

void print(const char* sign, const std::string& what, const std::string& found) {
  std::printf("%s %-27s %s\n", sign, what.c_str(), found.c_str());
}

/// Something beyond packages, which may be absent.
void print_option(const std::string& what, const std::string& found, const std::string& absent) {
  print(found.empty() ? "-" : "✓", what, found.empty() ? absent : found);
}

int examine() {
  const Workspace workspace = find_workspace();
  bool complete = true;
  for (const Dependency& dependency : read_dependencies(workspace)) {
    const std::string found = find(dependency);
    const bool there = !found.empty();
    complete &= there || !dependency.is_needed();
    print(there                    ? "✓"
          : dependency.is_needed() ? "✗"
                                   : "-",
          dependency.package, there ? found : dependency.use + ": install " + dependency.package);
  }
  print_option("CUDA toolkit", cuda_toolkit(),
               "without it the CUDA kernels are left out: install it, or set CUDA_HOME");
  const std::string kernels = cache_entry(workspace.home, "LECTERN_CUDA_STATE");
  if (workspace.repository)
    print_option("CUDA kernels", kernels.starts_with("compiled") ? kernels : "", kernels);
  print_option("GPU", described_gpu(), "no driver or no device answers; lectures run on the CPU");
  print("✓", "Lectern", shown(workspace.home));
  return complete ? 0 : 3;
}

}  // namespace

void add_doctor(CLI::App& app, int& status) {
  auto* command = app.add_subcommand("doctor", "Shows what was found, what is missing, and how to get it");
  command->footer(
      "`✓` found, `-` missing and not needed, `✗` missing and needed.\n"
      "Exit status: 0 all that is needed is there, 3 something is not.");
  command->callback([&status] { status = examine(); });
}

}  // namespace lectern::cli
