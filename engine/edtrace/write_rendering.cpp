#include <utility>

#include "base/path_url.h"
#include "edtrace/markdown.h"
#include "edtrace/rendering.h"
#include "trace/code_place.h"
#include "trace/reference_label.h"

namespace lectern {
namespace {

Json their(const char* type, Json data) {
  return {{"type", type},
          {"data", std::move(data)},
          {"style", Json::object()},
          {"external_link", nullptr},
          {"internal_link", nullptr}};
}

/// As edtrace labels a reference.
std::string label_of(const rendering::Link& link) {
  if (!link.label.empty()) return link.label;
  if (!link.authors.empty()) return reference_label(link.authors, link.date);
  if (link.title.empty() && link.url.empty()) return "?";
  return "[" + (link.title.empty() ? link.url : link.title) + "]";
}

/// Whether it needs a blank between itself and another on its line.
bool joins(const Json& theirs) {
  if (theirs["type"] != "link" && theirs["type"] != "markdown") return false;
  const auto& text = theirs["data"].get_ref<const std::string&>();
  return theirs["style"].empty() && !text.empty() && !text.ends_with(' ') && text.find('\n') == text.npos;
}

}  // namespace

Json EdtraceRenderings::markdown(std::string text) {
  return their("markdown", std::move(text));
}

Json EdtraceRenderings::link(const rendering::Link& link) const {
  if (!link.function.empty()) {
    const auto place = place_of(trace_, link.function);
    if (!place) return markdown("`" + link.function + "`");
    const int before = files_[index(place->source)].before;
    Json theirs = their("link", link.function);
    theirs["internal_link"] = {{"path", trace_.sources[index(place->source)].path},
                               {"line_number", std::int64_t{place->line} + before}};
    return theirs;
  }
  const auto text = [](const std::string& said) { return said.empty() ? Json() : Json(said); };
  Json theirs = their("link", label_of(link));
  // Of one with a label of its own the viewer shows the title; and what stands for the year behind a name.
  theirs["external_link"] = {
      {"title", text(link.title.empty() && link.authors.empty() ? link.label : link.title)},
      {"authors", link.authors.empty() ? Json() : Json(link.authors)},
      {"organization", text(link.organization)},
      {"date", link.authors.empty() ? text(link.date) : Json(link.date)},
      {"url", text(link.url)},
      {"description", text(link.description)},
      {"notes", text(link.notes)}};
  return theirs;
}

Json EdtraceRenderings::medium(const char* type, const std::string& src, int width) const {
  Json theirs = their(type, (options_.files.contains(src) ? options_.files_url : "") + path_url(src));
  if (width > 0) theirs["style"]["width"] = width;
  return theirs;
}

void EdtraceRenderings::append(Json& list, const Rendering& rendering) const {
  std::visit(
      [&](const auto& form) {
        using Form = std::remove_cvref_t<decltype(form)>;
        if constexpr (std::is_same_v<Form, rendering::Link>) {
          list.push_back(link(form));
        } else if constexpr (std::is_same_v<Form, rendering::Image> ||
                             std::is_same_v<Form, rendering::Video>) {
          list.push_back(medium(Form::kKind.data(), form.src, form.width));
        } else if constexpr (std::is_same_v<Form, rendering::Note>) {
          list.push_back(their("note", form.markdown));
        } else if (const auto* const plot = rendering.as<rendering::Plot>();
                   plot != nullptr && options_.generation == EdtraceGeneration::later) {
          list.push_back(their("plot", plot->spec.empty() ? Json::object() : Json::parse(plot->spec.text)));
        } else {
          list.push_back(markdown(edtrace_markdown(rendering)));
        }
        if constexpr (requires { form.caption; }) {
          if (form.caption.empty()) return;
          list.push_back(markdown(for_edtrace_viewer(form.caption)));
          list.back()["style"]["display"] = "block";  // below, not beside
        }
      },
      rendering.form);
}

Json EdtraceRenderings::with_blanks_between(Json list) {
  Json spaced = Json::array();
  for (Json& theirs : list) {
    if (!spaced.empty() && joins(spaced.back()) && joins(theirs)) spaced.push_back(markdown(" "));
    spaced.push_back(std::move(theirs));
  }
  return spaced;
}

}  // namespace lectern
