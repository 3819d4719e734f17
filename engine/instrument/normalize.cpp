#include "instrument/normalize.h"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>
#include <vector>

#include "base/characters.h"
#include "trace/tokens.h"

namespace lectern {

namespace {

struct Spelling {
  std::string_view token, symbol;
};
// A brace ends where its digraph ends: probes follow it.
constexpr Spelling spellings[] = {{"and", "&&"},   {"and_eq", "&="}, {"bitand", "&"},  {"bitor", "|"},
                                  {"compl", "~"},  {"not", "!"},     {"not_eq", "!="}, {"or", "||"},
                                  {"or_eq", "|="}, {"xor", "^"},     {"xor_eq", "^="}, {"<%", " {"},
                                  {"%>", " }"},    {"<:", "["},      {":>", " ]"},     {"%:", "#"}};

/// Lines stay lines.
void blank(std::string& text, std::size_t offset, std::size_t size) {
  const auto begin = text.begin() + static_cast<std::ptrdiff_t>(offset);
  const auto end = begin + static_cast<std::ptrdiff_t>(size);
  std::replace_if(
      begin, end, [](char c) { return c != '\n' && c != '\r'; }, ' ');
}

class Normalizer {
 public:
  explicit Normalizer(std::string_view source)
      : source_(source), text_(source), tokens_(tokens(source, "cpp")) {}

  std::string normalize() {
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
      const auto spelling = std::ranges::find(spellings, tokens_[i], &Spelling::token);
      if (spelling != std::end(spellings)) replace(i, i + 1, spelling->symbol);
      if (const std::size_t line_end = directive_end(source_, offset(i)); line_end > offset(i)) {
        i = replace_condition(i, line_end);
      } else if (is(i, "case")) {
        const std::size_t colon = label_end(i + 1);
        if (colon > i + 1) replace(i + 1, colon, "0");
      } else if (is(i, "typeid", "va_arg") && is(i + 1, "(")) {
        const std::size_t close = closing(i + 1);
        if (close > i + 2) replace(i + 2, close, "0");
      } else if (is(i, "[[") && i > 0) {
        const std::size_t end = attribute_end(i);
        if (is(i - 1, "struct", "class", "union", "enum") || is(end, "=", ",", "}")) replace(i, end, "");
      } else if (is(i, ":") && is_number(i + 1)) {
        const bool unnamed = is(i - 1, "int", "unsigned", "signed", "char", "short", "long", "bool");
        if (unnamed || is(i + 2, "=", "{")) replace(i, i + 2, "");  // the width of a bit-field
      } else if (is(i, "if")) {
        const std::size_t word = is(i + 1, "!", "not") ? i + 2 : i + 1;
        if (!is(word, "consteval")) continue;
        replace(i + 1, word + 1, "(");
        text_.replace(offset(word) + tokens_[word].size() - 2, 2, "0)");
        i = word;
      }
    }
    return std::move(text_);
  }

 private:
  template <typename... Texts>
  bool is(std::size_t i, Texts... texts) const {
    return i < tokens_.size() && ((tokens_[i] == texts) || ...);
  }
  bool is_number(std::size_t i) const { return i < tokens_.size() && is_digit(tokens_[i].front()); }
  std::size_t offset(std::size_t i) const { return offset_in(source_, tokens_[i]); }

  /// Replaces the tokens [first, last) by `text`, which is no longer than the first of them, and blanks.
  void replace(std::size_t first, std::size_t last, std::string_view text) {
    for (std::size_t i = first; i < last; ++i) blank(text_, offset(i), tokens_[i].size());
    text_.replace(offset(first), text.size(), text);
  }
  /// Replaces the condition of the directive that begins with token `i` and ends at offset `end`; returns its
  /// last token.
  std::size_t replace_condition(std::size_t i, std::size_t end) {
    std::size_t last = i + 1;
    while (last < tokens_.size() && offset(last) < end) ++last;
    if (is(i + 1, "if", "elif") && last > i + 2) replace(i + 2, last, "0");
    return last - 1;
  }

  /// The colon of a `case`; 0 when there is none.
  std::size_t label_end(std::size_t i) const {
    int questions = 0;
    for (; i < tokens_.size() && !is(i, ";", "{", "}"); ++i) {
      if (is(i, "?")) ++questions;
      if (is(i, ":") && questions-- == 0) return i;
    }
    return 0;
  }

  std::size_t attribute_end(std::size_t i) const {
    while (i < tokens_.size() && !is(i, "]]")) ++i;
    return std::min(i + 1, tokens_.size());
  }

  std::size_t closing(std::size_t i) const {
    int depth = 0;
    for (; i < tokens_.size(); ++i) {
      if (is(i, "(")) ++depth;
      if (is(i, ")") && --depth == 0) return i;
    }
    return 0;
  }

  std::string_view source_;
  std::string text_;
  std::vector<std::string_view> tokens_;
};

}  // namespace

std::string without_comments_in_macros(std::string_view source) {
  std::string text(source);
  std::size_t end = 0;  // of the last directive
  bool defines = false;
  const std::vector<Token> all = tokens_and_comments(source, "cpp");
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::size_t begin = offset_in(source, all[i].text);
    if (const std::size_t line_end = directive_end(source, begin); line_end > begin && begin >= end) {
      end = line_end;
      defines = i + 1 < all.size() && all[i + 1].text == "define";
    } else if (all[i].kind == TokenKind::comment && defines && begin + all[i].text.size() < end) {
      blank(text, begin, all[i].text.size());
    }
  }
  return text;
}

std::string normalize_for_grammar(std::string_view source) {
  return Normalizer(source).normalize();
}

}  // namespace lectern
