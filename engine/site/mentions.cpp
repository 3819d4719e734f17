#include "site/mentions.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/html.h"
#include "site/frame.h"

namespace lectern {

std::string line_anchor(const Trace& trace, int site) {
  const Site& at = trace.sites[index(site)];
  return fmt::format("s{}-{}", trace.functions[index(at.function)].source, at.span.line);
}

void add_place(MentionPlaces& places, const LectureSummary& run, const std::string& anchor) {
  const bool in_another_run = std::ranges::any_of(
      places, [&run](const auto& place) { return place.first != &run && place.first->name == run.name; });
  if (!in_another_run) places.emplace_back(&run, anchor);
}

mustache::data places_data(const MentionPlaces& places) {
  mustache::data list{mustache::data::type::list};
  for (std::size_t i = 0; i < places.size(); ++i) {
    const auto& [lecture, anchor] = places[i];
    const bool same = i > 0 && places[i - 1].first == lecture;
    mustache::data entry;
    entry.set("place_href", lecture_path(*lecture) + "#" + anchor);
    entry.set("place", (same ? "" : with_pictures(lecture->title) + ", ") + "line " +
                           anchor.substr(anchor.rfind('-') + 1));
    entry.set("comma", i + 1 < places.size());
    list << entry;
  }
  return list;
}

}  // namespace lectern
