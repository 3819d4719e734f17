#include "edtrace/export.h"

#include <map>
#include <utility>
#include <vector>

#include "base/json_text.h"
#include "edtrace/layout.h"
#include "edtrace/markdown.h"
#include "edtrace/rendering.h"
#include "edtrace/repeats.h"
#include "edtrace/value.h"
#include "trace/encode.h"
#include "trace/end_message.h"

namespace lectern {
namespace {

class Exporter {
 public:
  Exporter(const Trace& trace, const EdtraceExport& options)
      : trace_(trace),
        generation_(options.generation),
        later_(generation_ == EdtraceGeneration::later),
        files_(edtrace_files(trace, generation_)),
        repeated_(repeated_steps(trace)),
        renderings_(trace, options, files_) {}

  std::string write() {
    Members<std::string> contents;
    Members<std::vector<int>> hidden;
    for (std::size_t i = 0; i < files_.size(); ++i) {
      std::string& text = contents.emplace_back(trace_.sources[i].path, "").second;
      for (const std::string& line : files_[i].lines) text.append(line).append("\n");
      hidden.emplace_back(trace_.sources[i].path,
                          std::vector<int>(files_[i].hidden.begin(), files_[i].hidden.end()));
    }
    out_ = "{\"files\":" + to_json(contents);
    if (later_) out_ += ",\n\"hidden_line_numbers\":" + to_json(hidden);
    out_ += ",\n\"steps\":[\n";
    for (std::size_t i = 0; i < trace_.steps.size(); ++i) {
      if (i > 0) out_ += ",\n";
      add_step(i);
    }
    return std::move(out_) + "\n]}\n";
  }

 private:
  void add_step(std::size_t number) {
    const Step& step = trace_.steps[number];
    const StepDetails details = step.details();
    out_ += "{\"stack\":[" + callers(step.stack) + frame(step.stack, step.site) + "],\"env\":{";
    add_environment(details);
    out_ += "},\"renderings\":" +
            renderings(number, details).dump(-1, ' ', false, Json::error_handler_t::replace);
    add_printed("stdout", details.out);
    add_printed("stderr", details.err);
    out_ += '}';
  }

  void add_printed(const char* name, const Printed& printed) {
    if (later_ && printed.empty()) return;
    out_.append(",\"").append(name).append("\":");
    append_json_string(out_, printed.bytes);
  }

  void add_environment(const StepDetails& details) {
    const auto add = [this](const std::string& name, const std::string& value) {
      if (out_.back() != '{') out_ += ',';
      append_json_string(out_, name);
      out_.append(":").append(value);
    };
    for (const auto& [name, value] : details.vars) add(name, value_to_edtrace(value, generation_));
    if (!later_) return;
    for (const std::string& name : details.clear) add(name, "null");
  }

  /// What a reader is to see. Viewers of 2025 know neither hidden lines nor notes.
  void add_renderings(Json& list, const Step& step, const StepDetails& details) const {
    if (!later_ && trace_.sites[index(step.site)].hide) return;
    for (const Rendering& rendering : details.show) {
      if (later_ || !is_note(rendering)) renderings_.append(list, rendering);
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
    return EdtraceRenderings::with_blanks_between(std::move(list));
  }

  /// The line's code comes with it, since renderings stand instead of their line.
  void add_end(Json& list, const Step& step) const {
    const std::string message = end_message(trace_);
    if (message.empty()) return;
    const Site& site = trace_.sites[index(step.site)];
    const std::string code = line_of(trace_.functions[index(site.function)].source, site.span.line);
    if (list.empty() && !code.empty()) list.push_back(EdtraceRenderings::markdown(fenced(code)));
    list.push_back(EdtraceRenderings::markdown("**Ended:** " + literal_markdown(message)));
    list.back()["style"]["display"] = "block";
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

  std::string frame(int number, int site) const {
    const Stack& stack = trace_.stacks[index(number)];
    const TracedFunction& function = trace_.functions[index(stack.function)];
    const int line = (site < 0 ? function.span : trace_.sites[index(site)].span).line;
    std::string out = "{\"path\":";
    append_json_string(out, trace_.sources[index(function.source)].path);
    out += ",\"line_number\":" + std::to_string(std::int64_t{line} + files_[index(function.source)].before) +
           ",\"function_name\":";
    append_json_string(out, stack.name.empty() ? function.name : stack.name);
    out += ",\"code\":";
    append_json_string(out, line_of(function.source, line));
    return out + "}";
  }

  /// Without the blanks around it.
  std::string line_of(int source, int line) const {
    constexpr const char* kBlank = " \t\r\f\v";
    const SourceLines& lines = trace_.sources[index(source)].lines;
    if (line < 1 || index(line) > lines.size()) return {};
    std::string text = lines[index(line - 1)];
    text.erase(text.find_last_not_of(kBlank) + 1);
    text.erase(0, text.find_first_not_of(kBlank));
    return text;
  }

  const Trace& trace_;
  EdtraceGeneration generation_;
  bool later_;
  std::vector<EdtraceFile> files_;  // by source
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
