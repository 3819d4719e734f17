#include "trace/tokens.h"

#include <algorithm>
#include <array>
#include <span>
#include <string>

#include "base/characters.h"

namespace lectern {

namespace {

/// Bytes beyond ASCII count as letters.
bool begins_name(char c) {
  return is_letter(c) || static_cast<unsigned char>(c) >= 0x80;
}
bool is_name(char c) {
  return begins_name(c) || is_digit(c);
}

// Longest first, so that the first match is the longest.
constexpr auto operators = std::to_array<std::string_view>(
    {"<<<", ">>>", "<=>", "->*", "...", "<<=", ">>=", "::", "->", ".*", "++", "--", "<<", ">>", "<=", ">=",
     "==",  "!=",  "&&",  "||",  "+=",  "-=",  "*=",  "/=", "%=", "&=", "|=", "^=", "##", "[[", "]]"});
constexpr auto python_operators = std::to_array<std::string_view>({"**=", "//=", "**", "//", ":=", "@="});
constexpr auto digraphs = std::to_array<std::string_view>({"<%", "%>", "<:", ":>", "%:"});

class Lexer {
 public:
  Lexer(std::string_view text, std::string_view language)
      : text_(text),
        python_(language == "python"),
        at_(text.starts_with(byte_order_mark) ? byte_order_mark.size() : 0) {}

  std::vector<Token> read() {
    std::vector<Token> tokens;
    while (true) {
      while (at_ < text_.size() && is_blank(text_[at_])) ++at_;
      if (at_ >= text_.size()) return tokens;
      const std::size_t begin = at_;
      const TokenKind kind = next();
      tokens.push_back({kind, text_.substr(begin, at_ - begin)});
    }
  }

 private:
  char peek(std::size_t ahead) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }
  bool starts_with(std::string_view prefix) const { return text_.substr(at_).starts_with(prefix); }

  TokenKind next() {
    if (python_ ? peek(0) == '#' : starts_with("//")) {
      skip_line();
      return TokenKind::comment;
    }
    if (!python_ && starts_with("/*")) {
      skip_past("*/", at_ + 2);
      return TokenKind::comment;
    }
    if (peek(0) == '"' || peek(0) == '\'') {
      skip_string(false);
      return TokenKind::string;
    }
    if (is_digit(peek(0)) || (peek(0) == '.' && is_digit(peek(1)))) {
      skip_number();
      return TokenKind::number;
    }
    if (begins_name(peek(0))) return name_or_string();
    skip_punctuation();
    return TokenKind::punctuation;
  }

  void skip_punctuation() {
    const auto length = [&](std::span<const std::string_view> candidates) {
      const auto found = std::ranges::find_if(candidates, [&](auto each) { return starts_with(each); });
      return found != candidates.end() ? found->size() : 0;
    };
    const bool scope = starts_with("<::") && peek(3) != ':' && peek(3) != '>';  // vector<::T>
    std::size_t size = python_ ? length(python_operators) : scope ? 0 : length(digraphs);
    if (size == 0) size = length(operators);
    at_ += std::max<std::size_t>(size, 1);
  }

  /// To the end of the first `close` from `begin` on, or to the end of the text.
  void skip_past(std::string_view close, std::size_t begin) {
    const std::size_t end = text_.find(close, begin);
    at_ = end == std::string_view::npos ? text_.size() : end + close.size();
  }

  /// To the end of the line; in C++, a backslash joins the next line to it.
  void skip_line() {
    for (; at_ < text_.size() && text_[at_] != '\n'; ++at_) {
      if (python_ || text_[at_] != '\\') continue;
      if (peek(1) == '\n') ++at_;
      if (peek(1) == '\r' && peek(2) == '\n') at_ += 2;
    }
    if (at_ > 0 && at_ <= text_.size() && text_[at_ - 1] == '\r') --at_;
  }

  void skip_number() {
    const bool hexadecimal = peek(0) == '0' && (peek(1) == 'x' || peek(1) == 'X');
    for (++at_; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      const char before = text_[at_ - 1];
      const bool exponent = hexadecimal ? before == 'p' || before == 'P' : before == 'e' || before == 'E';
      const bool separator = !python_ && c == '\'' && is_name(peek(1));
      if (!is_name(c) && c != '.' && !separator && !((c == '+' || c == '-') && exponent)) return;
    }
  }

  /// A name, or a string literal with a prefix such as u8R.
  TokenKind name_or_string() {
    std::size_t end = at_;
    while (end < text_.size() && is_name(text_[end])) ++end;
    const std::string_view name = text_.substr(at_, end - at_);
    const char quote = end < text_.size() ? text_[end] : '\0';
    if ((quote == '"' || quote == '\'') && is_prefix(name)) {
      at_ = end;
      const bool raw = name.find_first_of("rR") != std::string_view::npos;
      if (!python_ && raw && quote == '"') {
        skip_raw_string();
      } else {
        skip_string(raw);
      }
      return TokenKind::string;
    }
    at_ = end;
    return TokenKind::name;
  }

  bool is_prefix(std::string_view name) const {
    if (python_) return name.size() <= 2 && name.find_first_not_of("rRbBuUfF") == std::string_view::npos;
    return std::ranges::count(std::to_array({"L", "u", "U", "u8", "R", "LR", "uR", "UR", "u8R"}), name) > 0;
  }

  void skip_raw_string() {
    const std::size_t open = text_.find('(', at_);
    if (open == std::string_view::npos) return skip_string(false);
    skip_past(")" + std::string(text_.substr(at_ + 1, open - at_ - 1)) + "\"", open);
  }

  /// An unterminated string ends with its line, an unterminated triple-quoted one of Python with the text.
  void skip_string(bool raw) {
    const char quote = text_[at_];
    const std::string triple(3, quote);
    if (python_ && starts_with(triple)) return skip_past(triple, at_ + 3);
    for (++at_; at_ < text_.size() && text_[at_] != '\n'; ++at_) {
      if (text_[at_] == quote) {
        ++at_;
        return;
      }
      if (text_[at_] == '\\' && (!raw || python_) && at_ + 1 < text_.size()) ++at_;
    }
  }

  std::string_view text_;
  bool python_;
  std::size_t at_;
};

}  // namespace

std::vector<Token> tokens_and_comments(std::string_view source, std::string_view language) {
  return Lexer(source, language).read();
}

std::size_t directive_end(std::string_view source, std::size_t offset) {
  const std::string_view rest = source.substr(offset);
  if (!rest.starts_with('#') && !rest.starts_with("%:")) return offset;
  for (std::size_t at = offset; at > 0 && source[at - 1] != '\n'; --at) {
    const bool mark = at <= byte_order_mark.size() && source.starts_with(byte_order_mark);
    if (!is_blank(source[at - 1]) && !mark) return offset;
  }
  std::size_t end = source.find('\n', offset);
  while (end != std::string_view::npos) {
    const std::size_t last = end - (source[end - 1] == '\r' ? 2 : 1);
    if (source[last] != '\\') return end;
    end = source.find('\n', end + 1);
  }
  return source.size();
}

std::vector<std::string_view> tokens(std::string_view source, std::string_view language) {
  std::vector<std::string_view> texts;
  for (const Token& token : tokens_and_comments(source, language)) {
    if (token.kind != TokenKind::comment) texts.push_back(token.text);
  }
  return texts;
}

}  // namespace lectern
