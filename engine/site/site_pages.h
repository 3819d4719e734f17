#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "site/render.h"
#include "site/templates.h"
#include "trace/trace.h"

namespace lectern {

/// What the lectures of a site say of each other, from their summaries in its folder; `newest` is in place of
/// the summary that its lecture has there. Drafts that are not wanted are left out.
Website read_site(const RenderOptions& options, const std::optional<LectureSummary>& newest = std::nullopt);

/// Removes the pages of further profiles (profiles.h) but those of these lectures and profiles.
void keep_further_pages(const RenderOptions& options,
                        const std::set<std::pair<std::string, std::string>>& kept);

/// Notes that these lectures, if they have pages, have become drafts: where drafts are not wanted, nothing
/// mentions them from now on, and write_site_pages removes what is there of them.
void note_drafts(const RenderOptions& options, const std::set<std::string>& drafts);

/// Updates every page but what lectures say: the home page, those of series, categories and tags, feed and
/// sitemap, and on the pages of lectures what surrounds the text. Pages that nothing leads to any more are
/// removed, last.
void write_site_pages(const RenderOptions& options);

/// The lectures that have pages in the folder.
std::vector<std::string> lectures_in(const std::filesystem::path& site);

/// Where `.ci/publish` leaves, beside the lectures, how they compare with their accepted traces.
inline constexpr std::string_view kReportFolder = "report";

/// Whether a group of files of the site has this name already, or what is published with it.
bool is_name_of_site(std::string_view name);

inline constexpr std::size_t kLongestLectureName = 100;

/// A lecture's name is its folder in the site. Throws Error, naming the trace's file, when it cannot be.
void check_lecture_name(const Trace& trace, const std::filesystem::path& file);

}  // namespace lectern
