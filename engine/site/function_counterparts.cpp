#include "site/function_counterparts.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/characters.h"
#include "base/error.h"
#include "base/nearest.h"

namespace lectern {
namespace {

/// Names are compared by so many of their last parts.
constexpr std::size_t kComparedParts = 8;

constexpr std::array<std::pair<std::string_view, std::string_view>, 8> kOperatorMethods{{{"()", "call"},
                                                                                         {"[]", "getitem"},
                                                                                         {"==", "eq"},
                                                                                         {"<", "lt"},
                                                                                         {"+", "add"},
                                                                                         {"-", "sub"},
                                                                                         {"*", "mul"},
                                                                                         {"/", "truediv"}}};

bool is_python(const Trace& trace, const TracedFunction& function) {
  return trace.sources[index(function.source)].language == "python";
}

/// The names of the classes and functions around a definition of Python, the outermost first, told by their
/// indentation: its tracer names a method as a function.
std::vector<std::string> enclosing_names(const SourceLines& lines, int definition) {
  const auto indentation = [&](std::size_t line) { return lines[line].find_first_not_of(" \t"); };
  std::vector<std::string> names;
  auto at = static_cast<std::size_t>(definition - 1);
  if (definition < 1 || at >= lines.size()) return names;
  for (std::size_t least = indentation(at); at-- > 0 && least > 0 && least != std::string::npos;) {
    const std::size_t begin = indentation(at);
    if (begin >= least || !is_letter(lines[at][begin])) continue;
    least = begin;
    std::string_view text = std::string_view(lines[at]).substr(begin);
    for (const std::string_view word : {"async ", "def ", "class "}) {
      if (!text.starts_with(word)) continue;
      text.remove_prefix(word.size());
      if (word != "async ") names.emplace(names.begin(), text.substr(0, text.find_first_of("(: [")));
    }
  }
  return names;
}

/// As the author writes it.
std::string qualified_name(const Trace& trace, const TracedFunction& function) {
  if (!is_python(trace, function) || function.name.find('.') != std::string::npos) return function.name;
  std::vector<std::string> names =
      enclosing_names(trace.sources[index(function.source)].lines, function.span.line);
  names.push_back(function.name);
  return fmt::format("{}", fmt::join(names, "."));
}

/// The parts of a qualified name. Arguments of templates are left out.
std::vector<std::string> name_parts(std::string_view name, bool python) {
  std::vector<std::string> parts{""};
  int depth = 0;
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (!python && parts.back().starts_with("operator") && depth == 0 && !is_word(name[i]) &&
        name[i] != ':') {
      const std::size_t end = std::min(name.find("::", i), name.size());
      parts.back() += name.substr(i, end - i);
      i = end - 1;
    } else if (python ? name[i] == '.' : depth == 0 && name.substr(i).starts_with("::")) {
      parts.emplace_back();
      i += python ? 0 : 1;
    } else if (!python && name[i] == '<') {
      ++depth;
    } else if (!python && name[i] == '>') {
      depth = std::max(depth - 1, 0);
    } else if (depth == 0) {
      parts.back() += name[i];
    }
  }
  std::erase(parts, "<locals>");
  if (parts.size() > kComparedParts) parts.erase(parts.begin(), parts.end() - kComparedParts);
  return parts;
}

/// A part as names of two languages compare: "countpairs", "init", "lambda".
std::string comparable_part(std::string_view part, std::string_view before) {
  constexpr std::string_view kOperator = "operator";
  if (part.starts_with(kOperator)) {
    const std::string_view symbol = part.substr(kOperator.size());
    const auto method = std::find_if(kOperatorMethods.begin(), kOperatorMethods.end(),
                                     [&](const auto& each) { return each.first == symbol; });
    if (method != kOperatorMethods.end()) return std::string(method->second);
    if (!symbol.empty() && !is_word(symbol.front())) return std::string(part);
  }
  if (part == before && !part.empty()) return "init";
  std::string text;
  for (const char c : part) {
    if ((is_word(c) && c != '_') || static_cast<unsigned char>(c) >= 0x80) text += to_lower(c);
  }
  return text;
}

/// A qualified name as a text that ends with those of its ends: ".bpetokenizer.countpairs".
std::string comparable_name(std::string_view qualified, bool python, bool forward_is_call) {
  std::string text;
  std::string_view before;
  const std::vector<std::string> parts = name_parts(qualified, python);
  for (const std::string& part : parts) {
    const bool calls = forward_is_call && &part == &parts.back() && part == "forward";
    text += '.' + (calls ? "call" : comparable_part(part, before));
    before = part;
  }
  return text;
}

/// The functions of one of the two programs.
class NamedFunctions {
 public:
  NamedFunctions(const Trace& trace, std::vector<int>& pairs) : trace_(trace), pairs_(pairs) {
    pairs.assign(trace.functions.size(), -1);
    names_.reserve(trace.functions.size());
    for (const TracedFunction& function : trace.functions) names_.push_back(qualified_name(trace, function));
    for (const Stack& stack : trace.stacks) ran_.insert(stack.function);
  }

  /// All of those that the author may mean, and the problem if these are none, or several.
  std::vector<int> named(const std::string& name, std::string& problem) const {
    std::vector<int> found = find([&](const std::string& each) { return each == name; });
    if (found.empty())
      found = find(
          [&](const std::string& each) { return each.ends_with("::" + name) || each.ends_with("." + name); });
    std::set<std::string> different;
    for (const int function : found) different.insert(names_[index(function)]);
    if (different.size() > 1)
      problem = fmt::format("`{}` may be each of {}; write one of these", name, fmt::join(different, ", "));
    if (!found.empty()) return found;
    const std::string near = nearest(name, names_);
    problem = fmt::format("there is no function `{}` in {}; {}", name,
                          trace_.sources.empty() ? "it" : trace_.sources[0].path,
                          near.empty() ? "write a name as it stands there" : "did you mean `" + near + "`?");
    return found;
  }

  int pair_of(int function) const { return pairs_[index(function)]; }
  void set_pair(const std::vector<int>& functions, int pair) {
    for (const int function : functions) pairs_[index(function)] = pair;
  }

  /// Those that ran and have no counterpart yet, by comparable name.
  std::map<std::string, std::vector<int>, std::less<>> unpaired(bool forward_is_call) const {
    std::map<std::string, std::vector<int>, std::less<>> functions;
    for (const int function : ran_) {
      if (pair_of(function) >= 0) continue;
      const bool python = is_python(trace_, trace_.functions[index(function)]);
      functions[comparable_name(names_[index(function)], python, forward_is_call)].push_back(function);
    }
    return functions;
  }

 private:
  template <typename Predicate>
  std::vector<int> find(const Predicate& is_meant) const {
    std::vector<int> found;
    for (std::size_t i = 0; i < names_.size(); ++i) {
      if (is_meant(names_[i])) found.push_back(static_cast<int>(i));
    }
    return found;
  }

  const Trace& trace_;
  std::vector<int>& pairs_;
  std::vector<std::string> names_;
  std::set<int> ran_;
};

/// Calls visit(end) with the name and each of its ends that is a name, the longest first.
template <typename Visit>
void visit_ends(std::string_view name, const Visit& visit) {
  for (std::size_t at = 0; at != name.npos; at = name.find('.', at + 1)) visit(name.substr(at));
}

class FunctionMatcher {
 public:
  FunctionMatcher(const Trace& first, const Trace& other, FunctionCounterparts& result)
      : first_(first, result.first), other_(other, result.other) {}

  void pair_as_said(const SiteSettings::FunctionPair& said, std::vector<std::string>& problems) {
    std::string problem;
    const std::vector<int> functions = first_.named(said.first, problem);
    const std::vector<int> others = problem.empty() ? other_.named(said.other, problem) : std::vector<int>();
    if (!problem.empty()) {
      problems.push_back(to_string(said.place) + ": " + problem);
      return;
    }
    const int known = other_.pair_of(others.front());  // several functions may be one in the other language
    pair(functions, others, known >= 0 ? known : count_++);
  }

  void pair_equal_names() {
    const auto others = other_.unpaired(false);
    for (const auto& [name, functions] : first_.unpaired(false)) {
      if (const auto same = others.find(name); same != others.end()) pair(functions, same->second, count_++);
    }
  }

  /// Where one name ends with the other, and neither with, nor at the end of, a third.
  void pair_ends(bool forward_is_call) {
    const auto firsts = first_.unpaired(forward_is_call), others = other_.unpaired(forward_is_call);
    std::map<std::string_view, std::set<std::string_view>> by_first, by_other;
    const auto add = [&](std::string_view first, std::string_view other) {
      by_first[first].insert(other);
      by_other[other].insert(first);
    };
    for (const auto& [name, functions] : others) {
      visit_ends(name, [&, whole = std::string_view(name)](std::string_view end) {
        if (const auto found = firsts.find(end); found != firsts.end()) add(found->first, whole);
      });
    }
    for (const auto& [name, functions] : firsts) {
      visit_ends(name, [&, whole = std::string_view(name)](std::string_view end) {
        if (const auto found = others.find(end); found != others.end()) add(whole, found->first);
      });
    }
    for (const auto& [name, candidates] : by_first) {
      const std::string_view other = *candidates.begin();
      if (candidates.size() == 1 && by_other[other].size() == 1)
        pair(firsts.find(name)->second, others.find(other)->second, count_++);
    }
  }

 private:
  void pair(const std::vector<int>& functions, const std::vector<int>& others, int number) {
    first_.set_pair(functions, number);
    other_.set_pair(others, number);
  }

  NamedFunctions first_, other_;
  int count_ = 0;
};

}  // namespace

FunctionCounterparts function_counterparts(const Trace& first, const Trace& other,
                                           const std::vector<SiteSettings::FunctionPair>& said,
                                           std::vector<std::string>& problems) {
  FunctionCounterparts result;
  FunctionMatcher matcher(first, other, result);
  for (const SiteSettings::FunctionPair& each : said) matcher.pair_as_said(each, problems);
  matcher.pair_equal_names();
  matcher.pair_ends(false);
  matcher.pair_ends(true);
  return result;
}

}  // namespace lectern
