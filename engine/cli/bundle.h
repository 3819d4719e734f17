#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace lectern::cli {

/// What belongs into a bundle, as the build wrote it down (engine/cmake/LecternBundle.cmake).
struct BundleContents {
  std::vector<std::filesystem::path> tests, lectures, programs;
  std::filesystem::path texts;  ///< the folder of what lectures read
  std::string architectures;
};

/// A line each: KIND PATH. Throws Error for a line that is none.
BundleContents read_bundle_contents(const std::filesystem::path& manifest);

/// The shared libraries that the programs need and another machine may lack: all that the loader finds for
/// them, without those of glibc, of the compiler's C++ runtime, and of the GPU's driver. Throws Error when
/// one is not found here either.
std::vector<std::filesystem::path> libraries_of(const std::vector<std::filesystem::path>& programs);

/// Makes the folder `out`, in the place of one that was a bundle before, whose results it keeps; written
/// beside and renamed. `root` is the repository. Throws Error when the folder holds anything else.
void write_bundle(const std::filesystem::path& root, const BundleContents& contents,
                  const std::string& commit, const std::filesystem::path& out);

}  // namespace lectern::cli
