#include "cli/commands/report_options.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include <unistd.h>

#include "base/error.h"
#include "base/files.h"
#include "cli/commands/validators.h"
#include "cli/output.h"
#include "cli/workspace.h"

namespace lectern::cli {
namespace {

/// A kind as a word of the command line: "control-flow".
std::string make_word(std::string_view kind) {
  std::string word(kind);
  std::replace(word.begin(), word.end(), ' ', '-');
  return word;
}

std::vector<std::string> kind_words() {
  std::vector<std::string> words(kDifferenceKinds.size());
  std::transform(kDifferenceKinds.begin(), kDifferenceKinds.end(), words.begin(), make_word);
  return words;
}

bool colors() {
  const char* const none = std::getenv("NO_COLOR");
  return isatty(STDOUT_FILENO) != 0 && (none == nullptr || *none == '\0');
}

}  // namespace

DiffOptions ReportOptions::diff_options() const {
  DiffOptions options;
  if (rel >= 0) options.rel = rel;
  if (abs >= 0) options.abs = abs;
  const std::vector<std::string> words = kind_words();
  for (const std::string& word : ignored) {
    const auto kind = std::find(words.begin(), words.end(), word) - words.begin();
    options.ignored.insert(static_cast<DifferenceKind>(kind));
  }
  return options;
}

void add_report_options(CLI::App& command, ReportOptions& options) {
  command
      .add_option("--rtol", options.rel, "Relative tolerance for all numbers, instead of that of their type")
      ->check(is_tolerance());
  command
      .add_option("--atol", options.abs, "Absolute tolerance for all numbers, instead of that of their type")
      ->check(is_tolerance());
  command.add_option("--ignore", options.ignored, "Kinds of differences to ignore")
      ->check(CLI::IsMember(kind_words()))
      ->delimiter(',');
  command.add_option("--format", options.format, "The form of the report")
      ->check(CLI::IsMember({"text", "json", "html", "github"}))
      ->capture_default_str();
  command.add_option("-o,--output", options.output,
                     "A file for the report, instead of standard output (-); for html, a folder");
  command.add_flag("--all", options.all, "All items, not only the first 50 (text)");
}

void check_report_options(const ReportOptions& options) {
  if (options.format == "html" && options.output == "-")
    throw Error("--format html makes a folder of pages; name it with --output");
}

void print_report(const Report& report, const std::vector<TracePair>& traces, const ReportOptions& options) {
  if (options.format == "html") {
    write_html_report(report, traces, find_workspace().templates(), options.output);
    std::printf("%s\n", shown(options.output / "index.html").c_str());
    return;
  }
  const TextStyle style{.color = options.output == "-" && colors(),
                        .limit = options.all ? 0U : TextStyle{}.limit};
  const std::string text = options.format == "json"     ? json_report(report)
                           : options.format == "github" ? github_report(report)
                                                        : text_report(report, style);
  std::fflush(stdout);
  write_file(output_file(options.output), text);
}

}  // namespace lectern::cli
