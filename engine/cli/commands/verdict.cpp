#include <cstdio>
#include <filesystem>
#include <memory>

#include <CLI/CLI.hpp>

#include "cli/commands/commands.h"
#include "cli/run_end.h"

namespace lectern::cli {
namespace {

int tell_end(const std::filesystem::path& trace) {
  const RunEnd end = read_run_end(trace);
  if (end.ok()) return 0;
  std::fprintf(stderr, "lectern: %s\n", end.reason.c_str());
  return 1;
}

}  // namespace

void add_verdict(CLI::App& app, int& status) {
  auto trace = std::make_shared<std::filesystem::path>();
  auto* command =
      app.add_subcommand("verdict", "Tells whether a recorded run ended well, and why it did not");
  command->add_option("TRACE", *trace, "A trace of `lectern run`")->required()->check(CLI::ExistingFile);
  command->footer(
      "Exit status: 0 it ended by itself with status 0, 1 it did not, 2 the command line is wrong.");
  command->callback([trace, &status] { status = tell_end(*trace); });
}

}  // namespace lectern::cli
