#include <cstdio>
#include <filesystem>
#include <memory>

#include <CLI/CLI.hpp>

#include "cli/claim_report.h"
#include "cli/commands/commands.h"
#include "cli/run_end.h"
#include "cli/workspace.h"

namespace lectern::cli {
namespace {

int tell_end(const std::filesystem::path& trace, const std::filesystem::path& folder) {
  const RunEnd end = read_run_end(trace);
  if (!end.ok()) std::fprintf(stderr, "lectern: %s\n", with_shown_place(end.reason, {folder}).c_str());
  if (!end.exercise) return end.ok() ? 0 : 1;
  const ClaimReport claims = report_claims(trace, folder.empty() ? "" : shown(folder) + "/");
  std::fprintf(stderr, "lectern: %s", claims.text.c_str());
  return end.ok() && claims.all_hold ? 0 : 1;
}

}  // namespace

void add_verdict(CLI::App& app, int& status) {
  auto trace = std::make_shared<std::filesystem::path>();
  auto folder = std::make_shared<std::filesystem::path>();
  auto* command =
      app.add_subcommand("verdict", "Tells whether a recorded run ended well, and why it did not");
  command->add_option("TRACE", *trace, "A trace of `lectern run`")->required()->check(CLI::ExistingFile);
  command->add_option("--folder", *folder, "The lecture's, in which messages then name its files");
  command->footer(
      "Exit status: 0 it ended by itself with status 0 and all claims hold, 1 they do not or it did not,\n"
      "2 the command line is wrong.");
  command->callback([trace, folder, &status] { status = tell_end(*trace, *folder); });
}

}  // namespace lectern::cli
