#include "cli/bundle.h"

#include <algorithm>
#include <cstdio>
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/core.h>

#include "base/error.h"
#include "cli/commands.h"
#include "cli/preset.h"
#include "cli/workspace.h"

namespace lectern::cli {
namespace {
namespace fs = std::filesystem;

struct BundleArguments {
  fs::path out;
  std::string architectures = "90";
  bool source = false;
};

std::int64_t bytes_of(const fs::path& folder) {
  std::int64_t bytes = 0;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file()) bytes += static_cast<std::int64_t>(entry.file_size());
  }
  return bytes;
}

std::string problem_of_architectures(const std::string& list) {
  const bool is_list = !list.empty() && list.find_first_not_of("0123456789a,") == std::string::npos;
  return is_list ? "" : "`" + list + "` is no list of compute capabilities; give one like 80,90";
}

/// Of the tree that the preset builds them in.
BundlePrograms build_programs(const Workspace& workspace, const std::string& architectures) {
  const fs::path tree = workspace.root / "build/bundle";
  const fs::path log = workspace.logs() / "bundle.log";
  std::fprintf(stderr, "  building for architectures %s\n", architectures.c_str());
  const bool built = build_preset({.root = workspace.root,
                                   .tree = tree,
                                   .preset = "bundle",
                                   .targets = {"bundle"},
                                   .definitions = {"LECTERN_CUDA_ARCHITECTURES=" + architectures}},
                                  log);
  if (!built && fs::exists(tree / "build.ninja") && !fs::exists(tree / "bundle.txt")) {
    throw Error(
        "a bundle needs CUDA's compiler, and nvcc was not found; install the CUDA toolkit, or set CUDA_HOME "
        "to its folder and remove " +
        shown(tree));
  }
  if (!built) throw Error("the bundle did not build; the whole log: " + shown(log));
  return read_bundle_programs(tree / "bundle.txt");
}

int bundle(const BundleArguments& arguments) {
  const Workspace workspace = find_workspace();
  if (!workspace.repository)
    throw Error("there is nothing to bundle here; run `./lectern bundle` in Lectern's repository");
  fs::path out = arguments.out.empty() ? workspace.root / "build/lectern-bundle" : arguments.out;
  out = fs::absolute(out / "").lexically_normal().parent_path();
  const std::string commit = commit_of(workspace.root);
  if (arguments.source) {
    const BundleDependencies dependencies = read_bundle_dependencies(workspace.home / "dependencies.txt");
    write_bundle(workspace.root, commit + "\nsources\n", out, [&](const fs::path& folder) {
      add_sources(workspace.root, dependencies, fs::read_symlink("/proc/self/exe"), folder);
    });
  } else {
    const BundlePrograms programs = build_programs(workspace, arguments.architectures);
    write_bundle(workspace.root, commit + "\narchitectures " + programs.architectures + "\n", out,
                 [&](const fs::path& folder) { add_programs(workspace.root, programs, folder); });
  }
  fmt::print("{}: {:.1f} MiB; there, on a machine with a GPU: ./run\n", shown(out),
             static_cast<double>(bytes_of(out)) / (1 << 20));
  return 0;
}

}  // namespace

void add_bundle(CLI::App& app, int& status) {
  auto arguments = std::make_shared<BundleArguments>();
  auto* command = app.add_subcommand(
      "bundle", "Collects what proves the CUDA code, for a machine with a GPU and no package registry");
  command->add_option("--out", arguments->out, "The folder to make; build/lectern-bundle without it");
  command
      ->add_option("--archs", arguments->architectures,
                   "Compute capabilities to compile for, separated by commas")
      ->check(CLI::Validator(problem_of_architectures, "LIST"))
      ->capture_default_str();
  command
      ->add_flag(
          "--source", arguments->source,
          "The sources of the tensor stack, its tests and benchmarks, which `run` builds there with nvcc, "
          "CMake and ninja, without lectures")
      ->excludes("--archs");
  command->footer(
      "The folder may be moved and copied. It has, packed, the tests on the GPU, the benchmarks, the "
      "lectures "
      "and the libraries that they need, and `run`, which runs them all and says what they found (`./run "
      "--help`). The GPU's driver and the CUDA toolkit are those of that machine, and of its system glibc, "
      "bash, "
      "tar and gzip are needed.\n"
      "Exit status: 0 done, 1 something failed or CUDA's compiler is missing, 2 the command line is wrong.");
  command->callback([arguments, &status] {
    std::replace(arguments->architectures.begin(), arguments->architectures.end(), ',', ';');
    status = bundle(*arguments);
  });
}

}  // namespace lectern::cli
