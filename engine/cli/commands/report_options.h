#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "check/diff.h"
#include "cli/html_report.h"

namespace lectern::cli {

/// The options that `diff` and `check` share: how closely to compare, and how to report.
struct ReportOptions {
  double rel = -1, abs = -1;  ///< negative: the default of each type
  std::vector<std::string> ignored;
  std::string format = "text";
  std::filesystem::path output = "-";  ///< standard output
  bool all = false;

  DiffOptions diff_options() const;
};

void add_report_options(CLI::App& command, ReportOptions& options);

/// Throws Error if the options contradict each other.
void check_report_options(const ReportOptions& options);

/// Prints the report, or writes it to the output. The pages of an HTML report show `traces`.
void print_report(const Report& report, const std::vector<TracePair>& traces, const ReportOptions& options);

}  // namespace lectern::cli
