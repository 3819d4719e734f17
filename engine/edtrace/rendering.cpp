#include "edtrace/rendering.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/files.h"
#include "base/json_view.h"
#include "base/path_url.h"
#include "edtrace/markdown.h"
#include "trace/code_place.h"
#include "trace/json_fields.h"
#include "trace/reference_label.h"

namespace lectern {
namespace {

/// One of edtrace's renderings, taken apart.
struct Theirs {
  explicit Theirs(std::string_view json) : members(json_members(json)) {
    type = json_string(get("type"));
    data = get("data");
    style = json_members(get("style"));
  }

  std::string_view get(std::string_view name) const { return json_member(members, name); }
  /// The data as a reader would see it.
  std::string text() const { return data.starts_with('"') ? json_string(data) : std::string(data); }
  /// In pixels; 0 for none and for other units.
  int width() const {
    std::string_view json = json_member(style, "width");
    if (json.starts_with('"') && json.size() >= 2) json = json.substr(1, json.size() - 2);
    int pixels = 0;
    const auto [end, error] = std::from_chars(json.data(), json.data() + json.size(), pixels);
    const std::string_view unit = json.substr(static_cast<std::size_t>(end - json.data()));
    return error == std::errc() && pixels > 0 && (unit.empty() || unit == "px") ? pixels : 0;
  }
  /// Lines of verbatim text come one by one.
  bool is_verbatim() const {
    return type == "markdown" && json_string(json_member(style, "whiteSpace")) == "pre";
  }

  std::vector<JsonMember> members, style;
  std::string type;
  std::string_view data;
};

bool is_on_the_web(std::string_view url) {
  return url.starts_with("http:") || url.starts_with("https:") || url.starts_with("//");
}

/// "./images/a.png" is images/a.png.
std::string normal_path(const std::string& path) {
  return std::filesystem::path(path).lexically_normal().generic_string();
}

Json make_rendering(const char* kind, const char* field, std::string text) {
  Json made = {{"kind", kind}};
  if (!text.empty()) made[field] = std::move(text);
  return made;
}

/// What Vega has no number for it takes as null.
void null_special_floats(Json& json) {
  if (json.is_object() && json.size() == 1 && json.contains("float")) {
    json = nullptr;
  } else if (json.is_structured()) {
    for (Json& inner : json) null_special_floats(inner);
  }
}

Json parsed(std::string_view json) {
  Json document = json.empty() ? Json(nullptr) : Json::parse(json);
  null_special_floats(document);
  return document;
}

Json read_file(const Theirs& theirs) {
  const std::string url = theirs.text();
  if (is_on_the_web(url)) return {{"kind", "link"}, {"url", url}, {"label", theirs.type + ": " + url}};
  const std::string path = normal_path(url);
  // Elsewhere on the machine that made it.
  if (!inside_folder(path)) return {{"kind", "link"}, {"label", theirs.type + ": " + url}};
  Json made = {{"kind", theirs.type}, {"src", path}};
  if (theirs.width() > 0) made["width"] = theirs.width();
  return made;
}

Json read_graph(const Theirs& theirs) {
  const Json spec = parsed(theirs.data);
  Json made = {{"kind", "graph"}, {"nodes", Json::array()}, {"edges", Json::array()}};
  const auto each = [&spec](const char* list, auto add) {
    if (!spec.is_object() || !spec.contains(list)) return;
    for (const Json& element : spec[list]) {
      if (element.is_object() && element.contains("data")) add(element["data"]);
    }
  };
  each("nodes", [&](const Json& node) {
    made["nodes"].push_back({{"id", text_member(node, "id")}, {"label", text_member(node, "label")}});
  });
  each("edges", [&](const Json& edge) {
    made["edges"].push_back({{"from", text_member(edge, "source")},
                             {"to", text_member(edge, "target")},
                             {"label", text_member(edge, "label")}});
  });
  return made;
}

/// The cards of a later viewer: title, body, eyebrow, tags, sources, caveat.
Json read_card(const Theirs& theirs) {
  const Json card = parsed(theirs.data);
  std::string markdown;
  const auto paragraph = [&markdown](const std::string& text) {
    if (!text.empty()) markdown += (markdown.empty() ? "" : "\n\n") + text;
  };
  const std::string eyebrow = text_member(card, "eyebrow"), caveat = text_member(card, "caveat");
  paragraph(eyebrow.empty() ? "" : "*" + eyebrow + "*");
  paragraph(text_member(card, "body"));
  std::string tags;
  for (const std::string& tag : list_member(card, "tags")) tags += (tags.empty() ? "" : ", ") + tag;
  paragraph(tags);
  if (card.is_object() && card.contains("sources")) {
    for (const Json& source : card["sources"]) {
      const std::string title = text_member(source, "title"), url = text_member(source, "url");
      paragraph("[" + (title.empty() ? url : title) + "](<" + url + ">)");
    }
  }
  paragraph(caveat.empty() ? "" : "**Caveat:** " + caveat);
  Json made = make_rendering("card", "title", text_member(card, "title"));
  if (!markdown.empty()) made["markdown"] = markdown;
  return made;
}

// To edtrace
// -----------------------------------------------------------------------------------------------------------

Json their(const char* type, Json data) {
  return {{"type", type},
          {"data", std::move(data)},
          {"style", Json::object()},
          {"external_link", nullptr},
          {"internal_link", nullptr}};
}

Json markdown(std::string text) {
  return their("markdown", std::move(text));
}

/// As edtrace labels a reference.
std::string label_of(const Json& ours) {
  const std::string label = text_member(ours, "label");
  if (!label.empty()) return label;
  const std::vector<std::string> authors = list_member(ours, "authors");
  if (!authors.empty()) return reference_label(authors, text_member(ours, "date"));
  const std::string title = text_member(ours, "title"), url = text_member(ours, "url");
  return title.empty() && url.empty() ? "?" : "[" + (title.empty() ? url : title) + "]";
}

constexpr std::array<const char*, 5> kReferenceTexts{"organization", "date", "url", "description", "notes"};

std::string text_at(const Trace& trace, const std::string& path, int line) {
  for (const SourceFile& source : trace.sources) {
    if (source.path == path && line >= 1 && static_cast<std::size_t>(line) <= source.lines.size())
      return source.lines[static_cast<std::size_t>(line - 1)];
  }
  return {};
}

Json written_file(const Json& ours, const std::string& kind, const std::string& files_url) {
  Json file = their(kind.c_str(), files_url + path_url(text_member(ours, "src")));
  const auto width = ours.find("width");
  if (width != ours.end() && width->is_number_integer()) file["style"]["width"] = *width;
  return file;
}

/// Whether it needs a blank between itself and another on its line.
bool joins(const Json& rendering) {
  const std::string type = text_member(rendering, "type"), data = text_member(rendering, "data");
  const auto style = rendering.find("style");
  return (type == "link" || type == "markdown") && (style == rendering.end() || style->empty()) &&
         data.find('\n') == std::string::npos && !data.empty() && !data.ends_with(' ');
}

std::string meaning(const Json& list) {
  return edtrace_meaning(list.dump());
}

}  // namespace

int EdtraceRenderings::lines_before(int source) const {
  const auto number = static_cast<std::size_t>(source);
  return number < lines_before_.size() ? lines_before_[number] : 0;
}

int EdtraceRenderings::line_of(const std::string& path, std::string_view digits) const {
  int line = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), line);
  for (std::size_t i = 0; i < trace_.sources.size(); ++i) {
    if (trace_.sources[i].path == path && line > 0) return line - lines_before(static_cast<int>(i));
  }
  return line;
}

Json EdtraceRenderings::read_link(std::string_view json) const {
  const Theirs theirs(json);
  const std::vector<JsonMember> code = json_members(theirs.get("internal_link"));
  if (!code.empty()) {
    const std::string path = json_string(json_member(code, "path"));
    const std::string_view digits = json_member(code, "line_number");
    const int line = line_of(path, digits);
    if (const std::string name = name_at(trace_, path, line); !name.empty())
      return {{"kind", "link"}, {"function", name}};
    const std::string label = theirs.text();
    if (!label.empty() && text_at(trace_, path, line).find(label) != std::string::npos)
      return {{"kind", "link"}, {"function", label}};
    return {{"kind", "link"}, {"label", label.empty() ? path + ":" + std::string(digits) : label}};
  }
  const std::vector<JsonMember> reference = json_members(theirs.get("external_link"));
  if (reference.empty()) return make_rendering("text", "markdown", theirs.text());
  // In the order in which `link` writes them.
  Json made = {{"kind", "link"}};
  const auto add = [&](const char* name) {
    if (std::string text = json_string(json_member(reference, name)); !text.empty())
      made[name] = std::move(text);
  };
  add("url");
  add("title");
  std::vector<std::string> authors;
  for (const std::string_view author : json_elements(json_member(reference, "authors"))) {
    authors.push_back(json_string(author));
  }
  if (!authors.empty()) {
    const std::string label = theirs.text();
    if (!label.empty() && label != reference_label(authors, json_string(json_member(reference, "date"))))
      made["label"] = label;
    made["authors"] = authors;
  }
  for (const char* name : {"organization", "date", "description", "notes"}) add(name);
  return made;
}

Json EdtraceRenderings::read(const std::vector<std::string_view>& group) const {
  const Theirs first(group.front());
  if (first.is_verbatim()) {
    std::string text;
    for (const std::string_view line : group) {
      if (line.data() != group.front().data()) text += '\n';
      text += Theirs(line).text();
    }
    return make_rendering("verbatim", "text", std::move(text));
  }
  if (first.type == "markdown") return make_rendering("text", "markdown", first.text());
  if (first.type == "note") return make_rendering("note", "markdown", first.text());
  if (first.type == "image" || first.type == "video") return read_file(first);
  if (first.type == "link") return read_link(group.front());
  if (first.type == "plot" && first.data.starts_with('{'))
    return {{"kind", "plot"}, {"spec", parsed(first.data)}};
  if (first.type == "graph") return read_graph(first);
  if (first.type == "card") return read_card(first);
  if (first.data.empty() || first.data.starts_with('"'))
    return make_rendering("verbatim", "text", first.text());
  return {{"kind", "edtrace:" + first.type}, {"data", parsed(first.data)}};
}

std::string EdtraceRenderings::from_edtrace(std::string_view list) const {
  const std::vector<std::string_view> elements = json_elements(list);
  Json show = Json::array();
  for (std::size_t at = 0, next = 0; at < elements.size(); at = next) {
    if (!elements[at].starts_with('{')) throw Error("a rendering is not an object");
    const auto group = [&] {
      return std::vector<std::string_view>(elements.begin() + static_cast<std::ptrdiff_t>(at),
                                           elements.begin() + static_cast<std::ptrdiff_t>(next));
    };
    const auto as_list = [&] {
      std::string text;
      for (const std::string_view element : group()) text.append(text.empty() ? "[" : ",").append(element);
      return text + "]";
    };
    const Theirs first(elements[at]);
    // What the generations write otherwise: a plot is Markdown for 2025.
    const auto generation = first.type == "plot" ? EdtraceGeneration::later : EdtraceGeneration::of_2025;
    if (json_string(first.get(kOursBeside)) == kAddedForViewer) {
      next = at + 1;
      continue;
    }
    if (const std::string_view beside = first.get(kOursBeside); beside.starts_with('{')) {
      const Json ours = Json::parse(beside, nullptr, false);
      // Where the viewer found the file that we call `src`.
      std::string url = first.text();
      const std::string src = ours.is_object() ? path_url(text_member(ours, "src")) : std::string();
      url.resize(url.ends_with(src) ? url.size() - src.size() : 0);
      const Json again = ours.is_object() ? written(ours, url, generation) : Json();
      next = at + again.size();
      if (next > at && next <= elements.size() && meaning(again) == edtrace_meaning(as_list())) {
        show.push_back(ours);
        continue;
      }
    }
    next = at + 1;
    while (first.is_verbatim() && next < elements.size() && Theirs(elements[next]).is_verbatim()) ++next;
    Json ours = read(group());
    if (meaning(written(ours, files_url_, generation)) != edtrace_meaning(as_list()))
      ours[kEdtraceBeside] = parsed(as_list());
    show.push_back(std::move(ours));
  }
  return show.dump();
}

Json EdtraceRenderings::written_link(const Json& ours) const {
  if (const std::string name = text_member(ours, "function"); !name.empty()) {
    const auto place = place_of(trace_, name);
    if (!place) return markdown("`" + name + "`");
    Json link = their("link", name);
    link["internal_link"] = {{"path", trace_.sources[static_cast<std::size_t>(place->source)].path},
                             {"line_number", std::int64_t{place->line} + lines_before(place->source)}};
    return link;
  }
  Json reference = {{"title", nullptr}, {"authors", nullptr}};
  std::string title = text_member(ours, "title");
  const std::vector<std::string> authors = list_member(ours, "authors");
  // A label of its own: the viewer shows the title.
  if (title.empty() && authors.empty()) title = text_member(ours, "label");
  if (!title.empty()) reference["title"] = title;
  if (!authors.empty()) reference["authors"] = authors;
  for (const char* name : kReferenceTexts) {
    const std::string text = text_member(ours, name);
    reference[name] = text.empty() ? Json(nullptr) : Json(text);
  }
  // The viewer puts what stands there for the year behind the name.
  if (!authors.empty() && reference["date"].is_null()) reference["date"] = "";
  Json link = their("link", label_of(ours));
  link["external_link"] = std::move(reference);
  return link;
}

/// As a list: captions are renderings of their own.
Json EdtraceRenderings::written(const Json& ours, const std::string& files_url,
                                EdtraceGeneration generation) const {
  const std::string kind = text_member(ours, "kind");
  Json list = Json::array();
  if (kind == "link") {
    list.push_back(written_link(ours));
  } else if (kind == "image" || kind == "video") {
    list.push_back(written_file(ours, kind, files_url));
  } else if (kind == "note") {
    list.push_back(their("note", text_member(ours, "markdown")));
  } else if (kind == "plot" && generation == EdtraceGeneration::later) {
    list.push_back(their("plot", ours.value("spec", Json::object())));
  } else {
    list.push_back(markdown(edtrace_markdown(ours)));
  }
  if (const std::string caption = text_member(ours, "caption"); !caption.empty()) {
    list.push_back(markdown(for_edtrace_viewer(caption)));
    list.back()["style"]["display"] = "block";  // below, not beside
  }
  return list;
}

/// What it was read from, if that is still what it says and a viewer of the generation shows it; else null.
Json EdtraceRenderings::as_it_was(const Json& ours, const Json& was) const {
  if (!was.is_array() || was.empty()) return nullptr;
  std::vector<std::string> texts;
  for (const Json& theirs : was) {
    if (!theirs.is_object()) return nullptr;
    const auto data = theirs.find("data");
    const bool object = data != theirs.end() && data->is_structured();
    if (object && generation_ == EdtraceGeneration::of_2025) return nullptr;  // its viewer would fail
    texts.push_back(theirs.dump());
  }
  const std::vector<std::string_view> group(texts.begin(), texts.end());
  if (read(group).dump() != ours.dump()) return nullptr;
  const std::string src = text_member(ours, "src");
  if (!moved_files_.contains(src)) return was;
  Json moved = was;
  moved[0]["data"] = files_url_ + path_url(src);
  moved[0][kOursBeside] = ours;
  return moved;
}

Json EdtraceRenderings::to_edtrace(const Json& show) const {
  Json list = Json::array();
  for (const Json& entry : show) {
    if (!entry.is_object()) continue;
    const Json ours = without(entry, kEdtraceBeside);
    Json made = nullptr;
    if (entry.contains(kEdtraceBeside)) made = as_it_was(ours, entry[kEdtraceBeside]);
    if (made.is_null()) {
      made = written(ours, files_url_, generation_);
      const std::string first = made[0].dump();
      if (made.size() > 1 || read({first}).dump() != ours.dump()) made[0][kOursBeside] = ours;
    }
    for (Json& theirs : made) list.push_back(std::move(theirs));
  }
  return list;
}

Json EdtraceRenderings::added(std::string text) {
  Json theirs = markdown(std::move(text));
  theirs[kOursBeside] = kAddedForViewer;
  return theirs;
}

Json EdtraceRenderings::with_blanks_between(Json list) {
  Json spaced = Json::array();
  for (Json& theirs : list) {
    if (!spaced.empty() && joins(spaced.back()) && joins(theirs)) spaced.push_back(added(" "));
    spaced.push_back(std::move(theirs));
  }
  return spaced;
}

}  // namespace lectern
