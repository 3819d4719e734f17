#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "trace/trace.h"

namespace lectern {

inline constexpr std::string_view kStarterFile = "starter file";

/// What is said of a file that the trace shows and that is not there. `kind`: an image, a video or
/// kStarterFile.
std::string missing_file(const Trace& trace, std::string_view kind, const std::string& name);

/// "FILE:LINE: missing_file()" of all that are not among `files`, by the names in the trace.
std::vector<std::string> missing_files(const Trace& trace,
                                       const std::map<std::string, std::filesystem::path>& files);

}  // namespace lectern
