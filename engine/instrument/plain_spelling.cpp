#include "instrument/plain_spelling.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "trace/tokens.h"

namespace lectern {

namespace {

/// Braces end where their digraphs end: probes stand behind them.
constexpr std::array<std::pair<std::string_view, std::string_view>, 16> symbols{{{"and", "&&"},
                                                                                 {"and_eq", "&="},
                                                                                 {"bitand", "&"},
                                                                                 {"bitor", "|"},
                                                                                 {"compl", "~"},
                                                                                 {"not", "!"},
                                                                                 {"not_eq", "!="},
                                                                                 {"or", "||"},
                                                                                 {"or_eq", "|="},
                                                                                 {"xor", "^"},
                                                                                 {"xor_eq", "^="},
                                                                                 {"<%", " {"},
                                                                                 {"%>", " }"},
                                                                                 {"<:", "["},
                                                                                 {":>", " ]"},
                                                                                 {"%:", "#"}}};

class Speller {
 public:
  explicit Speller(std::string_view source)
      : source_(source), text_(source), tokens_(tokens(source, "cpp")) {}

  std::string spell() {
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
      const std::string_view token = tokens_[i];
      const auto symbol = std::find_if(symbols.begin(), symbols.end(),
                                       [&](const auto& candidate) { return candidate.first == token; });
      if (symbol != symbols.end()) replace(i, i + 1, symbol->second);
      if (const std::size_t line = directive_end(source_, offset(i)); line > offset(i)) {
        i = directive(i, line);
      } else if (token == "case") {
        const std::size_t colon = label_end(i + 1);
        if (colon > i + 1) replace(i + 1, colon, "0");
      } else if ((token == "typeid" || token == "va_arg") && is(i + 1, "(")) {
        const std::size_t close = closing(i + 1);
        if (close > i + 2) replace(i + 2, close, "0");
      } else if (token == "[[" && i > 0) {
        const std::size_t end = after_attribute(i);
        const bool of_type = is_one_of(i - 1, {"struct", "class", "union", "enum"});
        if (of_type || is_one_of(end, {"=", ",", "}"})) replace(i, end, "");
      } else if (token == "if") {
        const std::size_t word = is(i + 1, "!") || is(i + 1, "not") ? i + 2 : i + 1;
        if (!is(word, "consteval")) continue;
        replace(i + 1, word + 1, "(");
        text_.replace(offset(word) + tokens_[word].size() - 2, 2, "0)");
        i = word;
      }
    }
    return std::move(text_);
  }

 private:
  bool is(std::size_t i, std::string_view token) const { return i < tokens_.size() && tokens_[i] == token; }
  bool is_one_of(std::size_t i, std::initializer_list<std::string_view> words) const {
    return std::any_of(words.begin(), words.end(), [&](std::string_view word) { return is(i, word); });
  }
  std::size_t offset(std::size_t i) const {
    return static_cast<std::size_t>(tokens_[i].data() - source_.data());
  }

  /// Writes `words`, no longer than the first token, and blanks over the tokens from first to last.
  void replace(std::size_t first, std::size_t last, std::string_view words) {
    for (std::size_t i = first; i < last; ++i) {
      for (std::size_t at = offset(i); at < offset(i) + tokens_[i].size(); ++at) {
        if (text_[at] != '\n' && text_[at] != '\r') text_[at] = ' ';
      }
    }
    text_.replace(offset(first), words.size(), words);
  }

  /// Past a directive's last token; `end` is where its line ends.
  std::size_t directive(std::size_t i, std::size_t end) {
    std::size_t last = i + 1;
    while (last < tokens_.size() && offset(last) < end) ++last;
    const bool conditional = is(i + 1, "if") || is(i + 1, "elif");
    if (conditional && last > i + 2) replace(i + 2, last, "0");
    return last - 1;
  }

  /// The colon of `case`, or nothing found.
  std::size_t label_end(std::size_t i) const {
    int questions = 0;
    for (; i < tokens_.size() && !is(i, ";") && !is(i, "{") && !is(i, "}"); ++i) {
      if (is(i, "?")) ++questions;
      if (is(i, ":") && questions-- == 0) return i;
    }
    return 0;
  }

  std::size_t after_attribute(std::size_t i) const {
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

std::string plain_spelling(std::string_view source) {
  return Speller(source).spell();
}

}  // namespace lectern
