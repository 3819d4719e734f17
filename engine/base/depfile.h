#pragma once

#include <filesystem>
#include <string>

namespace lectern {

/// A path as a rule of make names it, in the files by which a build system learns what else a step has read.
std::string escape_for_make(const std::filesystem::path& path);

/// What adds it to a rule, as a further prerequisite on a line of its own.
std::string prerequisite_for_make(const std::filesystem::path& path);

}  // namespace lectern
