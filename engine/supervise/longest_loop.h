#pragma once

#include <filesystem>
#include <string>

namespace lectern {

/// "x.cpp:12 ran 1,204,332 times: put @steps first 3 last 1 or @stepover on it": the loop of which most steps
/// were recorded in a trace that may be torn; where it has no loop, the statement.
std::string longest_loop(const std::filesystem::path& file);

}  // namespace lectern
