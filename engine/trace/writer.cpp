#include "trace/writer.h"

#include <array>
#include <string_view>

#include "base/json_text.h"

namespace lectern {
namespace {

/// One record; fields that are empty, zero or false are left out.
class Record {
 public:
  Record(std::string& out, std::string_view kind, std::size_t number) : out_(out) {
    out_ += '{';
    name(kind);
    append_unsigned(out_, number);
  }
  Record(std::string& out, std::string_view kind, std::string_view text) : out_(out) {
    out_ += '{';
    name(kind);
    append_json_string(out_, text);
  }

  Record& index(std::string_view field, int value) {
    if (value < 0) return *this;
    next(field);
    append_integer(out_, value);
    return *this;
  }
  Record& number(std::string_view field, std::int64_t value) {
    if (value == 0) return *this;
    next(field);
    append_integer(out_, value);
    return *this;
  }
  Record& text(std::string_view field, std::string_view value) {
    if (value.empty()) return *this;
    next(field);
    append_json_string(out_, value);
    return *this;
  }
  /// A text that every such record has, empty or not.
  Record& needed(std::string_view field, std::string_view value) {
    next(field);
    append_json_string(out_, value);
    return *this;
  }
  /// What came through a stream: perhaps no UTF-8.
  Record& stream(std::string_view field, std::string_view value) {
    if (value.empty()) return *this;
    next(field);
    append_string_value(out_, value);
    return *this;
  }
  Record& flag(std::string_view field, bool value) {
    if (!value) return *this;
    next(field);
    out_ += "true";
    return *this;
  }
  Record& span(const TextSpan& span) {
    next("span");
    char before = '[';
    for (const int value : {span.line, span.column, span.end_line, span.end_column}) {
      out_ += before;
      append_integer(out_, value);
      before = ',';
    }
    out_ += ']';
    return *this;
  }
  Record& json(std::string_view field, const Json& value) {
    if (value.is_null() || value.empty()) return *this;
    next(field);
    out_ += value.dump();
    return *this;
  }
  Record& unknown(const Json& fields) {
    if (!fields.is_object()) return *this;
    for (const auto& [field, value] : fields.items()) {
      next(field);
      out_ += value.dump();
    }
    return *this;
  }
  /// The members of an object's text.
  Record& members(std::string_view object) {
    if (object.size() > 2) out_.append(",").append(object.substr(1, object.size() - 2));
    return *this;
  }
  Record& lines(const std::vector<std::string>& lines) {
    next("lines");
    out_ += '[';
    for (std::size_t i = 0; i < lines.size(); ++i) {
      out_ += i == 0 ? "\n" : ",\n";
      append_json_string(out_, lines[i]);
    }
    out_ += ']';
    return *this;
  }
  void end() { out_ += "},\n"; }

 private:
  void name(std::string_view field) {
    append_json_string(out_, field);
    out_ += ':';
  }
  void next(std::string_view field) {
    out_ += ',';
    name(field);
  }

  std::string& out_;
};

void write_header(std::string& out, const Trace& trace) {
  out += "{\"format\":";
  append_json_string(out, trace.format);
  out += ",\n\"lecture\":";
  append_json_string(out, trace.lecture);
  if (!trace.profile.is_null()) out += ",\n\"profile\":" + trace.profile.dump();
  if (trace.unknown.is_object()) {
    for (const auto& [field, value] : trace.unknown.items()) {
      out += ",\n";
      append_json_string(out, field);
      out += ":" + value.dump();
    }
  }
  out += ",\n\"records\":[\n";
}

void write_definitions(std::string& out, const Trace& trace) {
  for (std::size_t i = 0; i < trace.sources.size(); ++i) {
    const SourceFile& source = trace.sources[i];
    Record(out, "source", i)
        .needed("path", source.path)
        .text("language", source.language)
        .text("encoding", source.encoding)
        .lines(source.lines)
        .unknown(source.unknown)
        .end();
  }
  for (std::size_t i = 0; i < trace.functions.size(); ++i) {
    const TracedFunction& function = trace.functions[i];
    Record(out, "function", i)
        .needed("name", function.name)
        .index("source", function.source)
        .span(function.span)
        .text("untraced", function.untraced)
        .unknown(function.unknown)
        .end();
  }
  for (std::size_t i = 0; i < trace.sites.size(); ++i) {
    const Site& site = trace.sites[i];
    Record(out, "site", i)
        .index("function", site.function)
        .span(site.span)
        .text("kind", kSiteKinds[static_cast<std::size_t>(site.kind)])
        .flag("hide", site.hide)
        .flag("over", site.over)
        .json("volatile", site.volatile_names)
        .json("tolerance", site.tolerance)
        .unknown(site.unknown)
        .end();
  }
}

void write_stack(std::string& out, const Stack& stack, std::size_t number) {
  Record(out, "stack", number)
      .index("function", stack.function)
      .text("name", stack.name)
      .index("parent", stack.parent)
      .index("call", stack.call)
      .unknown(stack.unknown)
      .end();
}

void write_end(std::string& out, const Trace& trace) {
  if (!trace.complete()) return;
  Record end(out, "end", trace.end.by);
  if (trace.end.signal.empty()) end.index("status", trace.end.status);
  end.text("signal", trace.end.signal)
      .number("steps", static_cast<std::int64_t>(trace.steps.size()))
      .stream("out", trace.end.out)
      .stream("err", trace.end.err)
      .unknown(trace.end.unknown)
      .end();
}

}  // namespace

std::string write_trace(const Trace& trace) {
  std::string out;
  write_header(out, trace);
  write_definitions(out, trace);
  std::size_t stack = 0;
  auto other = trace.others.begin();
  const auto write_others_before = [&](std::size_t step) {
    for (; other != trace.others.end() && other->before <= step; ++other) out += other->json + ",\n";
  };
  for (std::size_t i = 0; i < trace.steps.size(); ++i) {
    const Step& step = trace.steps[i];
    // A stack is defined before its first use.
    for (; stack <= static_cast<std::size_t>(step.stack); ++stack)
      write_stack(out, trace.stacks[stack], stack);
    write_others_before(i);
    Record(out, "at", static_cast<std::size_t>(step.site))
        .index("in", step.stack)
        .number("enter", step.enter)
        .flag("after", step.after)
        .members(step.rest)
        .number("ns", step.ns)
        .end();
  }
  for (; stack < trace.stacks.size(); ++stack) write_stack(out, trace.stacks[stack], stack);
  write_others_before(trace.steps.size());
  write_end(out, trace);
  if (out.ends_with(",\n")) out.replace(out.size() - 2, 1, "");
  return out + "]}\n";
}

}  // namespace lectern
