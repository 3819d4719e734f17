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

/// A field that is absent when it is empty, so that its section is left out.
void set_text(mustache::data& data, const std::string& name, const std::string& text);

}  // namespace lectern
