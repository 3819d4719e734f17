#pragma once

// Filling templates: for the files that make whole pages, which need Mustache's own header.

#include <filesystem>
#include <string>

#if __has_include(<kainjow/mustache.hpp>)
#include <kainjow/mustache.hpp>
#else
#include <mustache.hpp>
#endif

namespace lectern {

namespace mustache = kainjow::mustache;

/// The template of a file, filled. Throws Error if it is not a template.
std::string fill(const std::filesystem::path& file, const mustache::data& data);

/// A field whose section is left out when it is empty, whatever the surrounding data has of that name.
void set_text(mustache::data& data, const std::string& name, const std::string& text);

}  // namespace lectern
