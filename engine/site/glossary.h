#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "site/mustache.h"
#include "site/templates.h"

namespace lectern {

/// Fills in the terms that a run of a lecture defines or uses, with their definitions, whichever run gives
/// them.
void set_terms(mustache::data& data, const Website& site, const LectureSummary& lecture);

/// glossary.html: all terms, each with its definition and the places where it is defined and used; empty when
/// there is none.
std::string glossary_html(const std::filesystem::path& templates, const Website& site);

/// Whether lectures have terms.
bool has_terms(const Website& site);

/// The definitions that are not those that earlier lines or lectures give: "FILE:LINE: what".
std::vector<std::string> conflicting_definitions(const Website& site);

/// The terms that are used and that no lecture of the site defines, in the same form.
std::vector<std::string> undefined_terms(const Website& site);

}  // namespace lectern
