#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "site/mustache.h"
#include "site/templates.h"

namespace lectern {

/// Fills in the terms that a lecture defines or uses, with their definitions.
void set_terms(mustache::data& data, const Website& site, const LectureSummary& lecture);

/// glossary.html: all terms, each with its definition and the places where it is defined and used; empty when
/// there is none.
std::string glossary_html(const std::filesystem::path& templates, const Website& site);

/// Whether lectures have terms.
bool has_terms(const Website& site);

/// The definitions of a lecture that are not those that its own earlier lines, or other lectures, give:
/// "FILE:LINE: what". `lecture` is one of the site's.
std::vector<std::string> conflicting_definitions(const Website& site, const LectureSummary& lecture);

/// The terms that are used and that no lecture of the site defines: "FILE:LINE: warning: …".
std::vector<std::string> undefined_terms(const Website& site);

}  // namespace lectern
