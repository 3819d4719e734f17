#pragma once

#include <filesystem>
#include <string>

#include "site/templates.h"

namespace lectern {

// For programs that follow a site or search it. All of these have absolute addresses: without a base address,
// and for a site inside another one, they are empty. Drafts are in none.

/// Whether there is a feed.
bool has_feed(const Website& site);

/// An Atom feed (RFC 4287) of the lectures that have a date, newest first; empty when there is none.
std::string feed_xml(const std::filesystem::path& templates, const Website& site);

/// https://www.sitemaps.org/protocol.html
std::string sitemap_xml(const std::filesystem::path& templates, const Website& site);

/// RFC 9309: names the sitemap, and forbids nothing. Begins with kRobotsMark.
std::string robots_text(const Website& site);
inline constexpr const char* kRobotsMark = "# Written by Lectern.\n";

}  // namespace lectern
