#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "site/rendered_steps.h"
#include "site/summary.h"
#include "trace/trace.h"

namespace lectern {

enum class SearchKind : std::uint8_t { section, prose, code, function, variable };

/// Something that can be found in a lecture.
struct SearchEntry {
  SearchKind kind = SearchKind::prose;
  std::string text;           ///< the heading, the paragraph, the statement, the name
  std::string anchor;         ///< its place on the page
  std::string function = {};  ///< of a variable, that it is in
  std::string value = {};     ///< of a variable, its last one
};

/// The headings, paragraphs, statements, functions and variables that a lecture's page shows, each once, in
/// the order of its sources. Transcripts of videos and answers of exercises are among them, speaker's notes
/// are not.
std::vector<SearchEntry> search_entries(const Trace& trace, const RenderedSteps& steps);

/// The works that it refers to, where it does first.
std::vector<SearchEntry> work_entries(const std::vector<CitedWork>& works);

/// Beside each page, for the pages that search all lectures.
inline constexpr const char* kSearchFile = "search.json";

/// A JSON array of [kind, text, anchor], the kind by its number, and [kind, name, anchor, function, value] of
/// variables.
std::string to_json(const std::vector<SearchEntry>& entries);

/// Throws Error naming `file` when the text is not what to_json wrote.
std::vector<SearchEntry> search_entries_from_json(std::string_view text, const std::string& file);

/// The paragraphs, items, cells and captions of HTML that Lectern made, without headings, mathematics,
/// pictures and folded data: the specification of a plot, the edges of a graph.
std::vector<std::string> paragraphs_of(std::string_view html);

/// The first of these that a reader comes to, at most some 200 bytes of it; empty without prose.
std::string opening_paragraph(const Trace& trace, const RenderedSteps& steps);

}  // namespace lectern
