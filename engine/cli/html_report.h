#pragma once

#include <filesystem>
#include <vector>

#include "check/report.h"

namespace lectern::cli {

/// The two traces of a lecture of a report; empty paths where there is none.
struct TracePair {
  std::filesystem::path old_trace, new_trace;
};

/// Makes a folder of pages: index.html lists the items of all lectures; compare/NAME.html shows a lecture
/// before and now side by side, each in its own page (old/NAME, new/NAME), stepped together. `traces` are
/// those of the report's lectures, in its order; `templates` is site_templates, built. Throws Error.
void write_html_report(const Report& report, const std::vector<TracePair>& traces,
                       const std::filesystem::path& templates, const std::filesystem::path& output);

}  // namespace lectern::cli
