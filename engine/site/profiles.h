#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "site/mustache.h"
#include "site/templates.h"

// A lecture may have been recorded on several devices, in a trace each: the profiles of one lecture. The
// first of them is what its page, NAME/index.html, shows; each further one has a page beneath it,
// NAME/PROFILE/index.html. All of them lead to each other.

namespace lectern {

/// What a lecture's page says of its run: its profile, device and sources.
void describe_run(LectureSummary& summary, const Trace& trace);

/// Whether two runs are of the same version of a lecture: no file that both of them reached differs.
bool is_same_version(const LectureSummary& one, const LectureSummary& other);

/// Throws Error, naming the trace's file, when its profile cannot be that of a further page.
void check_further_profile(const Trace& trace, const std::filesystem::path& file);

/// The runs of a site that have pages: those that the lectures' own pages show, then the further ones.
std::vector<const LectureSummary*> runs_of(const Website& site);

/// The run of a lecture of the site that its page shows; null when the lecture has no page.
const LectureSummary* find_first_run(const Website& site, std::string_view lecture);

/// The page of this lecture's run with the same profile, if there is one; else the lecture's own.
std::string path_in_profile(const Website& site, const LectureSummary& lecture, const std::string& profile);

/// Fills in what leads from a run's page, or from the one that has it beside the first run (beside.h), to
/// those of the other runs of its lecture.
void set_profiles(mustache::data& data, const Website& site, const LectureSummary& summary,
                  bool is_beside = false);

}  // namespace lectern
