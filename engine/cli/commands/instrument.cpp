#include "instrument/instrument.h"

#include <cstdio>
#include <filesystem>
#include <memory>

#include <CLI/CLI.hpp>

#include "base/error.h"
#include "cli/commands/commands.h"
#include "cli/process.h"
#include "instrument/lecture_files.h"

namespace lectern::cli {
namespace {

const char* severity_name(Diagnostic::Severity severity) {
  switch (severity) {
    case Diagnostic::Severity::note:
      return "note";
    case Diagnostic::Severity::warning:
      return "warning";
    case Diagnostic::Severity::error:
      return "error";
  }
  return "";
}

struct InstrumentArguments {
  std::string input, output, compiler;
  std::vector<std::string> flags;
  LectureOptions options;
  bool summary = false;
};

/// Whether the compiler refuses the author's file; prints what it says then.
bool compiler_refuses(const InstrumentArguments& arguments) {
  Command command{.arguments = {arguments.compiler}};
  command.arguments.insert(command.arguments.end(), arguments.flags.begin(), arguments.flags.end());
  command.arguments.insert(command.arguments.end(), {"-fsyntax-only", arguments.input});
  std::string said;
  const int status = run_command(command, [&](std::string_view line) { said.append(line).append("\n"); });
  constexpr int kNotStarted = 127;
  if (status == 0 || status == kNotStarted) return false;
  std::fputs(said.c_str(), stderr);
  return true;
}

int instrument_files(const InstrumentArguments& arguments) {
  const InstrumentedLecture result = instrument_lecture(arguments.input, arguments.output, arguments.options);
  if (!result.parsed && !arguments.compiler.empty() && compiler_refuses(arguments)) return 1;
  for (const auto& diagnostic : result.diagnostics) {
    std::fprintf(stderr, "lectern: %s: %s: %s\n", to_string(diagnostic.place).c_str(),
                 severity_name(diagnostic.severity), diagnostic.message.c_str());
  }
  if (arguments.summary) {
    std::printf("%s: %d functions traced, %d not\n", arguments.input.c_str(), result.traced_functions,
                result.untraced_functions);
  }
  if (!result.ok) return 1;
  // A build system knows only the output, not the headers beside it: touching it makes what includes a
  // changed header compile again.
  std::error_code error;
  std::filesystem::last_write_time(arguments.output, std::filesystem::file_time_type::clock::now(), error);
  if (error) throw Error(Place{arguments.output}, "cannot be written: " + error.message());
  return 0;
}

}  // namespace

void add_instrument(CLI::App& app, int& status) {
  auto arguments = std::make_shared<InstrumentArguments>();
  auto* command =
      app.add_subcommand("instrument", "Inserts probes between the statements of a lecture's source");
  command->add_option("INPUT", arguments->input, "The C++ source")->required()->check(CLI::ExistingFile);
  command
      ->add_option("-o,--output", arguments->output,
                   "The source with probes; the lecture's headers go beside it")
      ->required();
  command->add_option("--folder", arguments->options.folder,
                      "The lecture's folder, if it is not that of INPUT");
  command->add_option("--depfile", arguments->options.depfile,
                      "A file for the list of sources read, in make's format");
  command->add_option(
      "--compiler", arguments->compiler,
      "What cannot be parsed is first given to this compiler: where it refuses the file as well,\n"
      "its messages are shown");
  command->add_option("FLAG", arguments->flags, "The compiler's flags, after --");
  command->add_flag("--inspect-all", arguments->options.inspect_all, "Inspect every local variable");
  command->add_flag("--summary", arguments->summary, "Print how many functions are traced");
  command->footer(
      "Exit status: 0 done, 1 a construct cannot be stepped or a file cannot be read,\n"
      "2 the command line is wrong.");
  command->callback([arguments, &status] { status = instrument_files(*arguments); });
}

}  // namespace lectern::cli
