#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <utility>
#include <vector>

// What `lectern bundle` makes: a folder with `run` and, packed, what it runs.

namespace lectern::cli {

/// The programs of a bundle, as the build wrote them down (engine/cmake/LecternBundle.cmake).
struct BundlePrograms {
  std::vector<std::filesystem::path> tests, lectures, programs;
  std::filesystem::path texts;  ///< the folder of what lectures read; empty: none
  std::string architectures;
};

/// A line each: KIND PATH. Throws Error for a line that is none.
BundlePrograms read_bundle_programs(const std::filesystem::path& manifest);

/// What the tensor stack is built with, likewise.
struct BundleDependencies {
  /// Entries of CMake's cache, by name: paths of this machine.
  std::vector<std::pair<std::string, std::filesystem::path>> found;
  std::vector<std::filesystem::path> files;  ///< and folders
};

/// A line each: `found NAME PATH` or `file PATH`. Throws Error for a line that is none, or a path that is
/// none.
BundleDependencies read_bundle_dependencies(const std::filesystem::path& manifest);

/// The shared libraries that the programs need and another machine may lack: all that the loader finds for
/// them, without those of glibc, of the compiler's C++ runtime, and of the GPU's driver. Throws Error when
/// one is not found here either.
std::vector<std::filesystem::path> libraries_of(const std::vector<std::filesystem::path>& programs);

/// Puts the programs, their libraries and what they read into a folder. `root` is the repository.
void add_programs(const std::filesystem::path& root, const BundlePrograms& contents,
                  const std::filesystem::path& folder);

/// Puts the sources of the tensor stack, its tests and benchmarks there, with what they are built with and
/// with this tool. Throws Error when `root` is no repository of git.
void add_sources(const std::filesystem::path& root, const BundleDependencies& dependencies,
                 const std::filesystem::path& tool, const std::filesystem::path& folder);

/// Makes the folder `out` with `run` and what `fill` puts into the folder that it gets, packed; in the place
/// of one that was a bundle before, whose results it keeps; written beside and renamed. `about`: the commit
/// and, on a second line, what it was compiled for. Throws Error when `out` holds anything else.
void write_bundle(const std::filesystem::path& root, const std::string& about,
                  const std::filesystem::path& out,
                  const std::function<void(const std::filesystem::path& folder)>& fill);

}  // namespace lectern::cli
