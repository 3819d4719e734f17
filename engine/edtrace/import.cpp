#include "edtrace/import.h"

#include <charconv>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/files.h"
#include "edtrace/document.h"
#include "edtrace/frames.h"
#include "edtrace/value.h"
#include "trace/code_place.h"
#include "trace/encode.h"

namespace lectern {
namespace {

namespace dom = simdjson::dom;

constexpr const char* kCompiler = "edtrace";

/// The members of an object within an object, or nothing.
template <typename Visit>
void for_each_member(JsonElement json, const char* name, Visit visit) {
  const auto found = nonnull_member(json, name);
  if (!found) return;
  dom::object object;
  if (found->get(object) != simdjson::SUCCESS) throw Error("\"" + std::string(name) + "\" is not an object");
  for (const auto& [key, value] : object) visit(std::string(key), value);
}

/// As a reader would see it.
std::string shown_text(JsonElement json) {
  std::string_view text;
  if (json.is_null()) return {};
  return json.get(text) == simdjson::SUCCESS ? std::string(text) : simdjson::minify(json);
}

template <typename Parent>
std::string shown_member(const Parent& json, std::string_view name) {
  const auto found = member(json, name);
  return found ? shown_text(*found) : "";
}

/// The items of a list, or nothing.
template <typename Parent, typename Visit>
void for_each_item(const Parent& json, std::string_view name, Visit visit) {
  const auto list = member<dom::array>(json, name);
  if (!list) return;
  for (const JsonElement item : *list) visit(item);
}

/// In pixels; 0 for none and for other units.
int width(JsonElement rendering) {
  const auto style = member<dom::object>(rendering, "style");
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

rendering::Link read_code_link(dom::object code, const std::string& label, const Trace& trace) {
  const std::string path = text_member(code, "path");
  const int line = line_number(code["line_number"]);
  const std::string name = name_at(trace, path, line);
  if (!name.empty()) return {.function = name};
  return {.label = label.empty() ? path + ":" + std::to_string(line) : label};
}

rendering::Link read_reference(dom::object reference) {
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
    const JsonElement data = member(node, "data").value_or(node);
    graph.nodes.push_back({text_member(data, "id"), text_member(data, "label")});
  });
  for_each_item(spec, "edges", [&](JsonElement edge) {
    const JsonElement data = member(edge, "data").value_or(edge);
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
  const auto style = member<dom::object>(rendering, "style");
  return text_member(rendering, "type") == "markdown" && style && text_member(*style, "whiteSpace") == "pre";
}

/// Nothing where there is nothing to see.
std::optional<Rendering::Form> read_rendering(JsonElement rendering, const Trace& trace) {
  const std::string type = text_member(rendering, "type"), text = shown_member(rendering, "data");
  const auto code = member<dom::object>(rendering, "internal_link"),
             reference = member<dom::object>(rendering, "external_link");
  if (code) return read_code_link(*code, text, trace);
  if (reference) return read_reference(*reference);
  const auto data = nonnull_member(rendering, "data");
  if (!data) return {};
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

/// Images on the web become links, since our pages load nothing; kinds without a counterpart here show as
/// JSON. Links to code are resolved in the trace's sources and functions.
std::vector<Rendering> read_renderings(JsonElement list, const Trace& trace) {
  dom::array items;
  if (list.get(items) != simdjson::SUCCESS) throw Error("\"renderings\" is not a list");
  std::vector<Rendering> renderings;
  bool after_verbatim = false;
  for (const JsonElement item : items) {
    if (!item.is_object()) throw Error("a rendering is not an object");
    auto form = read_rendering(item, trace);
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

class Importer {
 public:
  Trace read(JsonElement document, const std::string& name) {
    const auto steps = member<dom::array>(document, "steps");
    if (!steps) {
      throw Error(
          "this is not a trace of edtrace (it has no list \"steps\"); name a file that edtrace wrote");
    }
    trace_.format = "lectern-trace/1";
    trace_.lecture = std::filesystem::path(name).stem().string();
    trace_.profile = Profile{.compiler = kCompiler};
    read_files(document);
    for (const JsonElement step : *steps) {
      try {
        add_step(step);
      } catch (const Error& error) {
        throw Error("step " + std::to_string(trace_.steps.size()) + ": " + error.what());
      }
    }
    trace_.end = {.by = "return", .steps = static_cast<std::int64_t>(trace_.steps.size())};
    return std::move(trace_);
  }

 private:
  void read_files(JsonElement document) {
    for_each_member(document, "files", [this](const std::string& path, JsonElement contents) {
      if (path.empty()) throw Error("a file has no name");
      if (!contents.is_string()) throw Error("the contents of a file are not a string");
      frames_.add_file(path, contents);
    });
    for_each_member(document, "hidden_line_numbers", [this](const std::string& path, JsonElement numbers) {
      dom::array lines;
      if (numbers.get(lines) != simdjson::SUCCESS) throw Error("the hidden lines of a file are not a list");
      for (const JsonElement number : lines) {
        const int line = line_number(JsonElement(number));
        if (line == 0) throw Error("a hidden line is not a number from 1 on");
        frames_.hide(path, line);
      }
    });
  }

  void add_step(JsonElement json) {
    const auto frames = member<dom::array>(json, "stack");
    if (!frames || frames->size() == 0) throw Error("it has no \"stack\"");
    Step step;
    frames_.place(step, *frames);
    StepDetails details;
    if (const auto list = nonnull_member(json, "renderings")) details.show = read_renderings(*list, trace_);
    if (!details.show.empty()) trace_.sites[index(step.site)].kind = SiteKind::hook;
    for_each_member(json, "env", [&details](const std::string& name, JsonElement value) {
      if (value.is_null()) {
        details.clear.push_back(name);
      } else {
        details.vars.emplace_back(name, value_from_edtrace(value));
      }
    });
    details.out.bytes = text_member(json, "stdout");
    details.err.bytes = text_member(json, "stderr");
    step.set_details(details);
    trace_.steps.push_back(std::move(step));
  }

  Trace trace_;
  EdtraceFrames frames_{trace_};
};

}  // namespace

Trace parse_edtrace(std::string_view text, const std::string& name) {
  dom::parser parser;
  const JsonElement document = parse_python_json(text, name, parser);
  try {
    return Importer().read(document, name);
  } catch (const Error& error) {
    throw Error({name, 0}, error.what());
  }
}

bool is_edtrace(std::string_view text) {
  const std::string_view begin = text.substr(0, text.find("\"format\""));
  return begin.find("\"files\"") != begin.npos || begin.find("\"steps\"") != begin.npos;
}

bool came_from_edtrace(const Trace& trace) {
  return trace.profile && trace.profile->compiler == kCompiler;
}

}  // namespace lectern
