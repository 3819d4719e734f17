#include "cli/compare_runs.h"

#include <algorithm>

#include <fmt/format.h>

#include "check/accept.h"
#include "cli/workspace.h"
#include "edtrace/load.h"
#include "trace/ranks.h"

namespace lectern::cli {
namespace {

namespace fs = std::filesystem;

/// The traces of one run.
struct RunTraces {
  fs::path file;  ///< of rank 0
  Trace first;
  int size;

  explicit RunTraces(const fs::path& path) : file(path), first(load_trace(path)), size(world_size(first)) {
    if (rank_of(first) > 0) size = 1;  // one rank's trace alone
  }
};

Diff compare_rank(const RunTraces& before, const RunTraces& now, int rank, DiffOptions options,
                  bool as_accepted) {
  const fs::path old_file = rank_file(before.file, rank), new_file = rank_file(now.file, rank);
  const Trace old_trace = rank == 0 ? before.first : load_trace(old_file);
  Trace new_trace = rank == 0 ? now.first : load_trace(new_file);
  if (as_accepted) new_trace = accepted(std::move(new_trace));
  options.files = {shown_files(old_trace, old_file), shown_files(new_trace, new_file)};
  return diff_traces(old_trace, new_trace, options);
}

LectureReport report_of_rank(const RunTraces& before, const RunTraces& now, int rank,
                             const DiffOptions& options, bool as_accepted) {
  const std::string& name = now.first.lecture;
  if (rank >= before.size)
    return {.diff = added_lecture(
                name, fmt::format("the run has {} processes now, and had {} before", now.size, before.size))};
  if (rank >= now.size)
    return {.diff = missing_lecture(
                name, fmt::format("the run had {} processes before, and has {} now", before.size, now.size))};
  for (const RunTraces* const run : {&before, &now}) {
    const fs::path file = rank_file(run->file, rank);
    if (fs::exists(file)) continue;
    return {.diff = {.lecture = name},
            .failure = fmt::format(
                "its trace of rank {} of {}, {}, is not there: {}", rank, run->size, shown(file),
                run == &now ? "run the lecture again" : "`lectern accept` it anew, or bring the file back")};
  }
  return {.diff = compare_rank(before, now, rank, options, as_accepted)};
}

}  // namespace

std::vector<LectureReport> compare_runs(const fs::path& old_trace, const fs::path& new_trace,
                                        const DiffOptions& options, bool as_accepted) {
  const RunTraces before(old_trace), now(new_trace);
  const int size = std::max(before.size, now.size);
  std::vector<LectureReport> reports;
  for (int rank = 0; rank < size; ++rank) {
    reports.push_back(report_of_rank(before, now, rank, options, as_accepted));
    if (size > 1) reports.back().rank = rank;
  }
  if (rank_of(now.first) > 0) reports.front().rank = rank_of(now.first);
  return reports;
}

}  // namespace lectern::cli
