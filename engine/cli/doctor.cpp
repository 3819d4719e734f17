#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "base/files.h"
#include "cli/commands.h"
#include "cli/process.h"
#include "cli/workspace.h"

namespace lectern::cli {
namespace {
namespace fs = std::filesystem;

/// One thing looked for: what was found, or what its absence means and how to get it.
struct Finding {
  const char* what;
  std::string found;
  const char* remedy;
  bool needed;
};

std::string version_of(const std::string& program) {
  const fs::path path = find_program(program);
  return path.empty() ? std::string() : first_line_of({path, "--version"}) + "  (" + path.string() + ")";
}

std::string first_version_of(const std::vector<std::string>& programs) {
  for (const auto& program : programs) {
    if (std::string version = version_of(program); !version.empty()) return version;
  }
  return {};
}

std::string library(const std::vector<std::string>& names) {
  for (const char* folder :
       {"/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib64", "/usr/local/lib"}) {
    for (const auto& name : names) {
      const fs::path path = fs::path(folder) / name;
      if (fs::exists(path)) return fs::canonical(path).filename().string() + "  (" + path.string() + ")";
    }
  }
  return {};
}

/// The toolkit with the highest version, also off the PATH.
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
  return first_line_of({smi, "--query-gpu=name,driver_version,memory.total", "--format=csv,noheader"});
}

int examine() {
  const Workspace workspace = find_workspace();
  const std::string kernels = cache_entry(workspace.home, "LECTERN_CUDA_STATE");
  const bool has_kernels = kernels.starts_with("compiled");
  const std::vector<Finding> findings = {
      {"C++ compiler", version_of("g++"), "install g++", true},
      {"clang++", version_of("clang++"), "only `lectern test` uses it: install clang clang-tidy clang-format",
       false},
      {"CMake", version_of("cmake"), "install cmake (3.25 or newer)", true},
      {"Ninja", version_of("ninja"), "install ninja-build", true},
      {"Node.js", version_of("node"), "install nodejs npm", true},
      {"ccache", version_of("ccache"), "optional, makes rebuilding faster: install ccache", false},
      {"BLAS", library({"openblas-openmp/libopenblas.so.0", "libopenblas.so.0", "libblas.so.3"}),
       "optional: install libopenblas-openmp-dev", false},
      {"oneDNN", library({"libdnnl.so.2"}),
       "optional, for products of bfloat16 on the CPU: install libdnnl-dev", false},
      {"CUDA toolkit", cuda_toolkit(),
       "without it the CUDA kernels are left out: install it, or set CUDA_HOME", false},
      {"CUDA kernels", has_kernels ? kernels : "", kernels.c_str(), false},
      {"GPU", described_gpu(), "no driver or no device answers; lectures run on the CPU", false},
      {"browser", first_version_of({"chromium", "chromium-browser", "google-chrome"}),
       "only `lectern test` uses it: install chromium", false},
      {"King James", find_program("bible").string(), "the text that lectures train on: install bible-kjv",
       false},
  };
  bool complete = true;
  for (const auto& finding : findings) {
    const bool there = !finding.found.empty();
    complete &= there || !finding.needed;
    std::printf("%-13s %s %s\n", finding.what, there ? "✓" : (finding.needed ? "✗" : "-"),
                there ? finding.found.c_str() : finding.remedy);
  }
  std::printf("%-13s %s\n", "Lectern", shown(workspace.home).c_str());
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
