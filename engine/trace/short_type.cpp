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

}  // namespace

std::string short_type(std::string_view type) {
  std::string text(type);
  replace_name(text, "std::", "");
  constexpr std::array<std::pair<std::string_view, std::string_view>, 5> kNames = {
      {{"unsigned long long", "uint64"},
       {"unsigned long", "size_t"},
       {"long long", "int64"},
       {"unsigned int", "unsigned"},
       {"unsigned char", "uint8"}}};
  for (const auto& [name, by] : kNames) replace_name(text, name, by);
  return text;
}

}  // namespace lectern
