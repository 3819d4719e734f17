#include "trace/edtrace_rendering.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/files.h"
#include "base/json_view.h"
#include "base/terminal.h"
#include "trace/code_place.h"
#include "trace/edtrace_value.h"
#include "trace/reference_label.h"

namespace lectern {
namespace {

std::string text_member(const Json& object, const char* name) {
  const auto found = object.find(name);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

std::vector<std::string> list_member(const Json& object, const char* name) {
  std::vector<std::string> list;
  const auto found = object.find(name);
  if (found == object.end() || !found->is_array()) return list;
  for (const Json& item : *found) list.push_back(item.is_string() ? item.get<std::string>() : item.dump());
  return list;
}

std::string pretty(const Json& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace);
}

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

Json rendering(const char* kind, const char* field, std::string text) {
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
  Json made = rendering("card", "title", text_member(card, "title"));
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

/// A code block, behind more backticks than it holds.
std::string fenced(const std::string& text, const char* language = "") {
  std::string fence = "```";
  while (text.find(fence) != std::string::npos) fence += '`';
  return fence + language + "\n" + text + (text.ends_with('\n') ? "" : "\n") + fence;
}

std::string joined(const std::vector<std::string>& parts, const char* between) {
  std::string out;
  for (const std::string& part : parts) {
    if (!part.empty()) out += (out.empty() ? "" : between) + part;
  }
  return out;
}

std::string strong(const std::string& text) {
  return text.empty() ? text : "**" + text + "**";
}

std::string quote(const std::string& text) {
  std::string out = "> ";
  for (const char c : text) out += c == '\n' ? std::string("\n> ") : std::string(1, c);
  return out;
}

std::string cell(const std::string& text) {
  std::string out;
  for (const char c : text) out += c == '|' ? std::string("\\|") : std::string(1, c == '\n' ? ' ' : c);
  return out;
}

std::string table_row(const std::vector<std::string>& cells) {
  std::string out = "|";
  for (const std::string& text : cells) out += " " + cell(text) + " |";
  return out + "\n";
}

std::string table(const Json& ours) {
  std::vector<std::string> header = list_member(ours, "header");
  std::vector<std::vector<std::string>> rows;
  std::size_t columns = header.size();
  for (const Json& row : ours.value("rows", Json::array())) {
    rows.push_back(list_member({{"cells", row}}, "cells"));
    columns = std::max(columns, rows.back().size());
  }
  header.resize(columns);
  std::string out = table_row(header) + table_row(std::vector<std::string>(columns, "---"));
  for (std::vector<std::string>& row : rows) {
    row.resize(columns);
    out += table_row(row);
  }
  return out;
}

std::string graph(const Json& ours) {
  std::string out;
  for (const Json& node : ours.value("nodes", Json::array())) {
    const std::string id = text_member(node, "id"), label = text_member(node, "label");
    out += "- " + id + (label.empty() || label == id ? "" : ": " + label) + "\n";
  }
  for (const Json& edge : ours.value("edges", Json::array())) {
    const std::string label = text_member(edge, "label");
    out += "- " + text_member(edge, "from") + " \u2192 " + text_member(edge, "to") +
           (label.empty() ? "" : " (" + label + ")") + "\n";
  }
  return out;
}

std::string card(const Json& ours) {
  const std::string title = text_member(ours, "title"), url = text_member(ours, "url");
  return joined({strong(url.empty() || title.empty() ? title : "[" + title + "](<" + url + ">)"),
                 text_member(ours, "markdown")},
                "\n\n");
}

std::string callout(const Json& ours) {
  std::string type = text_member(ours, "type");
  if (!type.empty() && type[0] >= 'a' && type[0] <= 'z') type[0] = static_cast<char>(type[0] - 'a' + 'A');
  const std::string heading = joined({type, text_member(ours, "title")}, ": ");
  return quote(joined({strong(heading), text_member(ours, "markdown")}, "\n\n"));
}

std::string exercise(const Json& ours) {
  const std::string answer = text_member(ours, "answer");
  return joined(
      {"**Exercise.** " + text_member(ours, "markdown"), answer.empty() ? "" : "**Answer.** " + answer},
      "\n\n");
}

std::string front(const Json& ours) {
  return joined({strong(text_member(ours, "title")),
                 joined({text_member(ours, "course"), joined(list_member(ours, "authors"), ", "),
                         text_member(ours, "date")},
                        " \u00B7 "),
                 text_member(ours, "description")},
                "\n\n");
}

std::string system_text(const Json& ours) {
  const auto status = ours.find("status");
  const bool failed = status != ours.end() && status->is_number() && *status != 0;
  return fenced("$ " + text_member(ours, "command") + "\n" +
                without_terminal_codes(text_member(ours, "text")) +
                (failed ? "\n(exit status " + status->dump() + ")" : ""));
}

/// Renderings that are Markdown, or a block of code, in edtrace.
std::string as_markdown(const Json& ours) {
  const std::string kind = text_member(ours, "kind");
  if (kind == "text") return text_member(ours, "markdown");
  if (kind == "verbatim") return fenced(text_member(ours, "text"));
  if (kind == "front") return front(ours);
  if (kind == "table") return table(ours);
  if (kind == "graph") return graph(ours);
  if (kind == "card") return card(ours);
  if (kind == "callout") return callout(ours);
  if (kind == "exercise") return exercise(ours);
  if (kind == "system") return system_text(ours);
  if (kind == "plot") return fenced(pretty(ours.value("spec", Json())), "json");
  if (kind == "value") {
    const auto value = ours.find("value");
    return fenced(text_member(ours, "name") + " = " +
                  (value == ours.end() ? std::string() : plain_value_text(*value)));
  }
  return fenced(pretty(ours), "json");
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

Json without(Json object, const char* name) {
  object.erase(name);
  return object;
}

Json written_file(const Json& ours, const std::string& kind, const std::string& files_url) {
  Json file = their(kind.c_str(), files_url + text_member(ours, "src"));
  const auto width = ours.find("width");
  if (width != ours.end() && width->is_number_integer()) file["style"]["width"] = *width;
  return file;
}

std::string meaning(const Json& list) {
  return edtrace_meaning(list.dump());
}

}  // namespace

Json EdtraceRenderings::read_link(std::string_view json) const {
  const Theirs theirs(json);
  const std::vector<JsonMember> code = json_members(theirs.get("internal_link"));
  if (!code.empty()) {
    const std::string path = json_string(json_member(code, "path"));
    const std::string_view digits = json_member(code, "line_number");
    int line = 0;
    std::from_chars(digits.data(), digits.data() + digits.size(), line);
    if (const std::string name = name_at(trace_, path, line); !name.empty())
      return {{"kind", "link"}, {"function", name}};
    const std::string label = theirs.text();
    if (!label.empty() && text_at(trace_, path, line).find(label) != std::string::npos)
      return {{"kind", "link"}, {"function", label}};
    return {{"kind", "link"}, {"label", label.empty() ? path + ":" + std::string(digits) : label}};
  }
  const std::vector<JsonMember> reference = json_members(theirs.get("external_link"));
  if (reference.empty()) return rendering("text", "markdown", theirs.text());
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
    return rendering("verbatim", "text", std::move(text));
  }
  if (first.type == "markdown") return rendering("text", "markdown", first.text());
  if (first.type == "note") return rendering("note", "markdown", first.text());
  if (first.type == "image" || first.type == "video") return read_file(first);
  if (first.type == "link") return read_link(group.front());
  if (first.type == "plot" && first.data.starts_with('{'))
    return {{"kind", "plot"}, {"spec", parsed(first.data)}};
  if (first.type == "graph") return read_graph(first);
  if (first.type == "card") return read_card(first);
  if (first.data.empty() || first.data.starts_with('"')) return rendering("verbatim", "text", first.text());
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
    if (const std::string_view beside = first.get(kOursBeside); beside.starts_with('{')) {
      const Json ours = Json::parse(beside, nullptr, false);
      // Where the viewer found the file that we call `src`.
      std::string url = first.text();
      const std::string src = ours.is_object() ? text_member(ours, "src") : std::string();
      url.resize(url.ends_with(src) ? url.size() - src.size() : 0);
      const Json again = ours.is_object() ? written(ours, url) : Json();
      next = at + again.size();
      if (next > at && next <= elements.size() && meaning(again) == edtrace_meaning(as_list())) {
        show.push_back(ours);
        continue;
      }
    }
    next = at + 1;
    while (first.is_verbatim() && next < elements.size() && Theirs(elements[next]).is_verbatim()) ++next;
    Json ours = read(group());
    if (meaning(written(ours, files_url_)) != edtrace_meaning(as_list()))
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
                             {"line_number", place->line}};
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
  Json link = their("link", label_of(ours));
  link["external_link"] = std::move(reference);
  return link;
}

/// As a list: captions are renderings of their own.
Json EdtraceRenderings::written(const Json& ours, const std::string& files_url) const {
  const std::string kind = text_member(ours, "kind");
  Json list = Json::array();
  if (kind == "link") {
    list.push_back(written_link(ours));
  } else if (kind == "image" || kind == "video") {
    list.push_back(written_file(ours, kind, files_url));
  } else if (kind == "note") {
    list.push_back(their("note", text_member(ours, "markdown")));
  } else if (kind == "plot" && generation_ == EdtraceGeneration::later) {
    list.push_back(their("plot", ours.value("spec", Json::object())));
  } else {
    list.push_back(markdown(as_markdown(ours)));
  }
  if (const std::string caption = text_member(ours, "caption"); !caption.empty())
    list.push_back(markdown(caption));
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
  return read(group).dump() == ours.dump() ? was : Json(nullptr);
}

Json EdtraceRenderings::to_edtrace(const Json& show) const {
  Json list = Json::array();
  for (const Json& entry : show) {
    if (!entry.is_object()) continue;
    const Json ours = without(entry, kEdtraceBeside);
    Json made = nullptr;
    if (entry.contains(kEdtraceBeside)) made = as_it_was(ours, entry[kEdtraceBeside]);
    if (made.is_null()) {
      made = written(ours, files_url_);
      const std::string first = made[0].dump();
      if (made.size() > 1 || read({first}).dump() != ours.dump()) made[0][kOursBeside] = ours;
    }
    for (Json& theirs : made) list.push_back(std::move(theirs));
  }
  return list;
}

}  // namespace lectern
