#include "edtrace/export.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "base/characters.h"
#include "base/error.h"
#include "base/joining.h"
#include "base/markdown_links.h"
#include "base/path_url.h"
#include "base/readable_numbers.h"
#include "edtrace/viewer.h"
#include "trace/code_place.h"
#include "trace/end_message.h"
#include "trace/hidden_lines.h"
#include "trace/identity.h"
#include "trace/reference_label.h"
#include "trace/scopes.h"

namespace lectern {
namespace {

using LineOfSource = std::pair<int, int>;  ///< source and line

LineOfSource first_line(const Trace& trace, const Site& site) {
  return {trace.functions[index(site.function)].source, site.span.line};
}

/// For each line of each source whether a reader is not to see it: those of hidden definitions and
/// statements, and further lines of hooks where nothing else begins.
std::vector<std::vector<bool>> unseen_lines(const Trace& trace) {
  std::vector<std::vector<bool>> unseen;
  std::set<LineOfSource> begins;
  for (const SourceFile& source : trace.sources) unseen.push_back(hidden_lines(source));
  for (const Site& site : trace.sites) {
    if (!site.hide) begins.insert(first_line(trace, site));
  }
  for (const Site& site : trace.sites) {
    if (!site.hide && site.kind != SiteKind::hook) continue;
    const auto [source, line] = first_line(trace, site);
    std::vector<bool>& lines = unseen[index(source)];
    for (int at = line; at <= site.span.end_line && index(at) <= lines.size(); ++at) {
      if (site.hide || (at > line && !begins.contains({source, at}))) lines[index(at - 1)] = true;
    }
  }
  return unseen;
}

/// The sources as files that edtrace's viewers show well. They know renderings by the number of their line
/// alone, whatever its file, so that no two files may have lines of the same number; and they leave out blank
/// lines at a file's beginning, but count on. Lines that a reader is not to see (@hide, the further lines of
/// hooks, those before the first of a file) later viewers hide. Those of 2025 cannot: hidden lines are blank
/// there, and all sources are one file, since lines before a second one would show what the first rendered.
struct EdtraceFiles {
  Json texts = Json::object(), hidden = Json::object();  ///< by path; numbers of lines in the text, from 1
  std::vector<std::string> paths;                        ///< by source: its file
  std::vector<int> before;                               ///< by source: how many lines stand before its own
};

EdtraceFiles edtrace_files(const Trace& trace, bool later) {
  const std::vector<std::vector<bool>> unseen = unseen_lines(trace);
  EdtraceFiles files;
  int count = 0;  // of the lines so far
  std::string text;
  for (std::size_t i = 0; i < trace.sources.size(); ++i) {
    const auto& [path, lines] = std::tie(trace.sources[i].path, trace.sources[i].lines);
    files.paths.push_back(later ? path : trace.sources.front().path);
    if (!later && i > 0) {
      text += "// " + path + "\n";
      ++count;
    } else {
      const bool blank = !lines.empty() && trim(lines.front()).empty();
      count = std::max(count, blank ? 1 : 0);
      text = count > 0 ? "// Here no line of the lecture stands." : "";
      text.append(index(count), '\n');
    }
    Json hidden = Json::array();
    for (int line = 1; line <= count; ++line) hidden.push_back(line);
    files.before.push_back(count);
    for (std::size_t at = 0; at < lines.size(); ++at) {
      ++count;
      if (unseen[i][at]) hidden.push_back(count);
      text += (unseen[i][at] && !later ? "" : lines[at]) + "\n";
    }
    files.texts[files.paths.back()] = text;
    files.hidden[files.paths.back()] = std::move(hidden);
  }
  return files;
}

/// edtrace's viewers show of all steps at a line the renderings of the last, even if it has none. Of the last
/// step of each line, by its number: the steps before it whose renderings it has to repeat so that the viewer
/// shows what each statement of the line showed last.
std::vector<std::vector<std::size_t>> repeated_steps(const Trace& trace) {
  std::map<LineOfSource, std::size_t> last_steps;
  std::map<int, std::vector<std::size_t>> shown;  // by site; two if it called something in between
  const std::vector<Pass> pass = passes(trace);
  for (std::size_t i = 0; i < trace.steps.size(); ++i) {
    const Step& step = trace.steps[i];
    const Site& site = trace.sites[index(step.site)];
    last_steps[first_line(trace, site)] = i;
    const bool may_show = !site.hide && step.text.find("\"show\":") != std::string::npos;
    if (!may_show || step.details().show.empty()) continue;
    std::vector<std::size_t>& steps = shown[step.site];
    if (!steps.empty() && pass[steps.front()] != pass[i]) steps.clear();
    steps.push_back(i);
  }
  std::vector<std::vector<std::size_t>> repeated(trace.steps.size());
  for (const auto& [site, steps] : shown) {
    const std::size_t last = last_steps.at(first_line(trace, trace.sites[index(site)]));
    for (const std::size_t step : steps) {
      if (step != last) repeated[last].push_back(step);
    }
  }
  return repeated;
}

Json edtrace_rendering(std::string_view type, Json data) {
  return {{"type", type},
          {"data", std::move(data)},
          {"style", Json::object()},
          {"external_link", nullptr},
          {"internal_link", nullptr}};
}

/// With a blank before it where one belongs: the viewer itself leaves no space between the renderings of a
/// line.
void append_spaced(Json& list, Json rendering) {
  const auto text = [](const Json& shown) {
    return shown.at("type") == "markdown" ? shown.at("data").get<std::string>() : "-";
  };
  if (!list.empty() && blank_between(text(list.back()), text(rendering)))
    list.push_back(edtrace_rendering("markdown", " "));
  list.push_back(std::move(rendering));
}

/// Below what stands before it.
void append_block(Json& list, const std::string& markdown) {
  append_spaced(list, edtrace_rendering("markdown", markdown));
  list.back()["style"]["display"] = "block";
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

Json write_reference(const rendering::Link& link) {
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

class Exporter {
 public:
  Exporter(const Trace& trace, const EdtraceExport& options) : trace_(trace), options_(options) {}

  std::string write() const {
    std::string out = "{\"files\":" + to_text(files_.texts).text;
    if (later_) out += ",\n\"hidden_line_numbers\":" + to_text(files_.hidden).text;
    out += ",\n\"steps\":[\n";
    for (std::size_t i = 0; i < trace_.steps.size(); ++i) out += (i > 0 ? ",\n" : "") + to_text(step(i)).text;
    return out + "\n]}\n";
  }

 private:
  Json step(std::size_t number) const {
    const Step& step = trace_.steps[number];
    const StepDetails details = step.details();
    return {{"stack", stack(step)},
            {"env", environment(number, details)},
            {"renderings", renderings(number, details)},
            {"stdout", details.out.bytes},
            {"stderr", details.err.bytes}};
  }

  /// What goes out of scope or is cleared is null; a variable that was hidden by it is there again.
  Json environment(std::size_t number, const StepDetails& details) const {
    Json values = Json::object();
    const auto step = static_cast<int>(number);
    if (later_ && left_.contains(step)) {
      for (const auto& [name, outer] : left_.at(step)) {
        values[name] = nullptr;
        if (outer >= 0) add_values(values, trace_.steps[index(outer)].details(), name);
      }
    }
    add_values(values, details);
    if (later_) {
      for (const std::string& name : details.clear) values[name] = nullptr;
    }
    return values;
  }

  /// Of all variables that a step recorded, or of one.
  void add_values(Json& values, const StepDetails& details, std::string_view only = {}) const {
    for (const auto* variables : {&details.args, &details.vars}) {
      for (const auto& [name, value] : *variables) {
        if (only.empty() || name == only) values[name] = value_to_edtrace(value, options_.generation);
      }
    }
  }

  Json renderings(std::size_t number, const StepDetails& details) const {
    Json list = Json::array();
    for (const std::size_t before : repeated_[number])
      add_renderings(list, trace_.steps[before], trace_.steps[before].details());
    add_renderings(list, trace_.steps[number], details);
    if (number + 1 == trace_.steps.size()) add_end(list, trace_.steps[number]);
    return list;
  }

  /// What a reader is to see, captions below. Viewers of 2025 know neither hidden lines nor notes.
  void add_renderings(Json& list, const Step& step, const StepDetails& details) const {
    if (!later_ && trace_.sites[index(step.site)].hide) return;
    for (const Rendering& rendering : details.show) {
      if (!later_ && rendering.as<rendering::Note>() != nullptr) continue;
      append_spaced(list, write(rendering));
      const auto append_caption = [&](const auto& form) {
        if constexpr (requires { form.caption; }) {
          if (!form.caption.empty()) append_block(list, for_edtrace_viewer(form.caption));
        }
      };
      std::visit(append_caption, rendering.form);
      if (!options_.file_texts) continue;
      for (const std::string& text : options_.file_texts(rendering))
        append_block(list, for_edtrace_viewer(text));
    }
  }

  /// As Markdown what the viewer has no kind for.
  Json write(const Rendering& rendering) const {
    if (const auto* const link = rendering.as<rendering::Link>()) return write_link(*link);
    if (const auto* const image = rendering.as<rendering::Image>()) return write_medium(*image);
    if (const auto* const video = rendering.as<rendering::Video>()) return write_medium(*video);
    if (const auto* const note = rendering.as<rendering::Note>())
      return edtrace_rendering("note", note->markdown);
    if (const auto* const plot = rendering.as<rendering::Plot>()) {
      const auto picture = options_.plots.find(plot->spec.text);
      if (picture != options_.plots.end()) return edtrace_rendering("image", picture->second);
      if (later_ && !plot->spec.empty()) return edtrace_rendering("plot", Json::parse(plot->spec.text));
    }
    return edtrace_rendering("markdown", with_files(edtrace_markdown(rendering)));
  }

  /// Markdown whose images and links lead to the files. Links that lead into the trace itself no browser
  /// follows, but to images it shows them.
  std::string with_files(const std::string& markdown) const {
    return with_addresses(markdown, [this](const std::string& written) -> std::string {
      const LinkedFile file = linked_file(written);
      const auto address = options_.addresses.find(file.name);
      if (address == options_.addresses.end() || address->second.starts_with("data:application")) return {};
      return address->second + (address->second.starts_with("data:") ? "" : file.rest);
    });
  }

  Json write_link(const rendering::Link& link) const {
    if (link.function.empty()) return write_reference(link);
    const auto target = find_place(trace_, link.function);
    if (!target) return edtrace_rendering("markdown", "`" + link.function + "`");
    Json made = edtrace_rendering("link", link.function);
    made["internal_link"] = place(target->source, target->line);
    return made;
  }

  template <typename Medium>
  Json write_medium(const Medium& medium) const {
    const auto address = options_.addresses.find(medium.src);
    Json made = edtrace_rendering(
        Medium::kKind, address == options_.addresses.end() ? path_url(medium.src) : address->second);
    if (medium.width > 0) made["style"]["width"] = medium.width;
    return made;
  }

  /// The line's code comes with it, since renderings stand instead of their line.
  void add_end(Json& list, const Step& step) const {
    const std::string message = end_message(trace_);
    if (message.empty()) return;
    const auto [source, line] = first_line(trace_, trace_.sites[index(step.site)]);
    const std::string code = code_at(source, line);
    append_block(list, fenced((list.empty() && !code.empty() ? code + "\n" : "") + message));
  }

  /// The frames, outermost first.
  std::vector<Json> stack(const Step& step) const {
    std::vector<Json> frames;
    for (int number = step.stack, site = step.site; number >= 0;) {
      const Stack& stack = trace_.stacks[index(number)];
      const TracedFunction& function = trace_.functions[index(stack.function)];
      const int line = (site < 0 ? function.span : trace_.sites[index(site)].span).line;
      Json& frame = frames.emplace_back(place(function.source, line));
      frame["function_name"] = stack.name.empty() ? function.name : stack.name;
      frame["code"] = code_at(function.source, line);
      number = stack.parent;
      site = stack.call;
    }
    std::reverse(frames.begin(), frames.end());
    return frames;
  }

  Json place(int source, int line) const {
    return {{"path", files_.paths[index(source)]},
            {"line_number", std::int64_t{line} + files_.before[index(source)]}};
  }

  std::string code_at(int source, int line) const {
    const SourceLines& lines = trace_.sources[index(source)].lines;
    return std::string(index(line) > lines.size() ? std::string_view() : trim(lines[index(line - 1)]));
  }

  const Trace& trace_;
  const EdtraceExport& options_;
  const bool later_ = options_.generation == EdtraceGeneration::later;
  const EdtraceFiles files_ = edtrace_files(trace_, later_);
  const std::vector<std::vector<std::size_t>> repeated_ = repeated_steps(trace_);
  const std::map<int, std::vector<LeftVariable>> left_ = left_variables(trace_);
};

/// Of a stack, the function that it has most often, of those the outermost.
const TracedFunction& most_frequent(const Trace& trace, int stack) {
  std::map<int, int> counts;
  int most = trace.stacks[index(stack)].function;
  for (int number = stack; number >= 0; number = trace.stacks[index(number)].parent) {
    const int function = trace.stacks[index(number)].function;
    ++counts[function];
    if (counts[function] >= counts[most]) most = function;
  }
  return trace.functions[index(most)];
}

void check_depth(const Trace& trace) {
  std::size_t frames = 0;
  int deepest = -1;
  for (const Step& step : trace.steps) {
    const auto depth = [&](int stack) { return trace.stacks[index(stack)].depth; };
    frames += index(depth(step.stack));
    if (deepest < 0 || depth(step.stack) > depth(deepest)) deepest = step.stack;
  }
  if (frames <= kMostFrames) return;
  const TracedFunction& function = most_frequent(trace, deepest);
  throw Error(Place{trace.sources[index(function.source)].path, function.span.line},
              "in edtrace's form each step has its whole call stack: " + with_separators(trace.steps.size()) +
                  " steps, up to " + with_separators(index(trace.stacks[index(deepest)].depth)) +
                  " calls deep, would be " + with_separators(frames) + " frames, more than " +
                  with_separators(kMostFrames) + "; put `// @stepover` on the definition of `" +
                  function.name + "` and run it again");
}

}  // namespace

std::string export_edtrace(const Trace& trace, const EdtraceExport& options) {
  check_depth(trace);
  return Exporter(trace, options).write();
}

}  // namespace lectern
