#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "site/templates.h"
#include "trace/trace.h"

// A further run (profiles.h) of another program, of the Python lecture that a lecture was written after, say,
// stands beside the lecture's own: NAME/PROFILE/beside.html has the pages of both in frames, and steps them
// together. The pages know nothing of each other; which steps correspond is worked out here (counterparts.h),
// and beside.js beside that page has it.

namespace lectern {

inline constexpr const char* kBesidePage = "beside.html";
inline constexpr const char* kBesideData = "beside.js";

/// Whether two runs are of different programs: they reached no file in common.
bool is_of_other_program(const LectureSummary& first, const LectureSummary& run);

/// From the home page, the page that has this run beside the lecture's first; of a run of the first's
/// program, the page of the first run that is of another; empty without one.
std::string beside_path(const Website& site, const LectureSummary& run);

/// The page that has both. `run` is of another program than `first`.
std::string beside_html(const std::filesystem::path& templates, const Website& site,
                        const LectureSummary& first, const LectureSummary& run);

/// The script with the steps that correspond. What the settings name of functions that there are not is said
/// in `problems`, "site.toml:LINE: what is wrong; what to do".
std::string beside_data(const Trace& first, const Trace& other, const SiteSettings& settings,
                        std::vector<std::string>& problems);

/// What the settings say of lectures that the site has not, or that nothing stands beside.
std::vector<std::string> misplaced_counterparts(const Website& site);

}  // namespace lectern
