#include <array>
#include <string>
#include <utility>

#include "base/characters.h"
#include "trace/value_text.h"

namespace lectern {
namespace {

/// Replaces whole words and qualified names only.
void replace_name(std::string& text, std::string_view name, std::string_view by) {
  for (std::size_t at = text.find(name); at != std::string::npos; at = text.find(name, at)) {
    const bool begins = at == 0 || (!is_word(text[at - 1]) && text[at - 1] != ':');
    const std::size_t end = at + name.size();
    if (begins && (!is_word(name.back()) || end == text.size() || !is_word(text[end]))) {
      text.replace(at, name.size(), by);
    } else {
      at = end;
    }
  }
}

/// Takes out ", allocator<…>" and its like, whatever is nested in it.
void drop_argument(std::string& text, std::string_view name) {
  const std::string begin = ", " + std::string(name) + "<";
  for (std::size_t at = text.find(begin); at != std::string::npos; at = text.find(begin, at)) {
    std::size_t end = at + begin.size();
    for (int depth = 1; end < text.size() && depth > 0; ++end) {
      if (text[end] == '<') ++depth;
      if (text[end] == '>') --depth;
    }
    text.erase(at, end - at);
  }
}

}  // namespace

std::string short_type(std::string_view type) {
  std::string text(type);
  replace_name(text, "std::__cxx11::", "");
  replace_name(text, "std::", "");
  for (const char* argument : {"allocator", "less", "hash", "equal_to", "char_traits", "default_delete"}) {
    drop_argument(text, argument);
  }
  for (std::size_t at = text.find(" >"); at != std::string::npos; at = text.find(" >", at)) text.erase(at, 1);
  constexpr std::array<std::pair<std::string_view, std::string_view>, 8> kNames = {
      {{"basic_string<char>", "string"},
       {"basic_string_view<char>", "string_view"},
       {"unsigned long long", "uint64"},
       {"unsigned long", "size_t"},
       {"long long", "int64"},
       {"unsigned int", "unsigned"},
       {"unsigned char", "uint8"},
       {"short int", "short"}}};
  for (const auto& [name, by] : kNames) replace_name(text, name, by);
  return text;
}

}  // namespace lectern
