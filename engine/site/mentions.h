#pragma once

#include <string>
#include <utility>
#include <vector>

#include "site/mustache.h"
#include "site/summary.h"
#include "trace/trace.h"

namespace lectern {

/// The id of the row in which a statement begins: "s0-12".
std::string line_anchor(const Trace& trace, int site);

/// Lectures and rows in them that mention something.
using MentionPlaces = std::vector<std::pair<const LectureSummary*, std::string>>;

/// Adds a row of a run, unless the same lecture is there already with another of its runs.
void add_place(MentionPlaces& places, const LectureSummary& run, const std::string& anchor);

/// For templates: `place_href` and `place` of each, "Attention, line 12"; after another one of the same
/// lecture "line 30". All but the last have a `comma`.
mustache::data places_data(const MentionPlaces& places);

}  // namespace lectern
