#include "edtrace/import.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/characters.h"
#include "base/date.h"
#include "base/error.h"
#include "base/files.h"
#include "base/lines.h"
#include "edtrace/document.h"
#include "edtrace/markdown.h"
#include "edtrace/python_outline.h"
#include "trace/code_place.h"
#include "trace/encode.h"

namespace lectern {
namespace {

namespace dom = simdjson::dom;

constexpr const char* kCompiler = "edtrace";

/// The members of an object within an object; none where it has none.
std::vector<dom::key_value_pair> members(JsonElement json, const char* name) {
  const auto found = member(json, name);
  if (!found) return {};
  dom::object object;
  if (found->get(object) != simdjson::SUCCESS) throw Error("\"" + std::string(name) + "\" is not an object");
  return {object.begin(), object.end()};
}

/// The items of a list; none where there is no list.
std::vector<JsonElement> items(JsonElement json, std::string_view name) {
  const auto list = member<dom::array>(json, name);
  return list ? std::vector<JsonElement>(list->begin(), list->end()) : std::vector<JsonElement>();
}

/// A line number, which counts from 1; 0 when it is none.
int line_number(simdjson::simdjson_result<JsonElement> json) {
  constexpr std::uint64_t kMostLines = 1 << 30;
  std::uint64_t line = 0;
  return json.get(line) == simdjson::SUCCESS && line <= kMostLines ? static_cast<int>(line) : 0;
}

/// In pixels; 0 for none and for other units.
int width(JsonElement rendering) {
  const std::string text = shown_text(rendering["style"]["width"]);
  int pixels = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), pixels);
  const std::string_view unit(end, text.data() + text.size());
  return error == std::errc() && pixels > 0 && (unit.empty() || unit == "px") ? pixels : 0;
}

template <typename Medium>
Rendering::Form read_medium(JsonElement rendering, const std::string& url) {
  const bool on_web = url.starts_with("http:") || url.starts_with("https:") || url.starts_with("//");
  const std::string path = std::filesystem::path(url).lexically_normal().generic_string();
  if (!on_web && inside_folder(path)) return Medium{path, {}, {}, width(rendering)};
  if (url.starts_with("data:"))
    return Medium{url, {}, {}, width(rendering)};  // load_edtrace makes a file of it
  // On the web, or elsewhere on the machine that made it.
  return rendering::Link{.url = on_web ? url : "", .label = std::string(Medium::kKind) + ": " + url};
}

rendering::Link read_code_link(JsonElement code, const std::string& label, const Trace& trace) {
  const std::string path = shown_text(code["path"]);
  const int line = line_number(code["line_number"]);
  const std::string name = name_at(trace, path, line);
  if (!name.empty()) return {.function = name};
  return {.label = label.empty() ? path + ":" + std::to_string(line) : label};
}

rendering::Link read_reference(JsonElement reference) {
  rendering::Link link;
  for_each_field<rendering::Link>([&](const auto& field) {
    auto& text = link.*field.member;
    if constexpr (std::is_same_v<decltype(text), std::string&>) text = shown_text(reference[field.name]);
  });
  // arXiv's have a time, which its viewer leaves out, too.
  if (const std::string day = link.date.substr(0, link.date.find('T')); is_day(day)) link.date = day;
  for (const JsonElement name : items(reference, "authors"))
    link.authors.push_back(shown_text(JsonElement(name)));
  return link;
}

rendering::Graph read_graph(JsonElement spec) {
  rendering::Graph graph;
  for (const JsonElement node : items(spec, "nodes")) {
    const JsonElement data = member(node, "data").value_or(node);
    graph.nodes.push_back({shown_text(data["id"]), shown_text(data["label"])});
  }
  for (const JsonElement edge : items(spec, "edges")) {
    const JsonElement data = member(edge, "data").value_or(edge);
    graph.edges.push_back(
        {shown_text(data["source"]), shown_text(data["target"]), shown_text(data["label"])});
  }
  return graph;
}

/// The cards of a later viewer: title, body, eyebrow, tags, sources, caveat.
rendering::Card read_card(JsonElement data) {
  rendering::Card card{shown_text(data["title"]), {}, {}};
  const auto add_paragraph = [&card](std::string_view begin, const std::string& text, std::string_view end) {
    if (text.empty()) return;
    card.markdown.append(card.markdown.empty() ? "" : "\n\n").append(begin).append(text).append(end);
  };
  add_paragraph("*", shown_text(data["eyebrow"]), "*");
  add_paragraph("", shown_text(data["body"]), "");
  std::string tags;
  for (const JsonElement tag : items(data, "tags"))
    tags += (tags.empty() ? "" : ", ") + shown_text(JsonElement(tag));
  add_paragraph("", tags, "");
  for (const JsonElement source : items(data, "sources")) {
    const std::string title = shown_text(source["title"]), url = shown_text(source["url"]);
    add_paragraph("[", (title.empty() ? url : title) + "](<" + url + ">", ")");
  }
  add_paragraph("**Caveat:** ", shown_text(data["caveat"]), "");
  card.markdown = from_edtrace_viewer(card.markdown);
  return card;
}

/// Nothing where there is nothing to see.
std::optional<Rendering::Form> read_rendering(JsonElement rendering, const Trace& trace) {
  const std::string type = shown_text(rendering["type"]), text = shown_text(rendering["data"]);
  if (rendering["internal_link"].is_object()) return read_code_link(rendering["internal_link"], text, trace);
  if (rendering["external_link"].is_object()) return read_reference(rendering["external_link"]);
  const auto data = member(rendering, "data");
  if (!data) return {};
  if (type == "image") return read_medium<rendering::Image>(rendering, text);
  if (type == "video") return read_medium<rendering::Video>(rendering, text);
  if (type == "note") return rendering::Note{text};
  if (type == "markdown" && shown_text(rendering["style"]["whiteSpace"]) != "pre")
    return rendering::Text{from_edtrace_viewer(text)};
  if (data->is_string()) return rendering::Verbatim{text, {}};
  if (type == "graph") return read_graph(*data);
  if (type == "card") return read_card(*data);
  if (type == "plot") return rendering::Plot{{text}, {}, {}, 0};
  const std::string kind = "edtrace:" + type;
  return rendering::Unknown{kind, {"{\"kind\":" + to_json(kind) + ",\"data\":" + text + "}"}};
}

/// Images on the web become links, since our pages load nothing; kinds without a counterpart here show as
/// JSON. Links to code are resolved in the trace's sources and functions.
std::vector<Rendering> read_renderings(JsonElement list, const Trace& trace) {
  dom::array all;
  if (list.get(all) != simdjson::SUCCESS) throw Error("\"renderings\" is not a list");
  std::vector<Rendering> renderings;
  for (const JsonElement item : all) {
    if (!item.is_object()) throw Error("a rendering is not an object");
    auto form = read_rendering(item, trace);
    if (!form) continue;
    // Lines of verbatim text come one by one.
    const auto* const verbatim = std::get_if<rendering::Verbatim>(&*form);
    auto* const before =
        renderings.empty() ? nullptr : std::get_if<rendering::Verbatim>(&renderings.back().form);
    if (verbatim != nullptr && before != nullptr) {
      before->text += "\n" + verbatim->text;
    } else {
      renderings.push_back({*std::move(form)});
    }
  }
  return renderings;
}

/// Makes sources, functions, sites and stacks out of edtrace's files and stack frames, each once.
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
    trace_.profile = Profile{.name = "python", .compiler = kCompiler};
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
    for (const auto& [path, contents] : members(document, "files")) {
      if (path.empty()) throw Error("a file has no name");
      if (!contents.is_string()) throw Error("the contents of a file are not a string");
      find_source(std::string(path), contents);
    }
    for (const auto& [path, numbers] : members(document, "hidden_line_numbers")) {
      dom::array lines;
      if (numbers.get(lines) != simdjson::SUCCESS) throw Error("the hidden lines of a file are not a list");
      const int source = find_source(std::string(path));
      for (const JsonElement number : lines) {
        const int line = line_number(JsonElement(number));
        if (line == 0) throw Error("a hidden line is not a number from 1 on");
        if (hidden_.emplace(source, line).second)
          trace_.sources[index(source)].hidden.push_back({line, line});
      }
    }
  }

  /// The number of a source, of these contents where it is new.
  int find_source(const std::string& path, std::string_view contents = {}) {
    const auto [known, is_new] = sources_.try_emplace(path, static_cast<int>(trace_.sources.size()));
    if (!is_new) return known->second;
    const bool python = path.ends_with(".py");
    outlines_.emplace_back(python ? contents : std::string_view());
    for (const TracedFunction& function : outlines_.back().functions)
      trace_.functions.push_back({function.name, known->second, function.span});
    trace_.sources.push_back({.path = path, .language = python ? "python" : ""});
    while (!contents.empty()) trace_.sources.back().lines.emplace_back(take_line(contents));
    return known->second;
  }

  void add_step(JsonElement json) {
    const auto frames = member<dom::array>(json, "stack");
    if (!frames || frames->size() == 0) throw Error("it has no \"stack\"");
    Step step;
    place(step, *frames);
    StepDetails details;
    if (const auto list = member(json, "renderings")) details.show = read_renderings(*list, trace_);
    if (!details.show.empty()) trace_.sites[index(step.site)].kind = SiteKind::hook;
    for (const auto& [name, value] : members(json, "env")) {
      if (value.is_null()) {
        details.clear.emplace_back(name);
      } else {
        details.vars.emplace_back(name, value_from_edtrace(value));
      }
    }
    details.out.bytes = shown_text(json["stdout"]);
    details.err.bytes = shown_text(json["stderr"]);
    step.set_details(details);
    trace_.steps.push_back(std::move(step));
  }

  /// Says where a step is, what it enters and whether it is an `after`.
  void place(Step& step, dom::array frames) {
    std::vector<int> stacks;
    step.stack = step.site = -1;
    for (const JsonElement frame : frames) {
      const int site = find_site(frame), function = trace_.sites[index(site)].function;
      const auto [known, is_new] =
          stacks_.try_emplace({step.stack, step.site, function}, static_cast<int>(trace_.stacks.size()));
      const auto depth = static_cast<int>(stacks.size()) + 1;
      if (is_new) trace_.stacks.push_back({function, {}, step.stack, step.site, depth});
      step.stack = stacks.emplace_back(known->second);
      step.site = site;
    }
    const auto [first_new, left] = std::ranges::mismatch(stacks, stacks_before_);
    step.enter = static_cast<int>(stacks.end() - first_new);
    if (step.enter == 0) {
      // Back where it called from; or, without a step in between, called once more.
      const bool back = left != stacks_before_.end();
      step.after = back && trace_.stacks[index(*left)].call == step.site;
      const bool stays = !back && trace_.steps.back().site == step.site;
      const TracedFunction& function = trace_.functions[index(trace_.stacks[index(step.stack)].function)];
      const bool at_def = !outlines_[index(function.source)].functions.empty() &&
                          function.span.line == trace_.sites[index(step.site)].span.line;
      if (at_def && !stays && !step.after) step.enter = 1;
    }
    stacks_before_ = std::move(stacks);
  }

  int find_site(JsonElement frame) {
    const std::string path(member<std::string_view>(frame, "path").value_or(""));
    const std::string name = shown_text(frame["function_name"]);
    const int line = line_number(frame["line_number"]);
    if (path.empty()) throw Error("a frame of the stack has no \"path\"");
    if (line == 0) throw Error("a frame of the stack has no \"line_number\" from 1 on");
    const auto [known, is_new] =
        sites_.try_emplace({path, name, line}, static_cast<int>(trace_.sites.size()));
    if (!is_new) return known->second;
    const int source = find_source(path);
    const int function = find_function(source, name.empty() ? "<unknown>" : name, line);
    const TextSpan* const statement = outlines_[index(source)].statement_at(line);
    trace_.sites.push_back({.function = function,
                            .span = statement != nullptr ? *statement : line_span(source, line),
                            .hide = hidden_.contains({source, line})});
    return known->second;
  }

  /// The innermost function of this name around the line, else the first of this name.
  int find_function(int source, const std::string& name, int line) {
    int found = -1;
    for (std::size_t i = 0; i < trace_.functions.size(); ++i) {
      const TracedFunction& function = trace_.functions[i];
      const bool around = function.span.line <= line && line <= function.span.end_line;
      if (function.source == source && function.name == name && (around || found < 0))
        found = static_cast<int>(i);
    }
    if (found >= 0) return found;
    trace_.functions.push_back({name, source, line_span(source, line)});
    return static_cast<int>(trace_.functions.size()) - 1;
  }

  TextSpan line_span(int source, int line) const {
    const SourceLines& lines = trace_.sources[index(source)].lines;
    const std::string_view whole = index(line) <= lines.size() ? lines[index(line - 1)] : std::string_view();
    const std::string_view text = trim(whole);
    const auto begin = static_cast<int>(text.data() - whole.data()) + 1;
    return {line, begin, line, begin + static_cast<int>(text.size())};
  }

  Trace trace_;
  std::map<std::string, int> sources_;
  std::vector<PythonOutline> outlines_;                             // by source; empty but for Python
  std::set<std::pair<int, int>> hidden_;                            // source and line
  std::map<std::tuple<int, int, int>, int> stacks_;                 // by parent, call and function
  std::map<std::tuple<std::string, std::string, int>, int> sites_;  // by path, name and line
  std::vector<int> stacks_before_;                                  // of the step before, outermost first
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
