#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>

#include <CLI/CLI.hpp>

#include "base/depfile.h"
#include "base/files.h"
#include "cli/commands/commands.h"
#include "cli/commands/validators.h"
#include "lecture/dependencies.h"
#include "lecture/references_file.h"
#include "site/settings.h"
#include "supervise/supervise.h"
#include "trace/ranks.h"

namespace lectern::cli {
namespace {

// "FILE:LINE: …", as messages of claims and errors begin.
bool names_place(const std::string& reason) {
  const std::size_t colon = reason.find(':');
  return colon != std::string::npos && reason.find_first_of("0123456789", colon) == colon + 1;
}

/// What lectures with references need.
struct ReferenceOptions {
  std::filesystem::path settings, depfile, stamp;
};

/// Tells the lecture of them. It adds to the depfile's rule what it shows and cites; a rule without anything
/// would be none, and the lecture run in each build.
void prepare_references(const RunOptions& run, const ReferenceOptions& options) {
  if (!options.settings.empty()) {
    const std::string references = read_site_settings(options.settings).references;
    if (!references.empty()) setenv(kReferencesVariable, std::filesystem::absolute(references).c_str(), 1);
  }
  if (options.depfile.empty()) return;
  write_file(options.depfile, escape_for_make(run.output) + ":" + prerequisite_for_make(run.program));
  setenv(kDepfileVariable, std::filesystem::absolute(options.depfile).c_str(), 1);
  std::string reasons;
  for (const std::filesystem::path& reason : {options.settings, options.stamp}) {
    if (!reason.empty()) reasons += prerequisite_for_make(std::filesystem::absolute(reason));
  }
  setenv(kReferencesReasonsVariable, reasons.c_str(), 1);
}

int record(const RunOptions& options) {
  const RunOutcome outcome = run_lecture(options);
  // `lectern verdict` reports what is recorded as a failure.
  const bool told_later = options.record_failures && outcome.failed && outcome.status == 0;
  if (!outcome.reason.empty() && !told_later) {
    const std::string name = options.lecture.empty() ? options.output.stem().string() : options.lecture;
    const std::string who = names_place(outcome.reason) ? "" : name + ": ";
    std::fprintf(stderr, "lectern: %s%s\n", who.c_str(), outcome.reason.c_str());
  }
  return outcome.status;
}

}  // namespace

void add_run(CLI::App& app, int& status) {
  auto options = std::make_shared<RunOptions>();
  auto references = std::make_shared<ReferenceOptions>();
  auto* command = app.add_subcommand("run", "Runs a lecture program and records its trace");
  command->add_option("PROGRAM", options->program, "The lecture, compiled from instrumented sources")
      ->required();
  command->add_option("ARGUMENT", options->arguments, "Arguments of the program, after --");
  command
      ->add_option("-o,--output", options->output,
                   "The trace; what the lecture shows goes to NAME.assets beside it")
      ->required();
  command->add_option("--name", options->lecture, "The lecture's name, if it is not that of the trace");
  command->add_option("--from", options->author_folder,
                      "The folder from which messages name files, instead of the current one");
  command->add_option("--settings", references->settings,
                      "The site's site.toml, which may name the file of references");
  command->add_option("--depfile", references->depfile,
                      "A file for the list of the files that the lecture shows and of the references read,\n"
                      "in make's format");
  command->add_option("--references-stamp", references->stamp,
                      "A file that changes when a references.bib comes to lie beside the lecture; it is in\n"
                      "that list, as the settings are, where these name the references");
  command->add_option("--profile", options->profile, "The profile's name")->capture_default_str();
  command->add_option("--timeout", options->timeout, "Seconds until the lecture is killed; 0: never")
      ->check(is_seconds())
      ->envname("LECTERN_TIMEOUT");
  command
      ->add_option("--processes", options->processes,
                   "Processes to run, each with a rank ($RANK, $WORLD_SIZE) and a trace, NAME.rank1.json …\n"
                   "beside that of rank 0; instead of what the lecture says in lecture({.processes = 4})")
      ->check(CLI::Range(1, kMostProcesses));
  command->add_flag("--quiet", options->quiet, "Record what the lecture prints, without printing it");
  command->add_flag(
      "--record-failures", options->record_failures,
      "Exit with 0 once a lecture is recorded, even if it failed or was killed: `lectern verdict` tells");
  command->footer(
      "When a rank fails, the others have 5 seconds to end, then they are terminated, and killed 2 seconds\n"
      "later; the message is that of the rank that failed first. A collective waits 60 seconds for another\n"
      "rank, half of the time limit at most, and then names the one that is missing.\n"
      "Exit status: that of the lecture; 1 if an exception, a failed claim, a signal or the time limit\n"
      "ended it, or it could not be run; 2 the command line is wrong.");
  command->callback([options, references, &status] {
    prepare_references(*options, *references);
    status = record(*options);
    if (!references->depfile.empty()) std::ofstream(references->depfile, std::ios::app) << '\n';
  });
}

}  // namespace lectern::cli
