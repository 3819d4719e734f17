#include "trace/literal.h"

#include <algorithm>
#include <cstdint>
#include <initializer_list>

#include "base/utf8.h"

namespace lectern {
namespace {

std::string hexadecimal(std::uint32_t number, int digits) {
  std::string text;
  for (int i = digits - 1; i >= 0; --i) text += "0123456789ABCDEF"[number >> (4 * i) & 15];
  return text;
}

}  // namespace

std::string_view empty_text(std::string_view type) {
  if (type.starts_with("std::optional<")) return "nullopt";
  if (type.starts_with("std::weak_ptr<")) return "expired";
  const bool pointer = type.ends_with('*') || type.find("(*)") != std::string_view::npos ||
                       type.starts_with("std::unique_ptr<") || type.starts_with("std::shared_ptr<") ||
                       type == "std::nullptr_t";
  return pointer ? "nullptr" : "empty";
}

std::string lead_text(const Value& pointer, const std::string& active_type) {
  if (pointer.type.starts_with("std::optional<")) return {};
  if (!pointer.type.starts_with("std::variant<") && pointer.type != "std::any") return "\u2192 ";
  const bool says_type = pointer.as<form::Pointer>()->to->as<form::Opaque>() != nullptr;
  return active_type.empty() || says_type ? std::string() : active_type + " ";
}

bool is_character(std::string_view type) {
  return type == "char" || type == "wchar_t" || type == "char8_t" || type == "char16_t" || type == "char32_t";
}

std::string literal_text(std::string_view text, char quote) {
  std::string literal(1, quote);
  while (!text.empty()) {
    const std::string_view character = next_character(text);
    const std::string escape = escape_sequence(character, quote);
    literal += escape.empty() ? character : escape;
    text.remove_prefix(character.size());
  }
  return literal + quote;
}

std::string escape_sequence(std::string_view character, char quote) {
  constexpr std::string_view kEscaped("\n\t\r\\\0", 5), kLetters = "ntr\\0";
  if (character.front() == quote) return {'\\', quote};
  if (const std::size_t known = kEscaped.find(character.front()); known != kEscaped.npos)
    return {'\\', kLetters[known]};
  const auto byte = static_cast<unsigned char>(character.front());
  if (byte < ' ' || byte == 0x7F || utf8_character(character) == 0) return "\\x" + hexadecimal(byte, 2);
  // Marks that change the direction of text, or are invisible.
  for (const std::string_view invisible :
       {"\u200B", "\u200E", "\u200F", "\u202A", "\u202B", "\u202C", "\u202D", "\u202E", "\u2028", "\u2029",
        "\u2066", "\u2067", "\u2068", "\u2069", "\uFEFF"}) {
    if (character != invisible) continue;
    return "\\u" + hexadecimal(utf8_code_point(character), 4);
  }
  return {};
}

std::string unquoted(std::string_view literal) {
  const std::size_t quote = std::min(literal.find('"'), literal.size());
  if (quote > 0 && quote < literal.size() && literal[quote - 1] == 'R') {
    const std::size_t open = literal.find('(', quote), close = literal.rfind(')');
    if (open == std::string_view::npos || close == std::string_view::npos || close < open) return {};
    return std::string(literal.substr(open + 1, close - open - 1));
  }
  std::string text;
  for (std::size_t i = quote + 1; i + 1 < literal.size(); ++i) {
    if (literal[i] == '\\' && i + 2 < literal.size()) {
      ++i;
      text += literal[i] == 'n' ? '\n' : literal[i] == 't' ? '\t' : literal[i];
    } else {
      text += literal[i];
    }
  }
  return text;
}

}  // namespace lectern
