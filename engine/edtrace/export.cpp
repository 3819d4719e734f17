#include "edtrace/export.h"

#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/json_text.h"
#include "base/json_view.h"
#include "edtrace/frames.h"
#include "edtrace/import.h"
#include "edtrace/layout.h"
#include "edtrace/markdown.h"
#include "edtrace/rendering.h"
#include "edtrace/repeats.h"
#include "edtrace/value.h"
#include "trace/end_message.h"
#include "trace/json_fields.h"
#include "trace/writer.h"

namespace lectern {
namespace {

/// What was printed, as text: bytes that are not UTF-8 become U+FFFD.
std::string printed(const Json& details, const char* name) {
  const auto found = details.find(name);
  if (found == details.end()) return {};
  if (found->is_string()) return found->get<std::string>();
  const std::string digits = found->is_object() ? found->value("bytes", "") : "";
  std::string bytes;
  for (std::size_t at = 0; at + 1 < digits.size(); at += 2) {
    bytes += static_cast<char>(std::strtol(digits.substr(at, 2).c_str(), nullptr, 16));
  }
  std::string text;
  append_json_string(text, bytes);  // replaces what is no UTF-8
  return json_string(text);
}

std::string without_blanks_around(std::string text) {
  text.erase(text.find_last_not_of(" \t\r\f\v") + 1);
  text.erase(0, text.find_first_not_of(" \t\r\f\v"));
  return text;
}

bool reads_back(const Json& theirs, const Json& ours) {
  try {
    return value_from_edtrace(edtrace_text(theirs)) == ours.dump();
  } catch (const Error&) {
    return false;  // nested too deep
  }
}

bool has_flag(const SourceFile& source, const char* name) {
  return json_of(source.unknown).contains(name);
}

class Exporter {
 public:
  Exporter(const Trace& trace, const EdtraceExport& options)
      : trace_(trace),
        later_(options.generation == EdtraceGeneration::later),
        generation_(options.generation),
        exact_(!came_from_edtrace(trace)),
        renderings_(trace, options.generation, options.files_url, lines_before_, options.moved_files) {
    if (!exact_) from_2025_ = text_member(json_of(trace.unknown)[kEdtraceBeside], "generation") == "2025";
    if (!exact_) return;
    files_ = edtrace_files(trace, options.generation);
    for (const EdtraceFile& file : files_) lines_before_.push_back(file.before);
    repeated_ = repeated_steps(trace);
  }

  std::string write() {
    add_files();
    if (later_) add_hidden_lines();
    if (!exact_) add_what_was_kept();
    if (exact_) out_ += ",\n\"lectern\":" + definitions();
    out_ += ",\n\"steps\":[\n";
    for (std::size_t i = 0; i < trace_.steps.size(); ++i) {
      if (i > 0) out_ += ",\n";
      add_step(i);
    }
    return std::move(out_) + "\n]}\n";
  }

 private:
  void add_files() {
    out_ += "{\"files\":{";
    bool first = true;
    for (std::size_t i = 0; i < trace_.sources.size(); ++i) {
      const SourceFile& source = trace_.sources[i];
      if (has_flag(source, EdtraceFrames::kNotShown)) continue;
      if (!std::exchange(first, false)) out_ += ',';
      append_json_string(out_, source.path);
      std::string contents;
      for (const std::string& line : exact_ ? SourceLines(files_[i].lines) : source.lines) {
        contents.append(line).append("\n");
      }
      if (has_flag(source, EdtraceFrames::kUnterminated) && !contents.empty()) contents.pop_back();
      out_ += ':';
      append_json_string(out_, contents);
    }
    out_ += '}';
  }

  void add_hidden_lines() {
    std::vector<std::set<int>> hidden(trace_.sources.size());
    for (std::size_t i = 0; i < files_.size(); ++i) hidden[i] = files_[i].hidden;
    for (const Site& site : trace_.sites) {
      if (!exact_ && site.hide)
        hidden[index(trace_.functions[index(site.function)].source)].insert(site.span.line);
    }
    Json lists = Json::object();
    for (std::size_t i = 0; i < hidden.size(); ++i) {
      const bool listed = !has_flag(trace_.sources[i], EdtraceFrames::kNotShown) || !hidden[i].empty();
      if (listed) lists[trace_.sources[i].path] = hidden[i];
    }
    out_ += ",\n\"hidden_line_numbers\":" + edtrace_text(lists);
  }

  void add_what_was_kept() {
    const Json unknown = json_of(trace_.unknown);
    for (const auto& [name, value] : unknown[kEdtraceBeside].items()) {
      if (name == "generation") continue;
      out_ += ",\n" + edtrace_text(name) + ":" + edtrace_text(value);
    }
  }

  /// The trace without its steps, and without the text of its files.
  std::string definitions() const {
    Trace definitions;
    definitions.format = trace_.format;
    definitions.lecture = trace_.lecture;
    definitions.profile = trace_.profile;
    definitions.sources = trace_.sources;
    for (std::size_t i = 0; i < definitions.sources.size(); ++i) {
      SourceFile& source = definitions.sources[i];
      if (Json changes = changes_of(files_[i], source); !changes.is_null()) {
        Json unknown = json_of(source.unknown);
        unknown[kEdtraceBeside] = std::move(changes);
        source.unknown = text_of_json(unknown);
      }
      source.lines.clear();
    }
    definitions.functions = trace_.functions;
    definitions.sites = trace_.sites;
    definitions.stacks = trace_.stacks;
    definitions.end = trace_.end;
    definitions.unknown = trace_.unknown;
    std::string text = write_trace(definitions);
    text.pop_back();
    return text;
  }

  void add_step(std::size_t number) {
    const Step& step = trace_.steps[number];
    const Json details = step_json(step);
    Json beside = beside_step(step, details);
    out_ += "{\"stack\":[" + callers(step.stack) + frame(step.stack, step.site) +
            "],\"env\":" + edtrace_text(environment(details, beside));
    out_ += ",\"renderings\":" + edtrace_text(renderings(number, details, beside));
    for (const auto& [theirs, ours] : {std::pair("stdout", "out"), std::pair("stderr", "err")}) {
      const std::string text = printed(details, ours);
      if (later_ && text.empty()) continue;
      out_.append(",\"").append(theirs).append("\":");
      append_json_string(out_, text);
    }
    if (const auto kept = details.find(kEdtraceBeside); kept != details.end() && kept->is_object()) {
      for (const auto& [name, value] : kept->items())
        out_ += "," + edtrace_text(name) + ":" + edtrace_text(value);
    }
    if (!beside.empty()) out_ += std::string(",\"") + kOursBeside + "\":" + edtrace_text(beside);
    out_ += '}';
  }

  /// What the step's environment does not say goes beside.
  Json environment(const Json& details, Json& beside) const {
    Json environment = Json::object();
    const Json vars = details.value("vars", Json::object());
    for (const auto& [name, value] : vars.items()) {
      Json theirs = value_to_edtrace(value, generation_);
      if (exact_ && !later_ && !reads_back(theirs, value)) beside["vars"][name] = value;
      environment[name] = std::move(theirs);
    }
    const Json clear = details.value("clear", Json::array());
    if (!later_ && !clear.empty()) beside["clear"] = clear;
    for (const Json& name : clear) {
      if (later_ && name.is_string()) environment[name.get<std::string>()] = nullptr;
    }
    return environment;
  }

  /// The renderings that a reader is to see; the others, with their places, are put into `hidden`.
  Json seen(const Step& step, const Json& details, Json& hidden) const {
    const Json show = details.value("show", Json::array());
    if (later_ || from_2025_) return show;
    const bool hide = trace_.sites[index(step.site)].hide;
    Json list = Json::array();
    std::size_t place = 0;
    for (const Json& rendering : show) {
      if (hide || is_note(rendering)) {
        hidden.push_back(Json::array({place, rendering}));
      } else {
        list.push_back(rendering);
      }
      ++place;
    }
    return list;
  }

  Json renderings(std::size_t number, const Json& details, Json& beside) const {
    const Step& step = trace_.steps[number];
    Json hidden = Json::array();
    Json own = renderings_.to_edtrace(seen(step, details, hidden));
    if (!hidden.empty()) beside["hidden"] = std::move(hidden);
    if (!exact_) return own;
    Json list = repeated(number);
    for (Json& theirs : own) list.push_back(std::move(theirs));
    if (number + 1 == trace_.steps.size()) add_end(step, list);
    return EdtraceRenderings::with_blanks_between(std::move(list));
  }

  Json repeated(std::size_t number) const {
    Json list = Json::array();
    const auto found = repeated_.find(number);
    if (found == repeated_.end()) return list;
    for (const std::size_t before : found->second) {
      const Step& step = trace_.steps[before];
      Json hidden = Json::array();
      for (Json& theirs : renderings_.to_edtrace(seen(step, step_json(step), hidden))) {
        theirs[kOursBeside] = kAddedForViewer;
        list.push_back(std::move(theirs));
      }
    }
    return list;
  }

  /// The line's code comes with it, since renderings stand instead of their line.
  void add_end(const Step& step, Json& list) const {
    const std::string message = end_message(trace_);
    if (message.empty()) return;
    const std::string code = code_of(trace_.sites[index(step.site)]);
    if (list.empty() && !code.empty()) list.push_back(EdtraceRenderings::added(fenced(code)));
    list.push_back(EdtraceRenderings::added("**Ended:** " + literal_markdown(message)));
    list.back()["style"]["display"] = "block";
  }

  /// What edtrace's step does not say.
  Json beside_step(const Step& step, const Json& details) const {
    Json beside = Json::object();
    if (exact_) {
      beside["at"] = step.site;
      beside["in"] = step.stack;
      if (step.enter > 0) beside["enter"] = step.enter;
      if (step.after) beside["after"] = true;
    }
    for (const auto& [name, value] : details.items()) {
      const bool said = name == "show" || name == "vars" || name == "clear" || name == kEdtraceBeside ||
                        ((name == "out" || name == "err") && value.is_string());
      if (!said) beside[name] = value;
    }
    if (step.ns > 0) beside["ns"] = step.ns;
    return beside;
  }

  /// The frames around a stack's innermost one, each with a comma behind.
  const std::string& callers(int number) {
    const auto known = callers_.find(number);
    if (known != callers_.end()) return known->second;
    const Stack& stack = trace_.stacks[index(number)];
    std::string text;
    if (stack.parent >= 0) text = callers(stack.parent) + frame(stack.parent, stack.call) + ",";
    return callers_[number] = std::move(text);
  }

  std::string frame(int number, int site_number) const {
    const Stack& stack = trace_.stacks[index(number)];
    const TracedFunction& function = trace_.functions[index(stack.function)];
    const SourceFile& source = trace_.sources[index(function.source)];
    const Site* const site = site_number < 0 ? nullptr : &trace_.sites[index(site_number)];
    const int line = site == nullptr ? function.span.line : site->span.line;
    const int before = exact_ ? lines_before_[index(function.source)] : 0;
    std::string out = "{\"path\":";
    append_json_string(out, source.path);
    out += ",\"line_number\":" + std::to_string(std::int64_t{line} + before) + ",\"function_name\":";
    append_json_string(out, stack.name.empty() ? function.name : stack.name);
    out += ",\"code\":";
    append_json_string(out, site == nullptr ? line_of(source, line) : code_of(*site));
    return out + "}";
  }

  static std::string line_of(const SourceFile& source, int line) {
    if (line < 1 || index(line) > source.lines.size()) return {};
    return without_blanks_around(source.lines[index(line - 1)]);
  }

  /// The text of the line at which the statement begins.
  std::string code_of(const Site& site) const {
    std::string code;
    if (!site.unknown.empty()) code = json_of(site.unknown).value("code", "");
    if (!code.empty()) return code;
    return line_of(trace_.sources[index(trace_.functions[index(site.function)].source)], site.span.line);
  }

  const Trace& trace_;
  bool later_;
  EdtraceGeneration generation_;
  bool exact_;                      // whether the trace's definitions stand beside
  bool from_2025_ = false;          // its notes were seen there already
  std::vector<EdtraceFile> files_;  // by source, as are the lines before; none when not exact
  std::vector<int> lines_before_;
  std::map<std::size_t, std::vector<std::size_t>> repeated_;
  EdtraceRenderings renderings_;
  std::map<int, std::string> callers_;
  std::string out_;
};

}  // namespace

std::string export_edtrace(const Trace& trace, const EdtraceExport& options) {
  return Exporter(trace, options).write();
}

}  // namespace lectern
