#include "edtrace/export.h"

#include <filesystem>
#include <memory>
#include <string>

#include <CLI/CLI.hpp>

#include "base/files.h"
#include "cli/commands/audience_options.h"
#include "cli/commands/commands.h"
#include "edtrace/load.h"

namespace lectern::cli {
namespace {

namespace fs = std::filesystem;

struct ExportOptions {
  fs::path trace, output;
  std::string to, generation = "later", files_url;
  Audience audience;
};

void write_export(const ExportOptions& options) {
  const Trace trace = for_audience(load_trace(options.trace), options.audience);
  fs::path assets = options.output;
  assets.replace_extension(".assets");
  const std::string url =
      options.files_url.empty() ? "var/traces/" + assets.filename().string() : options.files_url;
  const auto generation =
      options.generation == "later" ? EdtraceGeneration::later : EdtraceGeneration::of_2025;
  const auto files = shown_files(trace, options.trace);
  EdtraceExport form{.generation = generation, .files_url = url.ends_with('/') ? url : url + "/"};
  for (const auto& [name, path] : files) form.files.insert(name);
  const std::string exported = export_edtrace(trace, form);
  copy_files(files, assets);
  write_file(options.output, exported);
}

}  // namespace

void add_export(CLI::App& app, int& status) {
  auto options = std::make_shared<ExportOptions>();
  auto* command = app.add_subcommand("export", "Writes a trace in the format of another program");
  command->add_option("TRACE", options->trace, "A trace, as `lectern run` leaves it")->required();
  command->add_option("--to", options->to, "The format")->required()->check(CLI::IsMember({"edtrace"}));
  command
      ->add_option("-o,--output", options->output, "The file; images and videos go to NAME.assets beside it")
      ->required();
  command
      ->add_option("--generation", options->generation,
                   "The viewer to write for: that of 2025, or a later one")
      ->check(CLI::IsMember({"2025", "later"}))
      ->capture_default_str();
  command->add_option("--files-url", options->files_url,
                      "Where the viewer finds NAME.assets; by default var/traces/NAME.assets");
  add_audience_options(*command, options->audience);
  command->footer(
      "Put the file and NAME.assets into var/traces of edtrace, and open its viewer with ?trace=NAME.\n"
      "Exit status: 0 done, 1 the trace cannot be read or the file cannot be written,\n"
      "2 the command line is wrong.");
  command->callback([options, &status] {
    write_export(*options);
    status = 0;
  });
}

}  // namespace lectern::cli
