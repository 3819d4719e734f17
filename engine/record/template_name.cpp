#include "record/template_name.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "base/characters.h"
#include "record/text_edit.h"
#include "record/type_name.h"

namespace lectern {
namespace {

// replace_all for whole words.
void replace_words(std::string& text, std::string_view from, std::string_view to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos;) {
    const std::size_t end = at + from.size();
    const bool whole = (at == 0 || !is_word(text[at - 1])) && (end == text.size() || !is_word(text[end]));
    if (whole) text.replace(at, from.size(), to);
    at += whole ? to.size() : 1;
  }
}

// "(lambda at FILE:LINE:COLUMN)" and "main()::<lambda(int)>" become "lambda".
void name_lambdas(std::string& text) {
  for (std::size_t at; (at = text.find("(lambda at ")) != std::string::npos;)
    text.replace(at, past_bracket(text, at) - at, "lambda");
  for (std::size_t at; (at = text.find("<lambda(")) != std::string::npos;) {
    const std::size_t end = past_bracket(text, at);
    std::size_t begin = at;
    if (begin >= 2 && text.compare(begin - 2, 2, "::") == 0) {
      int depth = 0;
      while (begin > 0) {
        const char c = text[begin - 1];
        if (c == ')' || c == '>') ++depth;
        if (c == '(' || c == '<') --depth;
        if (depth < 0 || (depth == 0 && (c == ' ' || c == ',' || c == '{'))) break;
        --begin;
      }
    }
    text.replace(begin, end - begin, "lambda");
  }
}

// Replaces what compilers spell in their own ways.
std::string normalised(std::string_view argument) {
  std::string text(argument);
  if (text.starts_with('\'')) return text;  // a character, perhaps a bracket
  static constexpr std::array<std::pair<const char*, const char*>, 6> kIntegers{{
      {"long long unsigned int", "unsigned long long"},
      {"long long int", "long long"},
      {"long unsigned int", "unsigned long"},
      {"long int", "long"},
      {"short unsigned int", "unsigned short"},
      {"short int", "short"},
  }};
  for (const auto& [from, to] : kIntegers) replace_words(text, from, to);
  replace_all(text, "{anonymous}", "(anonymous namespace)");
  name_lambdas(text);
  replace_all(text, " *", "*");
  replace_all(text, " &", "&");
  return short_type_name(text);
}

struct Argument {
  std::string_view name, value;
};

// "T = int; U = double" (g++) or "T = int, U = double" (clang++).
std::vector<Argument> split(std::string_view list, char separator) {
  std::vector<Argument> arguments;
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i <= list.size(); ++i) {
    const char c = i < list.size() ? list[i] : separator;
    if (c == '<' || c == '(' || c == '[' || c == '{') ++depth;
    if (c == '>' || c == ')' || c == ']' || c == '}') --depth;
    if (c != separator || (depth != 0 && i < list.size())) continue;
    const std::string_view part = list.substr(begin, i - begin);
    const std::size_t equals = part.find(" = ");
    if (equals != std::string_view::npos)
      arguments.push_back({part.substr(0, equals), part.substr(equals + 3)});
    begin = std::min(i + 2, list.size());
  }
  return arguments;
}

// g++ adds the aliases that the signature mentions, and what decltype() gives there.
bool is_alias(std::string_view name) {
  return name.find("::") != std::string_view::npos || name.ends_with("_t") || name.starts_with("decltype");
}

// Whether the head names the parameter in its class's arguments, as in "void Box<K>::put(U)".
bool is_of_class(std::string_view head, std::string_view parameter) {
  for (std::size_t at = 0; (at = head.find(parameter, at)) != std::string_view::npos; ++at) {
    const std::size_t end = at + parameter.size();
    if (at == 0 || (head[at - 1] != '<' && head[at - 1] != ' ') || end == head.size()) continue;
    if (head[end] != '>' && head[end] != ',') continue;
    const std::size_t close = head.find('>', end);
    if (close != std::string_view::npos && head.substr(close + 1).starts_with("::")) return true;
  }
  return false;
}

}  // namespace

std::string instantiated_name(std::string_view name, std::string_view pretty) {
  if (!pretty.ends_with(']')) return std::string(name);
  const bool gnu = pretty.find(" [with ") != std::string_view::npos;
  const std::size_t open = gnu ? pretty.find(" [with ") : pretty.find(" [");
  if (open == std::string_view::npos) return std::string(name);
  const std::size_t begin = open + (gnu ? 7 : 2);
  std::vector<Argument> arguments = split(pretty.substr(begin, pretty.size() - 1 - begin), gnu ? ';' : ',');
  if (gnu) {
    std::erase_if(arguments, [](const Argument& argument) { return is_alias(argument.name); });
    // g++ lists the innermost template first, clang++ the outermost.
    std::stable_partition(arguments.begin(), arguments.end(), [&](const Argument& argument) {
      return is_of_class(pretty.substr(0, open), argument.name.substr(argument.name.rfind(' ') + 1));
    });
  }
  std::string list;
  for (const Argument& argument : arguments) {
    std::string_view value = argument.value;
    const bool pack = value.size() >= 2 && (value.front() == '{' || value.front() == '<') &&
                      past_bracket(value, 0) == value.size() && !value.starts_with("<lambda");
    if (pack) value = value.substr(1, value.size() - 2);
    if (value.empty()) continue;
    if (!list.empty()) list += ", ";
    list += normalised(value);
  }
  return std::string(name) + "<" + list + ">";
}

}  // namespace lectern
