#include "edtrace/frames.h"

#include "base/characters.h"
#include "base/error.h"
#include "base/lines.h"

namespace lectern {

int EdtraceFrames::add_file(const std::string& path, std::string_view contents) {
  const auto number = static_cast<int>(trace_.sources.size());
  const bool python = path.ends_with(".py");
  outlines_.push_back(python ? PythonOutline(contents) : PythonOutline());
  for (const PythonOutline::Function& function : outlines_.back().functions)
    trace_.functions.push_back({function.name, number, function.span});
  SourceFile& source = trace_.sources.emplace_back();
  source.path = path;
  if (python) source.language = "python";
  while (!contents.empty()) source.lines.emplace_back(take_line(contents));
  return sources_[path] = number;
}

void EdtraceFrames::hide(const std::string& path, int line) {
  const int source = source_number(path);
  if (hidden_.emplace(source, line).second) trace_.sources[index(source)].hidden.push_back({line, line});
}

int EdtraceFrames::source_number(const std::string& path) {
  const auto found = sources_.find(path);
  return found != sources_.end() ? found->second : add_file(path, {});
}

EdtraceFrames::Position EdtraceFrames::position(simdjson::dom::array stack) {
  Position position;
  int parent = -1;
  for (const JsonElement json : stack) {
    const Frame& at = frame(json);
    const auto [known, is_new] =
        stacks_.try_emplace({parent, position.site, at.function}, static_cast<int>(trace_.stacks.size()));
    if (is_new) {
      const auto depth = static_cast<int>(position.stacks.size()) + 1;
      trace_.stacks.push_back({at.function, {}, parent, position.site, depth});
    }
    position.stacks.push_back(parent = known->second);
    position.site = at.site;
    position.begins_function = at.begins_function;
  }
  return position;
}

const EdtraceFrames::Frame& EdtraceFrames::frame(JsonElement json) {
  const std::string path = text_member(json, "path"), name = text_member(json, "function_name");
  const int line = line_number(json["line_number"]);
  if (path.empty()) throw Error("a frame of the stack has no \"path\"");
  if (line == 0) throw Error("a frame of the stack has no \"line_number\" from 1 on");
  const auto [known, is_new] = frames_.try_emplace({path, name, line});
  Frame& frame = known->second;
  if (!is_new) return frame;
  const int source = source_number(path);
  frame.function = function_at(source, name.empty() ? "<unknown>" : name, line);
  frame.site = add_site(source, frame.function, line);
  frame.begins_function = !outlines_[index(source)].functions.empty() &&
                          trace_.functions[index(frame.function)].span.line == line;
  return frame;
}

/// The innermost function of this name around the line, or one that no outline has.
int EdtraceFrames::function_at(int source, const std::string& name, int line) {
  for (std::size_t i = trace_.functions.size(); i-- > 0;) {
    const TracedFunction& function = trace_.functions[i];
    if (function.source == source && function.name == name && function.span.line <= line &&
        line <= function.span.end_line)
      return static_cast<int>(i);
  }
  const auto [known, is_new] =
      other_functions_.try_emplace({source, name}, static_cast<int>(trace_.functions.size()));
  if (is_new) trace_.functions.push_back({name, source, line_span(source, line)});
  return known->second;
}

int EdtraceFrames::add_site(int source, int function, int line) {
  const TextSpan* const statement = outlines_[index(source)].statement_at(line);
  Site& site = trace_.sites.emplace_back();
  site.function = function;
  site.span = statement != nullptr ? *statement : line_span(source, line);
  site.hide = hidden_.contains({source, line});
  return static_cast<int>(trace_.sites.size()) - 1;
}

TextSpan EdtraceFrames::line_span(int source, int line) const {
  const SourceLines& lines = trace_.sources[index(source)].lines;
  const std::string_view whole = index(line) <= lines.size() ? lines[index(line - 1)] : std::string_view();
  const std::string_view text = trim(whole);
  const auto begin = static_cast<int>(text.data() - whole.data()) + 1;
  return {line, begin, line, begin + static_cast<int>(text.size())};
}

}  // namespace lectern
