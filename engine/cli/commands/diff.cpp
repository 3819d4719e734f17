#include "check/diff.h"

#include <filesystem>
#include <memory>

#include <CLI/CLI.hpp>

#include "cli/commands/commands.h"
#include "cli/commands/report_options.h"
#include "edtrace/load.h"

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
  const Trace old_trace = load_trace(arguments.old_trace);
  const Trace new_trace = load_trace(arguments.new_trace);
  DiffOptions options = arguments.report.diff_options();
  options.files = {shown_files(old_trace, arguments.old_trace), shown_files(new_trace, arguments.new_trace)};
  Report report;
  report.lectures.push_back({.diff = diff_traces(old_trace, new_trace, options)});
  print_report(report, {{arguments.old_trace, arguments.new_trace}}, arguments.report);
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
      "of their type, or of @tol.\n"
      "Exit status: 0 the same, 1 something differs, 2 the command line is wrong, a trace cannot be read or\n"
      "the report cannot be written.");
  command->callback([arguments, &status] { status = diff(*arguments, status); });
}

}  // namespace lectern::cli
