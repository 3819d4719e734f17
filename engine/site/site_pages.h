#pragma once

#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "site/render.h"
#include "site/templates.h"

namespace lectern {

/// What the lectures of a site say of each other, from their summaries in its folder; `newest` is in place of
/// the summary that its lecture has there. Drafts that are not wanted are left out.
Website read_site(const RenderOptions& options, const std::optional<LectureSummary>& newest = std::nullopt);

/// Removes the pages of further profiles (profiles.h) but those of these lectures and profiles.
void keep_further_pages(const RenderOptions& options,
                        const std::set<std::pair<std::string, std::string>>& kept);

/// Updates every page but what lectures say: the home page, those of series, categories and tags, feed and
/// sitemap, and on the pages of lectures what surrounds the text. Pages that nothing leads to any more are
/// removed, last.
void write_site_pages(const RenderOptions& options);

/// A file of the site; with an empty text there is no such file.
void write_or_remove(const std::filesystem::path& file, const std::string& text);

/// Whether pages of lectures are in the folder.
bool has_lectures(const std::filesystem::path& site);

/// Whether a lecture or a group of files of the site has this name already.
bool is_name_of_site(std::string_view name);

}  // namespace lectern
