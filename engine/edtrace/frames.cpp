#include "edtrace/frames.h"

#include "base/characters.h"
#include "base/error.h"
#include "base/lines.h"

namespace lectern {
namespace {

/// The newline that ends the last is no line.
std::vector<std::string> lines_of(std::string_view contents) {
  std::vector<std::string> lines;
  while (!contents.empty()) lines.emplace_back(take_line(contents));
  return lines;
}

}  // namespace

int EdtraceFrames::add_file(const std::string& path, std::string_view contents) {
  const auto number = static_cast<int>(trace_.sources.size());
  const bool python = path.ends_with(".py");
  outlines_.push_back(python ? PythonOutline(contents) : PythonOutline());
  for (const PythonOutline::Function& function : outlines_.back().functions)
    trace_.functions.push_back({function.name, number, function.span});
  trace_.sources.push_back({.path = path, .language = python ? "python" : "", .lines = lines_of(contents)});
  return sources_[path] = number;
}

void EdtraceFrames::hide(const std::string& path, int line) {
  hidden_.emplace(std::pair(source_of(path), line), false);
}

int EdtraceFrames::source_of(const std::string& path) {
  const auto found = sources_.find(path);
  return found != sources_.end() ? found->second : add_file(path, {});
}

EdtraceFrames::Frame EdtraceFrames::frame(JsonElement json) {
  const std::string path = text_member(json, "path"), name = text_member(json, "function_name");
  const int line = line_number(json["line_number"]);
  if (path.empty()) throw Error("a frame of the stack has no \"path\"");
  if (line == 0) throw Error("a frame of the stack has no \"line_number\" from 1 on");
  const auto [known, is_new] = frames_.try_emplace({path, name, line});
  Frame& frame = known->second;
  if (!is_new) return frame;
  const int source = source_of(path);
  frame.function = function_of(source, name.empty() ? "<unknown>" : name, line);
  frame.site = add_site(source, frame.function, line);
  frame.begins_function = !outlines_[index(source)].functions.empty() &&
                          trace_.functions[index(frame.function)].span.line == line;
  return frame;
}

/// The innermost function of this name around the line, or one that no outline has.
int EdtraceFrames::function_of(int source, const std::string& name, int line) {
  for (std::size_t i = trace_.functions.size(); i-- > 0;) {
    const TracedFunction& function = trace_.functions[i];
    if (function.source == source && function.name == name && function.span.line <= line &&
        line <= function.span.end_line)
      return static_cast<int>(i);
  }
  const auto [known, is_new] =
      other_functions_.try_emplace({source, name}, static_cast<int>(trace_.functions.size()));
  if (is_new) trace_.functions.push_back({name, source, span_of(source, line)});
  return known->second;
}

int EdtraceFrames::add_site(int source, int function, int line) {
  Site site{.function = function, .span = span_of(source, line)};
  if (const auto* const statement = outlines_[index(source)].statement_at(line)) {
    site.span = statement->span;
    site.kind = statement->kind;
  }
  if (const auto hidden = hidden_.find({source, line}); hidden != hidden_.end())
    site.hide = hidden->second = true;
  trace_.sites.push_back(std::move(site));
  return static_cast<int>(trace_.sites.size()) - 1;
}

TextSpan EdtraceFrames::span_of(int source, int line) const {
  const std::vector<std::string>& lines = trace_.sources[index(source)].lines;
  const std::string_view whole = index(line) <= lines.size() ? lines[index(line - 1)] : std::string_view();
  const std::string_view text = trim(whole);
  const auto begin = static_cast<int>(text.data() - whole.data()) + 1;
  return {line, begin, line, begin + static_cast<int>(text.size())};
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
  for (const auto& [place, has_site] : hidden_) {
    if (has_site) continue;
    const auto [source, line] = place;
    // Of the function above, or the file's first, or one of its own.
    int function = -1;
    for (std::size_t i = 0; i < trace_.functions.size(); ++i) {
      const TracedFunction& known = trace_.functions[i];
      if (known.source == source && (function < 0 || known.span.line <= line)) function = static_cast<int>(i);
    }
    add_site(source, function < 0 ? function_of(source, "<module>", line) : function, line);
  }
}

}  // namespace lectern
