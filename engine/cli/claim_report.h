#pragma once

#include <filesystem>
#include <string>

namespace lectern::cli {

/// Which claims of an exercise hold, for the student (trace/claim_results.h).
struct ClaimReport {
  std::string text;  ///< "2 of 5 claims hold", then a line for each
  bool all_hold = false;
};

/// `folder` begins the names of the sources: "lectures/". Throws Error if the trace cannot be read.
ClaimReport report_claims(const std::filesystem::path& trace, const std::string& folder);

}  // namespace lectern::cli
