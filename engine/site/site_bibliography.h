#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "site/templates.h"

namespace lectern {

/// Whether lectures refer to works.
bool has_works(const Website& site);

/// bibliography.html: the works that lectures of the site refer to, by their authors, each with the places
/// where they do; empty when there is none.
std::string bibliography_html(const std::filesystem::path& templates, const Website& site);

/// The entries of a file of references that no lecture of the site cites: "FILE:LINE: what". Throws Error, in
/// the same form, where the file is wrong.
std::vector<std::string> unused_references(const Website& site, const std::filesystem::path& file);

}  // namespace lectern
