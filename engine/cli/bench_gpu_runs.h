#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "cli/bench_gpu_rows.h"
#include "cli/process.h"

namespace lectern::cli {

/// What to run on a GPU.
struct GpuBenchPlan {
  /// tensor_bench: with `--list cuda` it prints the names of the cases, with `cuda --case NAME` it measures
  /// one.
  Command ours;
  /// torch_bench.py: with `cuda NAME…` it measures these. Its exit status 77 says that there is no PyTorch,
  /// 75 that it is to be called again for the rest.
  std::optional<Command> torch = {};
  std::string filter = {};                                          ///< part of the names of the cases
  std::chrono::milliseconds case_limit = std::chrono::seconds(30);  ///< of one case
  std::chrono::milliseconds limit = {};  ///< of all; 0: none. Ours has two thirds where PyTorch is measured
  std::chrono::steady_clock::time_point begin = std::chrono::steady_clock::now();  ///< of the limit
};

struct GpuBenchEvents {
  std::function<void(const std::string& json)> on_result;    ///< a line for programs, as soon as it is there
  std::function<void(const std::string& what)> on_progress;  ///< what goes on
};

/// Measures the cases by our program, each in a process of its own, then by PyTorch in one process, or, where
/// that dies, in another one for those that are left. A case that fails, ends by a signal or takes too long
/// costs only itself. Without PyTorch only ours is measured. Throws NoSuchCase when no name has the filter,
/// Error when the names are not to be had, or our program says that there is no GPU before anything was
/// measured.
GpuBenchRuns run_gpu_benchmarks(const GpuBenchPlan& plan, const GpuBenchEvents& events);

}  // namespace lectern::cli
