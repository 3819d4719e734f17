#include <filesystem>
#include <memory>

#include <CLI/CLI.hpp>

#include "cli/commands/commands.h"
#include "cli/commands/report_options.h"
#include "cli/compare_runs.h"

namespace lectern::cli {
namespace {
namespace fs = std::filesystem;

struct DiffArguments {
  fs::path old_trace, new_trace;
  ReportOptions report;
};

int diff(const DiffArguments& arguments, int& status) {
  status = 2;  // for errors thrown from here on
  check_report_options(arguments.report);
  const Report report{.lectures = compare_runs(arguments.old_trace, arguments.new_trace,
                                               arguments.report.diff_options(), false)};
  std::vector<TracePair> traces(report.lectures.size());
  traces.front() = {arguments.old_trace, arguments.new_trace};
  print_report(report, traces, arguments.report);
  return report.status();
}

}  // namespace

void add_diff(CLI::App& app, int& status) {
  auto arguments = std::make_shared<DiffArguments>();
  auto* command = app.add_subcommand("diff", "Compares two traces, Lectern's or edtrace's");
  command->add_option("OLD", arguments->old_trace, "The reference trace")->required();
  command->add_option("NEW", arguments->new_trace, "The trace to compare with it")->required();
  add_report_options(*command, arguments->report);
  command->footer(
      "Times, other costs and @volatile values are never compared. Numbers may differ within the tolerance\n"
      "of their type, or of @tol. Of runs of several processes, give the traces of rank 0: those of the\n"
      "others beside them are compared, too, rank by rank.\n"
      "Exit status: 0 the same, 1 something differs, 2 the command line is wrong, a trace cannot be read or\n"
      "the report cannot be written.");
  command->callback([arguments, &status] { status = diff(*arguments, status); });
}

}  // namespace lectern::cli
