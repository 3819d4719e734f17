#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/process.h"

namespace lectern::cli {

/// How a program that measures ended.
struct BenchOutcome {
  int status = 0;         ///< as run_command gives it
  std::string said = {};  ///< what was no JSON, the last line of it
};

/// Statuses of torch_bench.py, and of what could not be started.
inline constexpr int kNoTorch = 77, kNotStarted = 127;

/// Runs a program that measures with these arguments besides; `on_json` gets its lines of JSON.
BenchOutcome run_bench_program(Command command, const std::vector<std::string>& arguments,
                               const std::function<void(std::string_view)>& on_json);

}  // namespace lectern::cli
