#include "trace/code_place.h"

#include <algorithm>
#include <array>

namespace lectern {
namespace {

constexpr std::array<std::string_view, 4> kClassWords{"struct ", "class ", "enum class ", "enum "};

/// A line that defines the class, not one that only declares it.
bool defines(const std::string& line, const std::string& name) {
  return std::any_of(kClassWords.begin(), kClassWords.end(), [&](std::string_view word) {
    const std::size_t at = line.find(std::string(word) + name);
    if (at == std::string::npos) return false;
    const std::size_t end = at + word.size() + name.size();
    if (line.find(';', at) == end) return false;
    return end >= line.size() || std::string_view(" {:(").find(line[end]) != std::string_view::npos;
  });
}

/// Python's classes, whose decorators stand above them.
std::string class_at(const std::vector<std::string>& lines, int line) {
  for (auto at = static_cast<std::size_t>(line - 1); at < lines.size(); ++at) {
    const std::string_view text = lines[at];
    const std::size_t begin = text.find_first_not_of(" \t");
    if (begin == std::string_view::npos) return {};
    if (text[begin] == '@') continue;
    constexpr std::string_view kWord = "class ";
    if (!text.substr(begin).starts_with(kWord)) return {};
    const std::size_t name = begin + kWord.size();
    return std::string(text.substr(name, text.find_first_of("(: ", name) - name));
  }
  return {};
}

}  // namespace

std::optional<CodePlace> find_place(const Trace& trace, const std::string& name) {
  const std::string tail = "::" + name, members = name + "::";
  const auto function = [&](auto wanted) -> std::optional<CodePlace> {
    const auto found = std::find_if(trace.functions.begin(), trace.functions.end(), wanted);
    if (found == trace.functions.end()) return {};
    return CodePlace{found->source, found->span.line};
  };
  if (const auto exact = function([&](const TracedFunction& f) { return f.name == name; })) return exact;
  const auto ends_so = [&](const TracedFunction& f) {
    return f.name.ends_with(tail) && !f.name.ends_with(name + tail);
  };
  if (const auto qualified = function(ends_so)) return qualified;
  // A class: where it is defined, else its first member.
  const std::string last = name.substr(name.rfind(':') == std::string::npos ? 0 : name.rfind(':') + 1);
  for (std::size_t source = 0; source < trace.sources.size(); ++source) {
    const std::vector<std::string>& lines = trace.sources[source].lines;
    const auto line = std::find_if(lines.begin(), lines.end(),
                                   [&](const std::string& text) { return defines(text, last); });
    if (line != lines.end())
      return CodePlace{static_cast<int>(source), static_cast<int>(line - lines.begin()) + 1};
  }
  return function([&](const TracedFunction& f) { return f.name.starts_with(members); });
}

std::string name_at(const Trace& trace, std::string_view path, int line) {
  for (const TracedFunction& function : trace.functions) {
    if (function.span.line == line && trace.sources[static_cast<std::size_t>(function.source)].path == path)
      return function.name;
  }
  const auto source = std::find_if(trace.sources.begin(), trace.sources.end(),
                                   [&](const SourceFile& file) { return file.path == path; });
  return line < 1 || source == trace.sources.end() ? std::string() : class_at(source->lines, line);
}

}  // namespace lectern
