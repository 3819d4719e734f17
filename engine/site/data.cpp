#include "site/data.h"

#include <array>

#include "base/html.h"
#include "trace/identity.h"

namespace lectern {
namespace {

constexpr std::array<std::string_view, 8> kKinds = {"",      "hook",   "claim", "return",
                                                    "throw", "branch", "loop",  "jump"};

/// JSON as text, with the commas where they belong.
class Writer {
 public:
  explicit Writer(std::string& out) : out_(out) {}

  void open(char bracket) {
    comma();
    out_ += bracket;
    first_ = true;
  }
  void close(char bracket) {
    out_ += bracket;
    first_ = false;
  }
  void key(std::string_view name) {
    comma();
    append_script_string(out_, name);
    out_ += ':';
    first_ = true;
  }
  void number(std::int64_t value) {
    comma();
    out_ += std::to_string(value);
  }
  void string(std::string_view text) {
    comma();
    append_script_string(out_, text);
  }
  /// A list or table of the document, on a line of its own.
  void section(std::string_view name, char bracket) {
    out_ += first_ ? "\n" : ",\n";
    first_ = true;
    key(name);
    open(bracket);
  }

 private:
  void comma() {
    if (!first_) out_ += ',';
    first_ = false;
  }

  std::string& out_;
  bool first_ = true;
};

void write_tables(Writer& json, const Trace& trace) {
  json.section("sources", '[');
  for (const SourceFile& source : trace.sources) json.string(with_pictures(source.path));
  json.close(']');
  json.section("functions", '[');
  for (const TracedFunction& function : trace.functions) {
    json.open('[');
    json.string(with_pictures(function.name));
    json.number(function.source);
    json.number(function.span.line);
    json.number(function.span.end_line);
    json.close(']');
  }
  json.close(']');
  json.section("sites", '[');
  const std::vector<std::string> identities = site_identities(trace);
  for (std::size_t i = 0; i < trace.sites.size(); ++i) {
    const Site& site = trace.sites[i];
    json.open('[');
    json.number(trace.functions[static_cast<std::size_t>(site.function)].source);
    json.number(site.span.line);
    json.number(site.span.end_line);
    json.number(site.function);
    json.string(kKinds[static_cast<std::size_t>(site.kind)]);
    json.string(identities[i]);
    json.close(']');
  }
  json.close(']');
  json.section("stacks", '[');
  for (const Stack& stack : trace.stacks) {
    json.open('[');
    json.number(stack.parent);
    json.number(stack.call);
    json.number(stack.function);
    json.string(with_pictures(
        stack.name.empty() ? trace.functions[static_cast<std::size_t>(stack.function)].name : stack.name));
    json.close(']');
  }
  json.close(']');
}

void write_columns(Writer& json, const Trace& trace) {
  json.section("at", '[');
  for (const Step& step : trace.steps) json.number(step.site);
  json.close(']');
  json.section("in", '[');
  for (const Step& step : trace.steps) json.number(step.stack);
  json.close(']');
  json.section("enter", '{');
  for (std::size_t i = 0; i < trace.steps.size(); ++i) {
    if (trace.steps[i].enter == 0) continue;
    json.key(std::to_string(i));
    json.number(trace.steps[i].enter);
  }
  json.close('}');
  json.section("after", '[');
  for (std::size_t i = 0; i < trace.steps.size(); ++i) {
    if (trace.steps[i].after) json.number(static_cast<std::int64_t>(i));
  }
  json.close(']');
}

void write_numbers(Writer& json, std::string_view name, const std::vector<std::pair<int, int>>& numbers) {
  json.section(name, '{');
  for (const auto& [step, number] : numbers) {
    json.key(std::to_string(step));
    json.number(number);
  }
  json.close('}');
}

void write_changes(Writer& json, const RenderedSteps& steps) {
  json.section("vars", '{');
  for (const auto& [step, bindings] : steps.vars) {
    json.key(std::to_string(step));
    json.open('[');
    for (const auto& [name, value] : bindings) {
      json.open('[');
      json.string(with_pictures(name));
      json.number(value);
      json.close(']');
    }
    json.close(']');
  }
  json.close('}');
  json.section("clear", '{');
  for (const auto& [step, names] : steps.clear) {
    json.key(std::to_string(step));
    json.open('[');
    for (const std::string& name : names) json.string(with_pictures(name));
    json.close(']');
  }
  json.close('}');
  write_numbers(json, "show", steps.show);
  write_numbers(json, "claims", steps.claims);
  write_numbers(json, "out", steps.out);
}

}  // namespace

std::string page_data(const Trace& trace, const RenderedSteps& steps) {
  std::string out = "lectern(";
  Writer json(out);
  json.open('{');
  json.key("lecture");
  json.string(trace.lecture);
  write_tables(json, trace);
  write_columns(json, trace);
  write_changes(json, steps);
  json.key("ended");
  json.number(steps.ended);
  json.section("values", '[');
  for (const NumberedValue& value : steps.values) {
    json.open('[');
    json.string(with_pictures(value.type));
    json.string(with_pictures(value.text));
    json.number(value.html);
    json.close(']');
  }
  json.close(']');
  json.section("html", '[');
  for (const std::string& html : steps.html.all()) json.string(html);
  json.close(']');
  json.close('}');
  out += ");\n";
  return out;
}

}  // namespace lectern
