#include <algorithm>
#include <charconv>
#include <filesystem>

#include "base/error.h"
#include "base/files.h"
#include "edtrace/document.h"
#include "edtrace/frames.h"
#include "edtrace/json_fields.h"
#include "edtrace/rendering.h"
#include "trace/code_place.h"
#include "trace/reference_label.h"

namespace lectern {
namespace {

/// As a reader would see it.
std::string text_of(const Json& json) {
  if (json.is_string()) return json.get<std::string>();
  return json.is_null() ? std::string() : plain_json(json).dump();
}

bool shows_nothing(const Json& theirs) {
  return theirs.is_object() && part(theirs, "data").is_null() && !part(theirs, "external_link").is_object() &&
         !part(theirs, "internal_link").is_object();
}

/// Lines of verbatim text come one by one.
bool is_verbatim(const Json& theirs) {
  return text_member(theirs, "type") == "markdown" &&
         text_member(part(theirs, "style"), "whiteSpace") == "pre";
}

/// In pixels; 0 for none and for other units.
int width_of(const Json& theirs) {
  const std::string width = text_of(part(part(theirs, "style"), "width"));
  int pixels = 0;
  const auto [end, error] = std::from_chars(width.data(), width.data() + width.size(), pixels);
  const std::string_view unit(end, static_cast<std::size_t>(width.data() + width.size() - end));
  return error == std::errc() && pixels > 0 && (unit.empty() || unit == "px") ? pixels : 0;
}

// Renderings of ours, as JSON.

Json read_file(const std::string& url, const std::string& type, int width) {
  if (url.starts_with("http:") || url.starts_with("https:") || url.starts_with("//"))
    return {{"kind", "link"}, {"url", url}, {"label", type + ": " + url}};
  const std::string path = std::filesystem::path(url).lexically_normal().generic_string();
  // Elsewhere on the machine that made it.
  if (!inside_folder(path)) return {{"kind", "link"}, {"label", type + ": " + url}};
  return {{"kind", type}, {"src", path}, {"width", width}};
}

Json read_code_link(const Json& code, const std::string& label, const Trace& trace) {
  const std::string path = text_member(code, "path");
  const int line = EdtraceFrames::line_number(part(code, "line_number"));
  std::string name = name_at(trace, path, line);
  for (const SourceFile& source : trace.sources) {
    const bool there = source.path == path && line >= 1 && index(line) <= source.lines.size();
    if (name.empty() && there && source.lines[index(line - 1)].find(label) != std::string::npos) name = label;
  }
  if (!name.empty()) return {{"kind", "link"}, {"function", name}};
  return {{"kind", "link"}, {"label", label.empty() ? path + ":" + std::to_string(line) : label}};
}

Json read_link(const Json& theirs, const Trace& trace) {
  const std::string label = text_of(part(theirs, "data"));
  const Json& code = part(theirs, "internal_link");
  if (code.is_object()) return read_code_link(code, label, trace);
  Json made = part(theirs, "external_link");
  if (!made.is_object()) return {{"kind", "text"}, {"markdown", label}};
  const std::vector<std::string> authors = list_member(made, "authors");
  const bool own_label = !authors.empty() && label != reference_label(authors, text_member(made, "date"));
  made["kind"] = "link";
  made["label"] = own_label ? label : "";
  return made;
}

Json read_graph(const Json& spec) {
  Json nodes = Json::array(), edges = Json::array();
  for (const Json& node : part(spec, "nodes")) {
    const Json& data = part(node, "data");
    nodes.push_back({{"id", text_member(data, "id")}, {"label", text_member(data, "label")}});
  }
  for (const Json& edge : part(spec, "edges")) {
    const Json& data = part(edge, "data");
    edges.push_back({{"from", text_member(data, "source")},
                     {"to", text_member(data, "target")},
                     {"label", text_member(data, "label")}});
  }
  return {{"kind", "graph"}, {"nodes", std::move(nodes)}, {"edges", std::move(edges)}};
}

/// The cards of a later viewer: title, body, eyebrow, tags, sources, caveat.
Json read_card(const Json& card) {
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
  for (const Json& source : part(card, "sources")) {
    const std::string title = text_member(source, "title"), url = text_member(source, "url");
    paragraph("[" + (title.empty() ? url : title) + "](<" + url + ">)");
  }
  paragraph(caveat.empty() ? "" : "**Caveat:** " + caveat);
  return {{"kind", "card"}, {"title", text_member(card, "title")}, {"markdown", markdown}};
}

Json read(const Json& theirs, const Trace& trace) {
  const std::string type = text_member(theirs, "type");
  const Json& data = part(theirs, "data");
  if (is_verbatim(theirs)) return {{"kind", "verbatim"}, {"text", text_of(data)}};
  if (type == "markdown") return {{"kind", "text"}, {"markdown", text_of(data)}};
  if (type == "note") return {{"kind", "note"}, {"markdown", text_of(data)}};
  if (type == "image" || type == "video") return read_file(text_of(data), type, width_of(theirs));
  if (type == "link") return read_link(theirs, trace);
  if (type == "plot" && data.is_object()) return {{"kind", "plot"}, {"spec", plain_json(data)}};
  if (type == "graph") return read_graph(data);
  if (type == "card") return read_card(data);
  if (data.is_null() || data.is_string()) return {{"kind", "verbatim"}, {"text", text_of(data)}};
  return {{"kind", "edtrace:" + type}, {"data", plain_json(data)}};
}

}  // namespace

std::vector<Rendering> renderings_from_edtrace(const Json& list, const Trace& trace) {
  if (!list.is_array() && !list.is_null()) throw Error("\"renderings\" is not a list");
  std::vector<Rendering> renderings;
  renderings.reserve(list.size() -
                     static_cast<std::size_t>(std::count_if(list.begin(), list.end(), shows_nothing)));
  bool follows_verbatim = false;
  for (const Json& theirs : list) {
    if (!theirs.is_object()) throw Error("a rendering is not an object");
    if (shows_nothing(theirs)) continue;
    Rendering made = rendering_from_json(read(theirs, trace));
    made.unknown = {};
    const bool verbatim = is_verbatim(theirs);
    if (verbatim && follows_verbatim) {
      std::get<rendering::Verbatim>(renderings.back().form).text += "\n" + text_of(part(theirs, "data"));
    } else {
      renderings.push_back(std::move(made));
    }
    follows_verbatim = verbatim;
  }
  return renderings;
}

}  // namespace lectern
