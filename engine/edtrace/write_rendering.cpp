#include <utility>

#include "base/path_url.h"
#include "edtrace/markdown.h"
#include "edtrace/rendering.h"
#include "trace/code_place.h"
#include "trace/reference_label.h"

namespace lectern {
namespace {

Json edtrace_rendering(const char* type, Json data) {
  return {{"type", type},
          {"data", std::move(data)},
          {"style", Json::object()},
          {"external_link", nullptr},
          {"internal_link", nullptr}};
}

void append_spaced(Json& list, Json rendering) {
  if (!list.empty()) list.push_back(edtrace_rendering("markdown", " "));
  list.push_back(std::move(rendering));
}

/// As edtrace labels a reference.
std::string link_label(const rendering::Link& link) {
  if (!link.label.empty()) return link.label;
  if (!link.authors.empty()) return reference_label(link.authors, link.date);
  if (link.title.empty() && link.url.empty()) return "?";
  return "[" + (link.title.empty() ? link.url : link.title) + "]";
}

Json text_or_null(const std::string& text) {
  return text.empty() ? Json() : Json(text);
}

}  // namespace

Json EdtraceRenderings::link(const rendering::Link& link) const {
  if (!link.function.empty()) {
    const auto place = find_place(trace_, link.function);
    if (!place) return edtrace_rendering("markdown", "`" + link.function + "`");
    const EdtraceFile& file = files_[index(place->source)];
    Json made = edtrace_rendering("link", link.function);
    made["internal_link"] = {{"path", trace_.sources[index(place->source)].path},
                             {"line_number", std::int64_t{place->line} + file.before}};
    return made;
  }
  Json made = edtrace_rendering("link", link_label(link));
  // Of one with a label of its own the viewer shows the title; and what stands for the year after a name.
  const bool cited = !link.authors.empty();
  made["external_link"] = {{"title", text_or_null(link.title.empty() && !cited ? link.label : link.title)},
                           {"authors", cited ? Json(link.authors) : Json()},
                           {"organization", text_or_null(link.organization)},
                           {"date", cited ? Json(link.date) : text_or_null(link.date)},
                           {"url", text_or_null(link.url)},
                           {"description", text_or_null(link.description)},
                           {"notes", text_or_null(link.notes)}};
  return made;
}

Json EdtraceRenderings::medium(const char* type, const std::string& src, int width) const {
  Json made =
      edtrace_rendering(type, (options_.files.contains(src) ? options_.files_url : "") + path_url(src));
  if (width > 0) made["style"]["width"] = width;
  return made;
}

Json EdtraceRenderings::write(const Rendering& rendering) const {
  if (const auto* const shown = rendering.as<rendering::Link>()) return link(*shown);
  if (const auto* const image = rendering.as<rendering::Image>())
    return medium("image", image->src, image->width);
  if (const auto* const video = rendering.as<rendering::Video>())
    return medium("video", video->src, video->width);
  if (const auto* const note = rendering.as<rendering::Note>())
    return edtrace_rendering("note", note->markdown);
  const auto* const plot = rendering.as<rendering::Plot>();
  if (plot != nullptr && !plot->spec.empty() && options_.generation == EdtraceGeneration::later)
    return edtrace_rendering("plot", Json::parse(plot->spec.text));
  return edtrace_rendering("markdown", edtrace_markdown(rendering));
}

void EdtraceRenderings::append(Json& list, const Rendering& rendering) const {
  append_spaced(list, write(rendering));
  const auto append_caption = [&](const auto& form) {
    if constexpr (requires { form.caption; }) {
      if (!form.caption.empty()) append_markdown(list, for_edtrace_viewer(form.caption), true);
    }
  };
  std::visit(append_caption, rendering.form);
}

void EdtraceRenderings::append_markdown(Json& list, const std::string& text, bool below) {
  append_spaced(list, edtrace_rendering("markdown", text));
  if (below) list.back()["style"]["display"] = "block";
}

}  // namespace lectern
