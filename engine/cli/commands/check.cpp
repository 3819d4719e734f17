#include <cstdio>
#include <filesystem>
#include <memory>

#include <CLI/CLI.hpp>

#include "base/error.h"
#include "base/files.h"
#include "cli/baselines.h"
#include "cli/commands/commands.h"
#include "cli/commands/report_options.h"
#include "cli/commands/validators.h"
#include "edtrace/load.h"
#include "trace/front_matter.h"

namespace lectern::cli {
namespace {
namespace fs = std::filesystem;

struct CheckArguments {
  std::vector<std::string> names;
  bool no_run = false;
  bool drafts = true;
  BuildOptions build;
  ReportOptions report;
};

/// A lecture of which either trace is a draft.
void leave_out_drafts(const Workspace& workspace, Report& report) {
  const auto is_draft_at = [](const fs::path& trace) {
    try {
      return fs::exists(trace) && is_draft(load_trace(trace));
    } catch (const Error&) {
      return false;  // what the report says of it is to be published
    }
  };
  const std::vector<TracePair> traces = trace_pairs(workspace, report);
  std::vector<LectureReport> published;
  for (std::size_t i = 0; i < traces.size(); ++i) {
    if (!is_draft_at(traces[i].old_trace) && !is_draft_at(traces[i].new_trace))
      published.push_back(std::move(report.lectures[i]));
  }
  report.lectures = std::move(published);
}

int check(const CheckArguments& arguments, int& status) {
  status = 2;  // for errors thrown from here on
  check_report_options(arguments.report);
  const Workspace workspace = find_workspace();
  const std::vector<Lecture> lectures = find_lectures(workspace, arguments.names);
  if (lectures.empty() && Baselines(workspace).lectures_except({}).empty())
    throw Error("there is neither a lecture in " + shown(workspace.root / "lectures") +
                " nor an accepted trace in " + shown(Baselines(workspace).folder()) +
                "; go to the course's folder, or name the file of a lecture");
  if (!arguments.no_run) {
    // An up-to-date trace does not show that the lecture still behaves the same.
    for (const Lecture& lecture : lectures) remove_tree(newest_trace(workspace, lecture.name));
    build_lectures(workspace, lectures, arguments.build);
  }
  Report report =
      compare_with_accepted(workspace, lectures, arguments.names.empty(), arguments.report.diff_options());
  if (!arguments.drafts) leave_out_drafts(workspace, report);
  if (!fs::is_directory(Baselines(workspace).folder()))
    report.remedy = "There are no accepted traces of the profile " + workspace.profile + " yet. ";
  report.remedy +=
      "`lectern accept` makes the newest traces the accepted ones; `lectern accept LECTURE#ITEM` takes one "
      "item.";
  print_report(report, trace_pairs(workspace, report), arguments.report);
  for (const fs::path& profile : other_profiles(workspace)) {
    std::fprintf(stderr, "%s is not checked here: this machine records the profile %s\n",
                 shown(profile).c_str(), workspace.profile.c_str());
  }
  return report.status();
}

}  // namespace

void add_check(CLI::App& app, int& status) {
  auto arguments = std::make_shared<CheckArguments>();
  auto* command =
      app.add_subcommand("check", "Runs the lectures again and compares with the accepted traces");
  command->add_option("LECTURE", arguments->names,
                      "Names in lectures/, or paths to C++ files anywhere; all when left out");
  command->add_flag(
      "!--no-drafts", arguments->drafts,
      "Leave out the lectures that are drafts, and the verdict on them, for a report to publish");
  command->add_flag("--no-run", arguments->no_run, "Compares the existing traces, and runs nothing");
  command
      ->add_option("--timeout", arguments->build.timeout,
                   "Seconds after which a running lecture is killed; 0: never")
      ->check(is_seconds())
      ->capture_default_str();
  add_report_options(*command, arguments->report);
  command->footer(
      "The accepted traces are in traces/PROFILE; those of GPUs, traces/cuda, are checked where there is\n"
      "one. Times, other costs and @volatile values are never compared. Numbers may differ within the\n"
      "tolerance of their type, or of @tol.\n"
      "Exit status: 0 the same, 1 something differs, a lecture has no accepted trace or an accepted trace\n"
      "no lecture, 2 the command line is wrong, something could not be run, or there is neither a lecture "
      "nor\n"
      "an accepted trace, 3 something is not installed.");
  command->callback([arguments, &status] { status = check(*arguments, status); });
}

}  // namespace lectern::cli
