#include "edtrace/frames.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include "base/error.h"
#include "edtrace/document.h"
#include "edtrace/json_fields.h"

namespace lectern {
namespace {

std::string language_of(std::string_view path) {
  constexpr std::array<std::string_view, 5> kCpp{".cpp", ".cc", ".cxx", ".h", ".hpp"};
  const std::string_view ending = path.substr(std::min(path.rfind('.'), path.size()));
  if (ending == ".py" || ending == ".pyi") return "python";
  if (ending == ".cu" || ending == ".cuh") return "cuda";
  if (ending == ".c") return "c";
  return std::find(kCpp.begin(), kCpp.end(), ending) == kCpp.end() ? "" : "cpp";
}

/// Where a line's text begins and ends without the blanks around.
std::pair<std::size_t, std::size_t> trimmed(std::string_view line) {
  constexpr std::string_view kBlank = " \t\r\f\v";
  const std::size_t begin = line.find_first_not_of(kBlank);
  if (begin == std::string_view::npos) return {0, 0};
  return {begin, line.find_last_not_of(kBlank) + 1};
}

/// The newline behind the last is left out.
std::vector<std::string> lines_of(std::string_view contents) {
  std::vector<std::string> lines;
  while (!contents.empty()) {
    const std::size_t end = std::min(contents.find('\n'), contents.size());
    lines.emplace_back(contents.substr(0, end));
    contents.remove_prefix(std::min(end + 1, contents.size()));
  }
  return lines;
}

}  // namespace

int EdtraceFrames::line_number(const Json& json) {
  constexpr std::uint64_t kMostLines = 1 << 30;
  if (!json.is_number_unsigned() || json.get<std::uint64_t>() > kMostLines) return 0;
  return json.get<int>();
}

void EdtraceFrames::add_file(std::string path, std::string_view contents) {
  SourceFile source{.path = path, .language = language_of(path), .lines = lines_of(contents)};
  const bool python = source.language == "python";
  outlines_.emplace_back(python ? source.lines : std::vector<std::string>());
  first_functions_.push_back(static_cast<int>(trace_.functions.size()));
  const int number = static_cast<int>(trace_.sources.size());
  for (const PythonOutline::Function& function : outlines_.back().functions()) {
    trace_.functions.push_back({function.name, number, function.span});
  }
  sources_.insert_or_assign(std::move(path), number);
  trace_.sources.push_back(std::move(source));
}

void EdtraceFrames::hide(const std::string& path, int line) {
  hidden_.emplace(std::pair(source_of(path), line), false);
}

int EdtraceFrames::source_of(const std::string& path) {
  const auto found = sources_.find(path);
  if (found != sources_.end()) return found->second;
  add_file(path, {});
  return static_cast<int>(trace_.sources.size()) - 1;
}

EdtraceFrames::Frame EdtraceFrames::frame(const Json& json) {
  const std::string path = text_member(json, "path"), name = text_member(json, "function_name");
  const int line = line_number(part(json, "line_number"));
  if (path.empty()) throw Error("a frame of the stack has no \"path\"");
  if (line == 0) throw Error("a frame of the stack has no \"line_number\" from 1 on");
  const auto [known, is_new] = frames_.try_emplace({path, name, line});
  Frame& frame = known->second;
  if (!is_new) return frame;
  const int source = source_of(path);
  frame.function = function_of(source, name.empty() ? "<unknown>" : name, line);
  frame.site = site_of(source, frame.function, line);
  frame.begins_function = !outlines_[index(source)].functions().empty() &&
                          trace_.functions[index(frame.function)].span.line == line;
  return frame;
}

int EdtraceFrames::function_of(int source, const std::string& name, int line) {
  const int around = outlines_[index(source)].function_around(name, line);
  if (around >= 0) return first_functions_[index(source)] + around;
  const auto [known, is_new] =
      other_functions_.try_emplace({source, name}, static_cast<int>(trace_.functions.size()));
  if (is_new) {
    trace_.functions.push_back({name, source, span_of(source, line)});
  } else {
    include(trace_.functions[index(known->second)].span, source, line);
  }
  return known->second;
}

int EdtraceFrames::site_of(int source, int function, int line) {
  const auto [known, is_new] = sites_.try_emplace({function, line}, static_cast<int>(trace_.sites.size()));
  if (!is_new) return known->second;
  const auto hidden = hidden_.find({source, line});
  if (hidden != hidden_.end()) hidden->second = true;
  add_site(source, function, line, hidden != hidden_.end());
  return known->second;
}

void EdtraceFrames::add_site(int source, int function, int line, bool hide) {
  Site site;
  site.function = function;
  site.span = span_of(source, line);
  if (const auto* const statement = outlines_[index(source)].statement_at(line)) {
    site.span = statement->span;
    site.kind = statement->kind;
  }
  site.hide = hide;
  trace_.sites.push_back(std::move(site));
}

TextSpan EdtraceFrames::span_of(int source, int line) const {
  const std::vector<std::string>& lines = trace_.sources[index(source)].lines;
  const auto [begin, end] =
      index(line) <= lines.size() ? trimmed(lines[index(line - 1)]) : std::pair<std::size_t, std::size_t>();
  return {line, static_cast<int>(begin) + 1, line, static_cast<int>(end) + 1};
}

void EdtraceFrames::include(TextSpan& span, int source, int line) const {
  const TextSpan of_line = span_of(source, line);
  if (line < span.line) {
    span.line = line;
    span.column = of_line.column;
  }
  if (line > span.end_line) {
    span.end_line = line;
    span.end_column = of_line.end_column;
  }
}

int EdtraceFrames::stack(const std::vector<Frame>& frames) {
  int parent = -1, call = -1, depth = 0;
  for (const Frame& frame : frames) {
    ++depth;
    const auto [known, is_new] =
        stacks_.try_emplace({parent, call, frame.function}, static_cast<int>(trace_.stacks.size()));
    if (is_new) trace_.stacks.push_back({frame.function, {}, parent, call, depth});
    parent = known->second;
    call = frame.site;
  }
  return parent;
}

void EdtraceFrames::finish() {
  for (const auto& [at, has_site] : hidden_) {
    if (has_site) continue;
    const auto [source, line] = at;
    // Of the function above, or the file's first, or one of its own.
    int function = -1;
    for (std::size_t i = 0; i < trace_.functions.size(); ++i) {
      const TracedFunction& known = trace_.functions[i];
      if (known.source == source && (function < 0 || known.span.line <= line)) function = static_cast<int>(i);
    }
    if (function < 0) function = function_of(source, "<module>", line);
    add_site(source, function, line, true);
  }
}

}  // namespace lectern
