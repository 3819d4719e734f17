#include "edtrace/import.h"

#include <filesystem>
#include <map>
#include <memory>
#include <string>

#include <CLI/CLI.hpp>

#include "base/error.h"
#include "base/files.h"
#include "cli/commands/commands.h"
#include "cli/output.h"
#include "edtrace/load.h"
#include "trace/reader.h"
#include "trace/writer.h"

namespace lectern::cli {
namespace {

namespace fs = std::filesystem;

void import_trace(const fs::path& input, const fs::path& output) {
  const std::string text = read_trace_text(input);
  if (!is_edtrace(text)) {
    throw Error(
        Place{input.string(), 0, 0},
        "this is not a trace of edtrace (neither \"files\" nor \"steps\" begins it); name a file that "
        "edtrace wrote");
  }
  Trace trace = load_edtrace(text, input);
  trace.lecture = (is_stream(output) ? input : output).stem().string();
  const std::map<std::string, fs::path> files = shown_files(trace, input);
  if (!files.empty()) copy_files(files, assets_beside(output));
  write_file(output, write_trace(trace));
}

}  // namespace

void add_import(CLI::App& app, int& status) {
  auto input = std::make_shared<fs::path>();
  auto output = std::make_shared<fs::path>();
  auto* command = app.add_subcommand("import", "Converts a trace that edtrace recorded");
  command->add_option("EDTRACE", *input, "A trace of edtrace, of 2025 or later")->required();
  command
      ->add_option("-o,--output", *output,
                   "The trace, which names the lecture; images and videos go to NAME.assets beside it.\n"
                   "-: standard output, for a trace that shows none; EDTRACE names the lecture then")
      ->required();
  command->footer(
      "Images and videos are looked for beside EDTRACE and in the two folders above, since edtrace writes\n"
      "to var/traces. What is one is told by its content; its name gets the ending for that.\n"
      "As traces/python/NAME.json it stands beside the lecture NAME, in `lectern build`.\n"
      "Exit status: 0 done, 1 the file cannot be read or the trace cannot be written,\n"
      "2 the command line is wrong.");
  command->callback([input, output, &status] {
    import_trace(*input, output_file(*output));
    status = 0;
  });
}

}  // namespace lectern::cli
