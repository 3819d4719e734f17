#pragma once

#include <filesystem>
#include <string>

namespace lectern {

/// "x.cpp:12 ran 1,204,332 times: put @steps first 3 last 1 or @stepover on it": the loop with the most
/// recorded steps in a trace that may be torn; without loops, the statement.
std::string longest_loop(const std::filesystem::path& file);

}  // namespace lectern
