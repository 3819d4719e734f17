#pragma once

#include <string_view>
#include <vector>

namespace lectern {

/// The lexical tokens of a piece of source, in order, without blanks and comments: views into `statement`.
/// Never fails: what is no token of the language is taken byte by byte. `language`: "cpp", "cuda", "c",
/// "python"; others are read like C++.
std::vector<std::string_view> tokens(std::string_view statement, std::string_view language);

enum class TokenKind { name, number, string, punctuation, comment };
struct Token {
  TokenKind kind;
  std::string_view text;
};

/// The same with comments and with what each token is.
std::vector<Token> tokens_and_comments(std::string_view source, std::string_view language);

/// Where the directive ends whose `#` (or `%:`) is at `offset`: at the end of its line, lines joined by
/// backslashes counted as one. `offset` itself when no directive begins there.
std::size_t directive_end(std::string_view source, std::size_t offset);

}  // namespace lectern
