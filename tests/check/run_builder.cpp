#include "check/run_builder.h"

#include <stdexcept>

namespace lectern::test {
namespace {

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(' ');
  return begin == std::string_view::npos ? std::string_view() : text.substr(begin);
}

}  // namespace

RunBuilder::RunBuilder(std::string_view source, std::string_view path) {
  trace.format = "lectern-trace/1";
  trace.lecture = "example";
  trace.profile = Profile{.name = "cpu", .threads = 1};
  trace.end.by = "return";
  trace.sources.push_back({std::string(path), "cpp", {}});
  std::vector<std::string>& lines = trace.sources[0].lines;
  while (!source.empty()) {
    const std::size_t end = std::min(source.find('\n'), source.size());
    lines.emplace_back(source.substr(0, end));
    source.remove_prefix(std::min(end + 1, source.size()));
  }
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const int number = static_cast<int>(i) + 1, length = static_cast<int>(lines[i].size());
    const std::string_view text = trimmed(lines[i]);
    const bool indented = lines[i].starts_with(' ');
    if (!indented && text.ends_with("() {")) {
      const std::string name(text.substr(0, text.find('(')));
      functions_[name] = static_cast<int>(trace.functions.size());
      trace.functions.push_back({name, 0, {number, 1, number, length + 1}, {}});
    } else if (indented && !text.empty() && !text.starts_with("//")) {
      Site site;
      site.function = static_cast<int>(trace.functions.size()) - 1;
      site.span = {number, length - static_cast<int>(text.size()) + 1, number, length + 1};
      trace.sites.push_back(site);
    }
  }
  Stack main;
  main.function = functions_.at("main");
  trace.stacks.push_back(main);
  frames_.push_back({0, -1});
}

int RunBuilder::find(int function, std::string_view statement) const {
  for (std::size_t i = 0; i < trace.sites.size(); ++i) {
    const Site& site = trace.sites[i];
    const std::string& line = trace.sources[0].lines[static_cast<std::size_t>(site.span.line - 1)];
    if (site.function == function && trimmed(line).substr(0, statement.size()) == statement)
      return static_cast<int>(i);
  }
  throw std::logic_error("no such statement: " + std::string(statement));
}

Site& RunBuilder::site(const std::string& function, std::string_view statement) {
  return trace.sites[static_cast<std::size_t>(find(functions_.at(function), statement))];
}

void RunBuilder::add(int site, const std::string& details, bool after) {
  Step step;
  step.site = site;
  step.stack = frames_.back().stack;
  step.enter = entered_;
  step.after = after;
  step.text = details;
  entered_ = 0;
  trace.steps.push_back(step);
}

RunBuilder& RunBuilder::step(std::string_view statement, const std::string& details) {
  const Stack& stack = trace.stacks[static_cast<std::size_t>(frames_.back().stack)];
  add(find(stack.function, statement), details, false);
  return *this;
}

RunBuilder& RunBuilder::call(std::string_view statement, const std::string& function) {
  step(statement);
  const int caller = trace.steps.back().site;
  Stack stack;
  stack.function = functions_.at(function);
  stack.parent = frames_.back().stack;
  stack.call = caller;
  stack.depth = trace.stacks[static_cast<std::size_t>(stack.parent)].depth + 1;
  trace.stacks.push_back(stack);
  frames_.push_back({static_cast<int>(trace.stacks.size()) - 1, caller});
  entered_ = 1;
  return *this;
}

RunBuilder& RunBuilder::back(const std::string& details) {
  const int caller = frames_.back().call_site;
  frames_.pop_back();
  entered_ = 0;
  add(caller, details, true);
  return *this;
}

}  // namespace lectern::test
