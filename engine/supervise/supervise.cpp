#include "supervise/supervise.h"

#include <algorithm>
#include <optional>
#include <system_error>

#include <unistd.h>

#include "base/files.h"
#include "supervise/run_ranks.h"
#include "supervise/trace_file.h"
#include "trace/ranks.h"

namespace lectern {
namespace {

namespace fs = std::filesystem;

void check_program(const fs::path& program) {
  std::error_code error;
  if (!fs::exists(program, error))
    throw Error(program.string() + ": there is no such program; build the lecture first");
  if (fs::is_directory(program, error) || access(program.c_str(), X_OK) != 0)
    throw Error(program.string() + ": this is not an executable program; name the compiled lecture");
}

void check_output(const fs::path& output) {
  std::error_code error;
  if (output.filename().empty() || output.filename() == "." || output.filename() == "..")
    throw Error("`" + output.string() + "` names no file for the trace; give one like NAME.json");
  if (output.extension() == ".assets")
    throw Error(output.string() + ": this is the name of the folder beside a trace; give one like NAME.json");
  if (fs::exists(output, error) && !fs::is_regular_file(output, error)) {
    throw Error(output.string() + ": this is not a regular file; name another one for the trace");
  }
}

void check_processes(int processes) {
  if (processes < 0 || processes > kMostProcesses)
    throw Error("a run of " + std::to_string(processes) + " processes: ask for 1 to " +
                std::to_string(kMostProcesses));
}

/// Of ranks that a run has not.
void remove_further_ranks(const RunOptions& options) {
  for (const fs::path& file : rank_files_from(options.output, std::max(options.processes, 1))) {
    remove_tree(file);
    remove_tree(TraceFiles::beside(file).assets);
  }
}

}  // namespace

RunOutcome run_lecture(const RunOptions& asked) {
  RunOptions options = asked;
  check_program(options.program);
  check_output(options.output);
  check_processes(options.processes);
  options.program = fs::absolute(options.program);
  if (options.lecture.empty()) options.lecture = options.output.stem().string();
  std::optional<RunOutcome> outcome = run_ranks(options);
  if (!outcome) outcome = run_ranks(options);
  remove_further_ranks(options);
  return *outcome;
}

}  // namespace lectern
