#include "trace/cost.h"

#include <cstdio>
#include <filesystem>
#include <map>
#include <memory>
#include <string>

#include <CLI/CLI.hpp>

#include "base/error.h"
#include "cli/baselines.h"
#include "cli/commands/commands.h"
#include "cli/commands/validators.h"
#include "cli/cost_report.h"
#include "edtrace/load.h"

namespace lectern::cli {
namespace {
namespace fs = std::filesystem;

struct CostArguments {
  std::string lecture;
  bool json = false, all = false;
  CostReportOptions report;
  BuildOptions build;
};

/// One that has costs.
Trace load_measured_trace(const fs::path& path) {
  Trace trace = load_trace(path);
  if (cost_account(trace).empty()) {
    throw Error(path.string() +
                ": this trace has no costs; accepted traces and those of edtrace have none: give the name of "
                "the lecture, or the trace of its build, build/traces/PROFILE/NAME.json");
  }
  return trace;
}

/// That of a run of this source; a lecture is built if it is not up to date.
Trace measured_trace(const CostArguments& arguments) {
  const fs::path path(arguments.lecture);
  if (path.extension() == ".json") return load_measured_trace(path);
  const Workspace workspace = find_workspace();
  const std::vector<Lecture> lectures = find_lectures(workspace, {arguments.lecture});
  // A run that ended early has its costs; what could not be built would show those of an older source.
  if (!build_lectures(workspace, lectures, arguments.build).built)
    throw Error(arguments.lecture + ": it was not built, so there are no costs of it");
  return load_trace(newest_trace(workspace, lectures.front().name));
}

}  // namespace

void add_cost(CLI::App& app, int& status) {
  auto arguments = std::make_shared<CostArguments>();
  auto* command =
      app.add_subcommand("cost", "What a lecture's functions and lines cost: time, FLOPs, bytes, memory");
  command
      ->add_option("LECTURE", arguments->lecture,
                   "A name in lectures/, a path to a C++ file, or a trace, NAME.json")
      ->required();
  static const std::map<std::string, CostOrder> kOrders{{"time", CostOrder::time},
                                                        {"flops", CostOrder::flops},
                                                        {"bytes", CostOrder::bytes},
                                                        {"memory", CostOrder::memory}};
  command
      ->add_option_function<std::string>(
          "--sort", [arguments](const std::string& order) { arguments->report.order = kOrders.at(order); },
          "What is most comes first; by default time")
      ->check(CLI::IsMember(kOrders));
  auto* const all =
      command->add_flag("--all", arguments->all, "All functions and lines, not the first 20 of each");
  command->add_flag("--json", arguments->json, "All of it as JSON; times in nanoseconds, memory in bytes")
      ->excludes(all);
  command
      ->add_option("--timeout", arguments->build.timeout,
                   "Seconds after which a running lecture is killed; 0: never")
      ->check(is_seconds())
      ->capture_default_str();
  command->footer(
      "`self` is the time without what was called, all else is with it. FLOPs, FLOP/s, bytes moved and the\n"
      "peak of memory are those of tensors. `roof` is the share that FLOP/s reached of what the device\n"
      "allows at so many FLOPs per byte moved: its peak in float32, or less where memory bounds it.\n"
      "Accepted traces, and those of edtrace, have no costs.\n"
      "Exit status: 0 done, 1 the lecture could not be built, or the trace not be read or without costs,\n"
      "2 the command line is wrong, 3 something is not installed.");
  command->callback([arguments, &status] {
    const Trace trace = measured_trace(*arguments);
    if (arguments->all) arguments->report.rows = 0;
    std::fputs((arguments->json ? cost_json(trace) : cost_text(trace, arguments->report)).c_str(), stdout);
    status = 0;
  });
}

}  // namespace lectern::cli
