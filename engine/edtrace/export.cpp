#include "edtrace/export.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "base/characters.h"
#include "base/path_url.h"
#include "edtrace/layout.h"
#include "edtrace/markdown.h"
#include "edtrace/value.h"
#include "trace/code_place.h"
#include "trace/end_message.h"
#include "trace/reference_label.h"
#include "trace/scopes.h"

namespace lectern {
namespace {

Json edtrace_rendering(std::string_view type, Json data) {
  return {{"type", type},
          {"data", std::move(data)},
          {"style", Json::object()},
          {"external_link", nullptr},
          {"internal_link", nullptr}};
}

/// With a blank before it, since the viewer itself leaves no space between the renderings of a line.
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

/// Below what stands before it.
void append_block(Json& list, const std::string& markdown) {
  append_spaced(list, edtrace_rendering("markdown", markdown));
  list.back()["style"]["display"] = "block";
}

class Exporter {
 public:
  Exporter(const Trace& trace, const EdtraceExport& options)
      : trace_(trace),
        options_(options),
        later_(options.generation == EdtraceGeneration::later),
        files_(edtrace_files(trace, options.generation)),
        repeated_(repeated_steps(trace)),
        left_(left_variables(trace)) {}

  std::string write() const {
    Json files = Json::object(), hidden = Json::object();
    for (std::size_t i = 0; i < files_.size(); ++i) {
      std::string text;
      for (const std::string& line : files_[i].lines) text.append(line).append("\n");
      files[trace_.sources[i].path] = std::move(text);
      hidden[trace_.sources[i].path] = files_[i].hidden;
    }
    std::string out = "{\"files\":" + json_text(files);
    if (later_) out += ",\n\"hidden_line_numbers\":" + json_text(hidden);
    out += ",\n\"steps\":[\n";
    for (std::size_t i = 0; i < trace_.steps.size(); ++i) out += (i > 0 ? ",\n" : "") + json_text(step(i));
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
    const auto left = left_.find(static_cast<int>(number));
    if (later_ && left != left_.end()) {
      for (const auto& [name, outer] : left->second) {
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
    if (const auto found = repeated_.find(number); found != repeated_.end()) {
      for (const std::size_t before : found->second)
        add_renderings(list, trace_.steps[before], trace_.steps[before].details());
    }
    add_renderings(list, trace_.steps[number], details);
    if (number + 1 == trace_.steps.size()) add_end(list, trace_.steps[number]);
    return list;
  }

  /// What a reader is to see. Viewers of 2025 know neither hidden lines nor notes.
  void add_renderings(Json& list, const Step& step, const StepDetails& details) const {
    if (!later_ && trace_.sites[index(step.site)].hide) return;
    for (const Rendering& rendering : details.show) {
      if (later_ || rendering.as<rendering::Note>() == nullptr) append(list, rendering);
    }
  }

  /// A rendering, and its caption as a second one.
  void append(Json& list, const Rendering& rendering) const {
    append_spaced(list, write(rendering));
    const auto append_caption = [&](const auto& form) {
      if constexpr (requires { form.caption; }) {
        if (!form.caption.empty()) append_block(list, for_edtrace_viewer(form.caption));
      }
    };
    std::visit(append_caption, rendering.form);
  }

  /// As Markdown what the viewer has no kind for.
  Json write(const Rendering& rendering) const {
    if (const auto* const link = rendering.as<rendering::Link>()) return write_link(*link);
    if (const auto* const image = rendering.as<rendering::Image>()) return write_medium(*image);
    if (const auto* const video = rendering.as<rendering::Video>()) return write_medium(*video);
    if (const auto* const note = rendering.as<rendering::Note>())
      return edtrace_rendering("note", note->markdown);
    const auto* const plot = rendering.as<rendering::Plot>();
    if (later_ && plot != nullptr && !plot->spec.empty())
      return edtrace_rendering("plot", Json::parse(plot->spec.text));
    return edtrace_rendering("markdown", edtrace_markdown(rendering));
  }

  template <typename Medium>
  Json write_medium(const Medium& medium) const {
    const std::string folder = options_.files.contains(medium.src) ? options_.files_url : "";
    Json made = edtrace_rendering(Medium::kKind, folder + path_url(medium.src));
    if (medium.width > 0) made["style"]["width"] = medium.width;
    return made;
  }

  Json write_link(const rendering::Link& link) const {
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

  /// The line's code comes with it, since renderings stand instead of their line.
  void add_end(Json& list, const Step& step) const {
    const std::string message = end_message(trace_);
    if (message.empty()) return;
    const Site& site = trace_.sites[index(step.site)];
    const std::string code = code_at(trace_.functions[index(site.function)].source, site.span.line);
    const bool alone = list.empty() && !code.empty();
    append_block(list, fenced((alone ? code + "\n" : "") + message));
  }

  /// The frames, outermost first.
  std::vector<Json> stack(const Step& step) const {
    std::vector<Json> frames;
    for (int number = step.stack, site = step.site; number >= 0;) {
      const Stack& stack = trace_.stacks[index(number)];
      frames.push_back(frame(stack, site));
      number = stack.parent;
      site = stack.call;
    }
    std::reverse(frames.begin(), frames.end());
    return frames;
  }

  Json frame(const Stack& stack, int site) const {
    const TracedFunction& function = trace_.functions[index(stack.function)];
    const int line = (site < 0 ? function.span : trace_.sites[index(site)].span).line;
    return {{"path", trace_.sources[index(function.source)].path},
            {"line_number", std::int64_t{line} + files_[index(function.source)].before},
            {"function_name", stack.name.empty() ? function.name : stack.name},
            {"code", code_at(function.source, line)}};
  }

  std::string code_at(int source, int line) const {
    const SourceLines& lines = trace_.sources[index(source)].lines;
    if (line < 1 || index(line) > lines.size()) return {};
    return std::string(trim(lines[index(line - 1)]));
  }

  const Trace& trace_;
  const EdtraceExport& options_;
  bool later_;
  std::vector<EdtraceFile> files_;  // by source
  std::map<std::size_t, std::vector<std::size_t>> repeated_;
  std::map<int, std::vector<LeftVariable>> left_;
};

}  // namespace

std::string export_edtrace(const Trace& trace, const EdtraceExport& options) {
  return Exporter(trace, options).write();
}

}  // namespace lectern
