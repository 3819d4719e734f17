#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace lectern {

inline constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

/// The lexical tokens of a piece of source, in order, without blanks and comments: views into `source`. Never
/// fails: a byte that begins no token of the language is one by itself. `language`: "cpp", "cuda", "c",
/// "python"; any other is read as C++.
std::vector<std::string_view> tokens(std::string_view source, std::string_view language);

enum class TokenKind { name, number, string, punctuation, comment };
struct Token {
  TokenKind kind;
  std::string_view text;
};

/// The same with comments and with the kind of each token.
std::vector<Token> tokens_and_comments(std::string_view source, std::string_view language);

/// The offset of `part`, a view into `source`.
inline std::size_t offset_in(std::string_view source, std::string_view part) {
  return static_cast<std::size_t>(part.data() - source.data());
}

/// The end of the preprocessor directive whose `#` (or `%:`) is at `offset`: the end of its line, where lines
/// joined by backslashes count as one. `offset` itself when no directive begins there.
std::size_t directive_end(std::string_view source, std::size_t offset);

}  // namespace lectern
