#include "site/trace_builder.h"

#include <algorithm>
#include <stdexcept>

#include "site/page.h"

namespace lectern::test {

TraceBuilder::TraceBuilder(std::string_view source, const std::string& language) : source_(source) {
  trace.format = "lectern-trace/1";
  trace.lecture = "example";
  trace.profile = Profile();
  trace.end.by = "return";
  SourceFile file{"example.cpp", language, {}};
  for (std::size_t at = 0; at < source_.size();) {
    const std::size_t end = std::min(source_.find('\n', at), source_.size());
    file.lines.push_back(source_.substr(at, end - at));
    at = end + 1;
  }
  trace.sources.push_back(file);
  trace.functions.push_back({"main", 0, span_of(0, source_.size()), {}});
  trace.stacks.push_back({});
}

TextSpan TraceBuilder::span_of(std::size_t begin, std::size_t end) const {
  const auto place = [this](std::size_t at, int& line, int& column) {
    const std::string before = source_.substr(0, at);
    line = static_cast<int>(std::count(before.begin(), before.end(), '\n')) + 1;
    const std::size_t newline = before.rfind('\n');
    column = static_cast<int>(newline == std::string::npos ? at : at - newline - 1) + 1;
  };
  TextSpan span;
  place(begin, span.line, span.column);
  place(end, span.end_line, span.end_column);
  return span;
}

int TraceBuilder::function(std::string_view begin, std::string_view end, const std::string& name) {
  const std::size_t from = source_.find(begin);
  const std::size_t to = source_.find(end, from) + end.size();
  trace.functions.push_back({name, 0, span_of(from, to), {}});
  return static_cast<int>(trace.functions.size()) - 1;
}

int TraceBuilder::site(std::string_view text, SiteKind kind, bool hide, int occurrence) {
  std::size_t begin = source_.find(text);
  for (int i = 1; i < occurrence; ++i) begin = source_.find(text, begin + 1);
  if (begin == std::string::npos) throw std::logic_error("no such statement: " + std::string(text));
  Site made;
  made.span = span_of(begin, begin + text.size());
  made.kind = kind;
  made.hide = hide;
  for (std::size_t f = 1; f < trace.functions.size(); ++f) {
    const TextSpan& span = trace.functions[f].span;
    if (span.line <= made.span.line && made.span.end_line <= span.end_line)
      made.function = static_cast<int>(f);
  }
  trace.sites.push_back(made);
  return static_cast<int>(trace.sites.size()) - 1;
}

TraceBuilder& TraceBuilder::step(int site, const std::string& details) {
  Step made;
  made.site = site;
  made.text = details;
  trace.steps.push_back(made);
  return *this;
}

TraceBuilder& TraceBuilder::hook(std::string_view text, const std::string& show) {
  return step(site(text, SiteKind::hook), R"({"show":)" + show + "}");
}

Page::Page(const Trace& of, std::map<std::string, std::filesystem::path> files)
    : trace(of),
      assets(std::move(files)),
      renderings(trace, assets, math),
      steps(render_steps(trace, renderings)),
      body(lecture_body(trace, steps)) {}

std::string Page::row(const std::string& id) const {
  const std::size_t at = body.find(" id=\"" + id + "\"");
  if (at == std::string::npos) return {};
  const std::size_t begin = body.rfind("<div class=\"row", at);
  return body.substr(begin, body.find("\n<div class=\"row", at) - begin);
}

}  // namespace lectern::test
