#pragma once

#include <filesystem>
#include <string_view>

namespace lectern {

/// Where `lectern run` has the files listed that a lecture shows, in make's format: a variable of its
/// environment.
inline constexpr const char* kDepfileVariable = "LECTERN_DEPFILE";

/// For the build system: the lecture runs again when this file changes or, where there is none yet, in each
/// build. `further`: prerequisites in make's format.
void add_dependency(const std::filesystem::path& file, std::string_view further = {});
/// The same, unless the lecture itself has written the file: it would run in each build.
void add_shown_file(const std::filesystem::path& file);

}  // namespace lectern
