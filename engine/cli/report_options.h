#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "check/diff.h"
#include "check/report.h"

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

/// Prints the report, or writes it to the output.
void tell(const Report& report, const ReportOptions& options);

}  // namespace lectern::cli
