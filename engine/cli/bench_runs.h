#pragma once

#include <functional>

#include "base/error.h"
#include "cli/bench_rows.h"
#include "cli/process.h"

namespace lectern::cli {

/// What to run on the CPU. The programs get the number of threads and the filter as arguments, and print a
/// line of JSON for each case.
struct BenchPlan {
  Command ours;
  std::optional<Command> torch = {};
  std::vector<int> threads = {1};
  std::string filter = {};  ///< part of the names of the cases
  int rounds = 1;
};

struct BenchRuns {
  std::vector<BenchRow> rows;
  std::string torch;         ///< its version and BLAS; empty: not measured
  std::string why_no_torch;  ///< when it was to be measured and could not be
};

/// No case has the filter in its name.
class NoSuchCase : public Error {
 public:
  using Error::Error;
};

/// Runs both programs by turns, so that what disturbs the machine for a while disturbs both: for each number
/// of threads, in each round, ours and PyTorch's. `on_progress` is told what goes on. Throws Error, with what
/// a program said, when it fails; without PyTorch only ours is run.
BenchRuns run_benchmarks(const BenchPlan& plan, const std::function<void(const std::string&)>& on_progress);

}  // namespace lectern::cli
