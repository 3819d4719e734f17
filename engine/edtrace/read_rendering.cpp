#include <charconv>
#include <filesystem>
#include <optional>
#include <type_traits>
#include <utility>

#include "base/error.h"
#include "base/files.h"
#include "edtrace/rendering.h"
#include "trace/code_place.h"
#include "trace/encode.h"

namespace lectern {
namespace {

namespace dom = simdjson::dom;

/// As a reader would see it.
std::string shown_text(JsonElement json) {
  std::string_view text;
  if (json.is_null()) return {};
  return json.get(text) == simdjson::SUCCESS ? std::string(text) : simdjson::minify(json);
}

std::string shown_member(JsonElement json, std::string_view name) {
  const auto found = member<JsonElement>(json, name);
  return found ? shown_text(*found) : "";
}

std::optional<JsonElement> object_member(JsonElement json, std::string_view name) {
  const auto found = member<JsonElement>(json, name);
  return found && found->is_object() ? found : std::nullopt;
}

/// The items of a list, or nothing.
template <typename Visit>
void for_each_item(JsonElement json, std::string_view name, Visit visit) {
  const auto list = member<dom::array>(json, name);
  if (!list) return;
  for (const JsonElement item : *list) visit(item);
}

/// In pixels; 0 for none and for other units.
int width(JsonElement rendering) {
  const auto style = object_member(rendering, "style");
  const std::string text = style ? shown_member(*style, "width") : "";
  int pixels = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), pixels);
  const std::string_view unit(end, static_cast<std::size_t>(text.data() + text.size() - end));
  return error == std::errc() && pixels > 0 && (unit.empty() || unit == "px") ? pixels : 0;
}

template <typename Medium>
Rendering::Form read_medium(JsonElement rendering, const std::string& url) {
  const std::string label = std::string(Medium::kKind) + ": " + url;
  if (url.starts_with("http:") || url.starts_with("https:") || url.starts_with("//"))
    return rendering::Link{.url = url, .label = label};
  const std::string path = std::filesystem::path(url).lexically_normal().generic_string();
  // Elsewhere on the machine that made it.
  if (!inside_folder(path)) return rendering::Link{.label = label};
  Medium medium;
  medium.src = path;
  medium.width = width(rendering);
  return medium;
}

rendering::Link read_code_link(JsonElement code, const std::string& label, const Trace& trace) {
  const std::string path = text_member(code, "path");
  const int line = line_number(code["line_number"]);
  const std::string name = name_at(trace, path, line);
  if (!name.empty()) return {.function = name};
  return {.label = label.empty() ? path + ":" + std::to_string(line) : label};
}

rendering::Link read_reference(JsonElement reference) {
  rendering::Link link;
  for_each_field<rendering::Link>([&](const auto& field) {
    auto& text = link.*field.member;
    if constexpr (std::is_same_v<decltype(text), std::string&>) text = text_member(reference, field.name);
  });
  for_each_item(reference, "authors", [&](JsonElement name) { link.authors.push_back(shown_text(name)); });
  return link;
}

rendering::Graph read_graph(JsonElement spec) {
  rendering::Graph graph;
  for_each_item(spec, "nodes", [&](JsonElement node) {
    const JsonElement data = member<JsonElement>(node, "data").value_or(node);
    graph.nodes.push_back({text_member(data, "id"), text_member(data, "label")});
  });
  for_each_item(spec, "edges", [&](JsonElement edge) {
    const JsonElement data = member<JsonElement>(edge, "data").value_or(edge);
    graph.edges.push_back(
        {text_member(data, "source"), text_member(data, "target"), text_member(data, "label")});
  });
  return graph;
}

/// The cards of a later viewer: title, body, eyebrow, tags, sources, caveat.
rendering::Card read_card(JsonElement data) {
  rendering::Card card{.title = text_member(data, "title"), .markdown = {}, .url = {}};
  const auto add_paragraph = [&card](std::string_view begin, const std::string& text, std::string_view end) {
    if (text.empty()) return;
    card.markdown.append(card.markdown.empty() ? "" : "\n\n").append(begin).append(text).append(end);
  };
  add_paragraph("*", text_member(data, "eyebrow"), "*");
  add_paragraph("", text_member(data, "body"), "");
  std::string tags;
  for_each_item(data, "tags",
                [&](JsonElement tag) { tags.append(tags.empty() ? "" : ", ").append(shown_text(tag)); });
  add_paragraph("", tags, "");
  for_each_item(data, "sources", [&](JsonElement source) {
    const std::string title = text_member(source, "title"), url = text_member(source, "url");
    add_paragraph("[", (title.empty() ? url : title) + "](<" + url + ">", ")");
  });
  add_paragraph("**Caveat:** ", text_member(data, "caveat"), "");
  return card;
}

/// Lines of verbatim text come one by one.
bool is_verbatim(JsonElement rendering) {
  const auto style = object_member(rendering, "style");
  return text_member(rendering, "type") == "markdown" && style && text_member(*style, "whiteSpace") == "pre";
}

/// Nothing where there is nothing to see.
std::optional<Rendering::Form> read(JsonElement rendering, const Trace& trace) {
  const std::string type = text_member(rendering, "type"), text = shown_member(rendering, "data");
  const auto code = object_member(rendering, "internal_link"),
             reference = object_member(rendering, "external_link");
  if (code) return read_code_link(*code, text, trace);
  if (reference) return read_reference(*reference);
  const auto data = member<JsonElement>(rendering, "data");
  if (!data || data->is_null()) return {};
  if (type == "image") return read_medium<rendering::Image>(rendering, text);
  if (type == "video") return read_medium<rendering::Video>(rendering, text);
  if (type == "note") return rendering::Note{text};
  if (type == "markdown" && !is_verbatim(rendering)) return rendering::Text{text};
  if (data->is_string()) return rendering::Verbatim{.text = text, .caption = {}};
  if (type == "graph") return read_graph(*data);
  if (type == "card") return read_card(*data);
  if (type == "plot") {
    rendering::Plot plot;
    plot.spec.text = text;
    return plot;
  }
  const std::string kind = "edtrace:" + type;
  return rendering::Unknown{kind, {"{\"kind\":" + to_json(kind) + ",\"data\":" + text + "}"}};
}

}  // namespace

std::vector<Rendering> renderings_from_edtrace(JsonElement list, const Trace& trace) {
  dom::array items;
  if (list.get(items) != simdjson::SUCCESS) throw Error("\"renderings\" is not a list");
  std::vector<Rendering> renderings;
  bool after_verbatim = false;
  for (const JsonElement item : items) {
    if (!item.is_object()) throw Error("a rendering is not an object");
    auto form = read(item, trace);
    if (!form) continue;
    auto* const verbatim = is_verbatim(item) ? std::get_if<rendering::Verbatim>(&*form) : nullptr;
    if (verbatim != nullptr && after_verbatim) {
      std::get<rendering::Verbatim>(renderings.back().form).text += "\n" + verbatim->text;
    } else {
      after_verbatim = verbatim != nullptr;
      renderings.push_back({*std::move(form)});
    }
  }
  return renderings;
}

}  // namespace lectern
