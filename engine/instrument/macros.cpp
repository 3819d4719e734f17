#include "instrument/macros.h"

#include <algorithm>
#include <iterator>

#include "trace/tokens.h"

namespace lectern {

namespace {

/// Of `#define NAME(a, b) body` or `#define NAME body`, without the number sign.
Macro make_macro(std::vector<std::string_view> definition) {
  std::erase(definition, "\\");
  const std::string_view name = definition[1];
  const bool has_parameters =
      definition.size() > 2 && definition[2] == "(" && definition[2].data() == name.data() + name.size();
  auto body = definition.begin() + 2;
  if (has_parameters) body = std::find(body, definition.end(), ")");
  if (has_parameters && body != definition.end()) ++body;
  return {std::string(name), has_parameters, std::vector<std::string>(body, definition.end())};
}

}  // namespace

std::vector<Macro> find_macros(std::string_view source) {
  std::vector<Macro> macros;
  std::size_t end = 0;
  for (const std::string_view token : tokens(source, "cpp")) {
    const std::size_t begin = offset_in(source, token);
    const std::size_t line_end = begin >= end ? directive_end(source, begin) : begin;
    if (line_end == begin) continue;
    end = line_end;
    const std::size_t after = begin + token.size();
    std::vector<std::string_view> words = tokens(source.substr(after, end - after), "cpp");
    if (words.size() > 1 && words[0] == "define") macros.push_back(make_macro(std::move(words)));
  }
  return macros;
}

bool looks_like_macro(std::string_view name) {
  return name.size() > 1 && std::ranges::none_of(name, [](char c) { return c >= 'a' && c <= 'z'; });
}

bool is_unpaired(const Macro& macro) {
  std::string open;
  for (const std::string& token : macro.body) {
    if (token == "(" || token == "[" || token == "{") open += token;
    if (token != ")" && token != "]" && token != "}") continue;
    constexpr std::string_view opening = "([{", closing = ")]}";
    if (open.empty() || opening.find(open.back()) != closing.find(token)) return true;
    open.pop_back();
  }
  return !open.empty();
}

bool opens_scope(const Macro& macro) {
  const auto ends_definition = [](const std::string& token) { return token == ";" || token == "}"; };
  const auto last = std::find_if(macro.body.rbegin(), macro.body.rend(), ends_definition).base();
  constexpr std::string_view words[] = {"class", "struct", "union", "enum", "namespace"};
  return macro.body.end() != last && macro.body.back() != ")" &&
         std::find_first_of(last, macro.body.end(), std::begin(words), std::end(words)) != macro.body.end();
}

std::set<std::string, std::less<>> find_stringizing(const std::vector<Macro>& macros) {
  std::set<std::string, std::less<>> known{"__VA_OPT__"}, found{"assert"};
  for (const Macro& macro : macros) known.insert(macro.name);
  const auto shows = [&](const Macro& macro) {
    for (auto token = macro.body.begin(); token != macro.body.end(); ++token) {
      const bool called = std::next(token) != macro.body.end() && *std::next(token) == "(";
      const bool unknown = called && looks_like_macro(*token) && !known.contains(*token);
      if (*token == "#" || *token == "##" || *token == "%:" || unknown || found.contains(*token)) return true;
    }
    return false;
  };
  for (std::size_t before = 0; before != found.size();) {
    before = found.size();
    for (const Macro& macro : macros) {
      if (shows(macro)) found.insert(macro.name);
    }
  }
  found.erase("assert");
  return found;
}

}  // namespace lectern
