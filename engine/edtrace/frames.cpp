#include "edtrace/frames.h"

#include <algorithm>

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
  const int source = find_source(path);
  if (hidden_.emplace(source, line).second) trace_.sources[index(source)].hidden.push_back({line, line});
}

void EdtraceFrames::place(Step& step, simdjson::dom::array frames) {
  std::vector<int> stacks;
  step.stack = step.site = -1;
  for (const JsonElement frame : frames) {
    const int site = find_site(frame), function = trace_.sites[index(site)].function;
    const auto [known, is_new] =
        stacks_.try_emplace({step.stack, step.site, function}, static_cast<int>(trace_.stacks.size()));
    const auto depth = static_cast<int>(stacks.size()) + 1;
    if (is_new) trace_.stacks.push_back({function, {}, step.stack, step.site, depth});
    step.stack = stacks.emplace_back(known->second);
    step.site = site;
  }
  const auto [first_new, left] = std::ranges::mismatch(stacks, stacks_before_);
  step.enter = static_cast<int>(stacks.end() - first_new);
  if (step.enter == 0) {
    // Back where it called from; or, without a step in between, called once more.
    const bool back = left != stacks_before_.end();
    step.after = back && trace_.stacks[index(*left)].call == step.site;
    const bool stays = !back && trace_.steps.back().site == step.site;
    if (begins_function(step.site) && !stays && !step.after) step.enter = 1;
  }
  stacks_before_ = std::move(stacks);
}

int EdtraceFrames::find_source(const std::string& path) {
  const auto found = sources_.find(path);
  return found != sources_.end() ? found->second : add_file(path, {});
}

/// The innermost function of this name around the line, or one that no outline has.
int EdtraceFrames::find_function(int source, const std::string& name, int line) {
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

int EdtraceFrames::find_site(JsonElement frame) {
  const std::string path = text_member(frame, "path"), name = text_member(frame, "function_name");
  const int line = line_number(frame["line_number"]);
  if (path.empty()) throw Error("a frame of the stack has no \"path\"");
  if (line == 0) throw Error("a frame of the stack has no \"line_number\" from 1 on");
  const auto [known, is_new] = sites_.try_emplace({path, name, line}, static_cast<int>(trace_.sites.size()));
  if (!is_new) return known->second;
  const int source = find_source(path);
  const int function = find_function(source, name.empty() ? "<unknown>" : name, line);
  const TextSpan* const statement = outlines_[index(source)].statement_at(line);
  trace_.sites.push_back({.function = function,
                          .span = statement != nullptr ? *statement : line_span(source, line),
                          .hide = hidden_.contains({source, line})});
  return known->second;
}

/// Whether the site is the `def` of its function, as a call's first step is.
bool EdtraceFrames::begins_function(int site) const {
  const TracedFunction& function = trace_.functions[index(trace_.sites[index(site)].function)];
  return !outlines_[index(function.source)].functions.empty() &&
         function.span.line == trace_.sites[index(site)].span.line;
}

TextSpan EdtraceFrames::line_span(int source, int line) const {
  const SourceLines& lines = trace_.sources[index(source)].lines;
  const std::string_view whole = index(line) <= lines.size() ? lines[index(line - 1)] : std::string_view();
  const std::string_view text = trim(whole);
  const auto begin = static_cast<int>(text.data() - whole.data()) + 1;
  return {line, begin, line, begin + static_cast<int>(text.size())};
}

}  // namespace lectern
