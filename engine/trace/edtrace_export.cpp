#include "trace/edtrace_export.h"

#include <array>
#include <map>
#include <set>
#include <string_view>
#include <vector>

#include "base/json_text.h"
#include "base/json_view.h"
#include "trace/edtrace_frames.h"
#include "trace/edtrace_import.h"
#include "trace/edtrace_rendering.h"
#include "trace/edtrace_value.h"
#include "trace/writer.h"

namespace lectern {
namespace {

std::size_t index(int number) {
  return static_cast<std::size_t>(number);
}

std::string dumped(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

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

bool has_flag(const SourceFile& source, const char* name) {
  return source.unknown.is_object() && source.unknown.contains(name);
}

class Exporter {
 public:
  Exporter(const Trace& trace, const EdtraceExport& options)
      : trace_(trace),
        later_(options.generation == EdtraceGeneration::later),
        generation_(options.generation),
        exact_(!came_from_edtrace(trace)),
        renderings_(trace, options.generation, options.files_url) {}

  std::string write() {
    add_files();
    if (later_) add_hidden_lines();
    if (!exact_) add_what_was_kept();
    if (exact_) out_ += ",\n\"lectern\":" + definitions();
    out_ += ",\n\"steps\":[\n";
    for (std::size_t i = 0; i < trace_.steps.size(); ++i) {
      if (i > 0) out_ += ",\n";
      add_step(trace_.steps[i]);
    }
    return std::move(out_) + "\n]}\n";
  }

 private:
  void add_files() {
    out_ += "{\"files\":{";
    bool first = true;
    for (const SourceFile& source : trace_.sources) {
      if (has_flag(source, EdtraceFrames::kNotShown)) continue;
      if (!std::exchange(first, false)) out_ += ',';
      append_json_string(out_, source.path);
      std::string contents;
      for (const std::string& line : source.lines) contents.append(line).append("\n");
      if (has_flag(source, EdtraceFrames::kUnterminated) && !contents.empty()) contents.pop_back();
      out_ += ':';
      append_json_string(out_, contents);
    }
    out_ += '}';
  }

  void add_hidden_lines() {
    std::map<std::size_t, std::set<int>> hidden;  // by source
    for (std::size_t i = 0; i < trace_.sources.size(); ++i) {
      if (!has_flag(trace_.sources[i], EdtraceFrames::kNotShown)) hidden[i];
    }
    for (const Site& site : trace_.sites) {
      // A hook's further lines would stay as code below what it renders.
      const bool continues = exact_ && site.kind == SiteKind::hook;
      if (!site.hide && !continues) continue;
      std::set<int>& lines = hidden[index(trace_.functions[index(site.function)].source)];
      const int first = site.hide ? site.span.line : site.span.line + 1;
      const int last = exact_ ? site.span.end_line : site.span.line;
      for (int line = first; line <= last; ++line) lines.insert(line);
    }
    Json lists = Json::object();
    for (const auto& [source, lines] : hidden) lists[trace_.sources[source].path] = lines;
    out_ += ",\n\"hidden_line_numbers\":" + dumped(lists);
  }

  void add_what_was_kept() {
    for (const auto& [name, value] : trace_.unknown[kEdtraceBeside].items()) {
      if (name == "generation") continue;
      out_ += ",\n" + dumped(name) + ":" + dumped(value);
    }
  }

  /// The trace without its steps, and without the text of its files.
  std::string definitions() const {
    Trace definitions;
    definitions.format = trace_.format;
    definitions.lecture = trace_.lecture;
    definitions.profile = trace_.profile;
    definitions.sources = trace_.sources;
    for (SourceFile& source : definitions.sources) source.lines.clear();
    definitions.functions = trace_.functions;
    definitions.sites = trace_.sites;
    definitions.stacks = trace_.stacks;
    definitions.end = trace_.end;
    definitions.unknown = trace_.unknown;
    std::string text = write_trace(definitions);
    text.pop_back();
    return text;
  }

  void add_step(const Step& step) {
    Json details = step.details();
    out_ += "{\"stack\":[" + callers(step.stack) + frame(step.stack, step.site) +
            "],\"env\":" + dumped(environment(details));
    out_ += ",\"renderings\":" + dumped(renderings_.to_edtrace(details.value("show", Json::array())));
    for (const auto& [theirs, ours] : {std::pair("stdout", "out"), std::pair("stderr", "err")}) {
      const std::string text = printed(details, ours);
      if (later_ && text.empty()) continue;
      out_.append(",\"").append(theirs).append("\":");
      append_json_string(out_, text);
    }
    if (const auto kept = details.find(kEdtraceBeside); kept != details.end() && kept->is_object()) {
      for (const auto& [name, value] : kept->items()) out_ += "," + dumped(name) + ":" + dumped(value);
    }
    if (const Json beside = beside_step(step, details); !beside.empty())
      out_ += std::string(",\"") + kOursBeside + "\":" + dumped(beside);
    out_ += '}';
  }

  Json environment(const Json& details) const {
    Json environment = Json::object();
    const Json vars = details.value("vars", Json::object());
    for (const auto& [name, value] : vars.items()) {
      environment[name] = value_to_edtrace(value, generation_);
    }
    for (const Json& name : details.value("clear", Json::array())) {
      if (name.is_string()) environment[name.get<std::string>()] = nullptr;
    }
    return environment;
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
    std::string code;
    if (site != nullptr && site->unknown.is_object()) code = site->unknown.value("code", "");
    if (code.empty() && index(line) <= source.lines.size()) {
      code = source.lines[index(line - 1)];
      code.erase(code.find_last_not_of(" \t\r\f\v") + 1);
      code.erase(0, code.find_first_not_of(" \t\r\f\v"));
    }
    std::string out = "{\"path\":";
    append_json_string(out, source.path);
    out += ",\"line_number\":" + std::to_string(line) + ",\"function_name\":";
    append_json_string(out, stack.name.empty() ? function.name : stack.name);
    out += ",\"code\":";
    append_json_string(out, code);
    return out + "}";
  }

  const Trace& trace_;
  bool later_;
  EdtraceGeneration generation_;
  bool exact_;  // whether the trace's definitions stand beside
  EdtraceRenderings renderings_;
  std::map<int, std::string> callers_;
  std::string out_;
};

}  // namespace

std::string export_edtrace(const Trace& trace, const EdtraceExport& options) {
  return Exporter(trace, options).write();
}

}  // namespace lectern
