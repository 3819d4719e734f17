#include "edtrace/export.h"

#include <filesystem>
#include <iostream>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include <CLI/CLI.hpp>

#include "base/error.h"
#include "base/files.h"
#include "base/media_type.h"
#include "base/path_url.h"
#include "cli/commands/audience_options.h"
#include "cli/commands/commands.h"
#include "cli/output.h"
#include "cli/workspace.h"
#include "edtrace/load.h"
#include "site/document.h"
#include "site/file_texts.h"
#include "site/missing_files.h"
#include "site/plot_files.h"
#include "site/warning.h"
#include "trace/languages.h"

namespace lectern::cli {
namespace {

namespace fs = std::filesystem;

struct ExportOptions {
  fs::path trace, output;
  std::string to, generation, files_url, language;
  Audience audience;
};

/// What a format is made of.
struct Exported {
  Trace trace;
  std::map<std::string, fs::path> files;     ///< that it shows
  std::map<std::string, std::string> plots;  ///< as SVG, by specification
};

/// With all that it shows inside, unless it is told where the viewer finds the files.
void export_to_edtrace(const Exported& exported, const ExportOptions& options) {
  EdtraceExport form{.generation = options.generation == "2025" ? EdtraceGeneration::of_2025
                                                                : EdtraceGeneration::later};
  std::string folder = options.files_url;
  if (!folder.empty() && !folder.ends_with('/')) folder += '/';
  for (const auto& [name, path] : exported.files)
    form.addresses[name] = folder.empty() ? data_url(read_file(path)) : folder + path_url(name);
  for (const auto& [spec, svg] : exported.plots) form.plots[spec] = data_url(svg);
  form.file_texts = [&](const Rendering& rendering) { return file_texts(rendering, exported.files); };
  const std::string text = export_edtrace(exported.trace, form);
  if (!folder.empty() && !exported.files.empty()) copy_files(exported.files, assets_beside(options.output));
  write_file(options.output, text);
}

void export_to_markdown(const Exported& exported, const ExportOptions& options) {
  const std::string folder = path_url(options.output.stem().string() + ".assets") + "/";
  const Document document =
      lecture_document(exported.trace, {.folder = folder, .files = exported.files, .plots = exported.plots});
  for (const auto& [name, bytes] : document.files)
    write_file_if_changed(assets_beside(options.output) / name, bytes);
  write_file(options.output, markdown_text(document));
}

void export_to_notebook(const Exported& exported, const ExportOptions& options) {
  write_file(
      options.output,
      notebook_text(lecture_document(
          exported.trace, {.folder = "attachment:", .files = exported.files, .plots = exported.plots})));
}

void write_export(const ExportOptions& options) {
  if (options.to != "edtrace" && !(options.generation.empty() && options.files_url.empty()))
    throw Error("--generation and --files-url are for edtrace; leave them out");
  Trace trace = for_audience(load_trace(options.trace), options.audience);
  if (!options.language.empty()) trace = in_language(std::move(trace), options.language);
  std::map<std::string, fs::path> files = shown_files(trace, options.trace);
  for (const std::string& missing : missing_files(trace, files))
    std::cerr << "lectern: " << as_warning(missing) << '\n';
  std::map<std::string, std::string> plots = plot_files(trace, find_workspace().templates());
  const auto write = options.to == "ipynb"      ? export_to_notebook
                     : options.to == "markdown" ? export_to_markdown
                                                : export_to_edtrace;
  write({std::move(trace), std::move(files), std::move(plots)}, options);
}

}  // namespace

void add_export(CLI::App& app, int& status) {
  auto options = std::make_shared<ExportOptions>();
  auto* command = app.add_subcommand("export", "Writes a trace in the format of another program");
  command->add_option("TRACE", options->trace, "A trace, as `lectern run` leaves it")->required();
  command->add_option("--to", options->to, "The format")
      ->required()
      ->check(CLI::IsMember({"edtrace", "ipynb", "markdown"}));
  command
      ->add_option(
          "-o,--output", options->output,
          "The file, NAME.json, NAME.ipynb or NAME.md; images of Markdown go to NAME.assets beside it.\n"
          "-: standard output, for what has none beside it")
      ->required();
  command
      ->add_option("--generation", options->generation,
                   "edtrace's viewer to write for: that of 2025, or a later one (the default)")
      ->check(CLI::IsMember({"2025", "later"}));
  command->add_option("--files-url", options->files_url,
                      "Where edtrace's viewer finds NAME.assets, to which images and videos then go;\n"
                      "by default they are in the file itself");
  command->add_option("--language", options->language,
                      "Of what the lecture says in several languages, this one only (\"de\", \"pt-BR\")");
  add_audience_options(*command, options->audience);
  command->footer(
      "edtrace: put the file into its var/traces, and open its viewer with ?trace=NAME.\n"
      "ipynb: a Jupyter notebook to read, prose, code and what it gave; its cells do not run one by one.\n"
      "markdown: the same as Markdown of GitHub's flavour.\n"
      "Plots are pictures, which Node.js draws; without it they are their specifications.\n"
      "Exit status: 0 done, 1 the trace cannot be read or the file cannot be written,\n"
      "2 the command line is wrong.");
  command->callback([options, &status] {
    options->output = output_file(options->output);
    write_export(*options);
    status = 0;
  });
}

}  // namespace lectern::cli
