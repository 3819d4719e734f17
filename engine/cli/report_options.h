#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "check/diff.h"
#include "cli/html_report.h"

namespace lectern::cli {

/// What `diff` and `check` share: how exactly to compare, and how to tell the result.
struct ReportOptions {
  double rel = -1, abs = -1;  ///< below 0: that of each type
  std::vector<std::string> ignored;
  std::string format = "text";
  std::filesystem::path output;
  bool all = false;

  DiffOptions diff_options() const;
};

void add_report_options(CLI::App& command, ReportOptions& options);

/// Throws Error when the options do not fit each other.
void check_report_options(const ReportOptions& options);

/// Prints the report, or writes it to the output. `traces`: of the report's lectures, for their pages.
void tell(const Report& report, const std::vector<TracePair>& traces, const ReportOptions& options);

}  // namespace lectern::cli
