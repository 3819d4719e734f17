#include "instrument/directives.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include "base/characters.h"
#include "trace/tokens.h"

namespace lectern {

namespace {

using Kind = Directive::Kind;

struct Word {
  std::string_view name;
  Kind kind;
};
constexpr std::array<Word, 7> kWords{{{"inspect", Kind::inspect},
                                      {"clear", Kind::clear},
                                      {"stepover", Kind::stepover},
                                      {"hide", Kind::hide},
                                      {"full", Kind::full},
                                      {"volatile", Kind::volatile_},
                                      {"tol", Kind::tolerance}}};

/// Whether one letter added, left out, changed or swapped with its neighbour makes one word of the other.
bool one_edit_apart(std::string_view a, std::string_view b) {
  if (a.size() > b.size()) std::swap(a, b);
  if (b.size() - a.size() > 1) return false;
  std::size_t same = 0;
  while (same < a.size() && a[same] == b[same]) ++same;
  a.remove_prefix(same);
  b.remove_prefix(same);
  if (a.size() < b.size()) return a == b.substr(1);
  if (a.empty()) return false;
  if (a.substr(1) == b.substr(1)) return true;
  return a.size() >= 2 && a[0] == b[1] && a[1] == b[0] && a.substr(2) == b.substr(2);
}

/// Reads one comment. Every position is in `text_`; the source's begin at `offset_`.
class Reader {
 public:
  Reader(std::string_view comment, std::size_t offset) : text_(comment), offset_(offset) {
    const bool block = text_.starts_with("/*");
    if (block && text_.ends_with("*/")) text_.remove_suffix(2);
    at_ = text_.starts_with('#') ? 1 : 2;
    if (block) blank_out_decoration();
  }

  Directives read() {
    while (at_ < text_.size()) {
      if (text_[at_] == '@' && (at_ == 0 || !is_word(text_[at_ - 1]))) {
        read_word();
      } else {
        ++at_;
      }
    }
    return std::move(result_);
  }

 private:
  /// The asterisks that decorate the lines of a block comment are no expressions.
  void blank_out_decoration() {
    owned_ = std::string(text_);
    for (std::size_t at = owned_.find('\n'); at != std::string::npos; at = owned_.find('\n', at)) {
      while (at < owned_.size() && is_blank(owned_[at])) ++at;
      if (at + 1 < owned_.size() && owned_[at] == '*' && is_blank(owned_[at + 1])) owned_[at] = ' ';
    }
    text_ = owned_;
  }

  void error(std::size_t at, std::string message) {
    result_.errors.push_back({offset_ + at, std::move(message)});
  }

  void read_word() {
    const std::size_t begin = at_++;
    std::size_t end = at_;
    while (end < text_.size() && is_word(text_[end])) ++end;
    const std::string_view word = text_.substr(at_, end - at_);
    at_ = end;
    for (const Word& known : kWords) {
      if (word == known.name) return read_directive(known, begin);
    }
    for (const Word& known : kWords) {
      if (one_edit_apart(word, known.name)) {
        return error(begin,
                     fmt::format("@{} is no directive; write @{}, or leave out the @", word, known.name));
      }
    }
  }

  void read_directive(const Word& word, std::size_t begin) {
    Directive directive{.kind = word.kind, .span = {}, .items = {}};
    const bool takes_list = word.kind != Kind::stepover && word.kind != Kind::hide;
    std::size_t end = at_;
    bool sound = true;
    while (takes_list) {
      while (at_ < text_.size() && (is_blank(text_[at_]) || text_[at_] == ',')) ++at_;
      if (at_ >= text_.size() || text_[at_] == '@') break;
      const std::size_t item = at_;
      sound = read_expression() && sound;
      const std::string_view text = text_.substr(item, at_ - item);
      if (word.kind == Kind::tolerance && text.find('=') != std::string_view::npos) {
        sound = read_tolerance(directive, item, text) && sound;
      } else {
        sound = check_item(word, item, text) && sound;
        directive.items.push_back({std::string(text), offset_ + item});
      }
      end = at_;
    }
    directive.span = {offset_ + begin, offset_ + end};
    if (!sound) return;
    const bool needs_list = word.kind == Kind::inspect || word.kind == Kind::clear || word.kind == Kind::full;
    if (needs_list && directive.items.empty()) {
      return error(begin, fmt::format("@{0} names nothing; write @{0} followed by names", word.name));
    }
    if (word.kind == Kind::tolerance && !tolerance_given_) {
      return error(begin, "@tol gives no tolerance; write @tol rel=1e-4 abs=0 and then the names");
    }
    tolerance_given_ = false;
    result_.found.push_back(std::move(directive));
  }

  /// Moves past one expression: up to a blank or comma outside of brackets and quotes.
  bool read_expression() {
    const std::size_t begin = at_;
    std::string open;
    for (; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      if (open.empty() && (is_blank(c) || c == ',' || c == '@')) return true;
      if (c == '(' || c == '[' || c == '{' || opens_arguments(begin)) {
        open += c == '(' ? ')' : c == '[' ? ']' : c == '{' ? '}' : '>';
      } else if (!open.empty() && c == open.back()) {
        open.pop_back();
      } else if (c == ')' || c == ']' || c == '}') {
        error(at_, fmt::format("'{}' closes nothing in the directive", c));
        ++at_;
        return false;
      } else if (c == '"' || (c == '\'' && (at_ == begin || !is_word(text_[at_ - 1])))) {
        const std::size_t quote = at_++;
        while (at_ < text_.size() && text_[at_] != c) at_ += text_[at_] == '\\' ? 2 : 1;
        if (at_ >= text_.size()) {
          at_ = text_.size();
          error(quote, "a quotation mark in the directive is not closed");
          return false;
        }
      }
    }
    if (open.empty()) return true;
    error(begin, fmt::format("'{}' is missing in the directive", open.back()));
    return false;
  }

  /// Whether the < at hand begins template arguments: it follows a name directly, and the > that ends them is
  /// followed by what may follow them.
  bool opens_arguments(std::size_t begin) const {
    if (text_[at_] != '<' || at_ == begin || !is_word(text_[at_ - 1])) return false;
    int depth = 0;
    for (std::size_t at = at_; at < text_.size() && text_[at] != '@'; ++at) {
      if (text_[at] == '<') ++depth;
      if (text_[at] == '>' && --depth == 0) {
        return at + 1 < text_.size() &&
               (text_[at + 1] == '(' || text_[at + 1] == ':' || text_[at + 1] == '{');
      }
    }
    return false;
  }

  bool check_item(const Word& word, std::size_t at, std::string_view text) {
    const bool all = text == "*" && (word.kind == Kind::volatile_ || word.kind == Kind::tolerance);
    const char first = text.front();
    const bool begins_well = is_word(first) ||
                             std::string_view("*&!-+~(:\"'[").find(first) != std::string_view::npos ||
                             static_cast<unsigned char>(first) >= 0x80;
    if (!all && (!begins_well || text.find(';') != std::string_view::npos)) {
      error(at, fmt::format("'{}' after @{} is no expression; leave it out", text, word.name));
      return false;
    }
    const bool flags_names = word.kind == Kind::volatile_ || word.kind == Kind::tolerance;
    if (flags_names && text.find_first_of(" \t\r\n") != std::string_view::npos) {
      error(at, fmt::format("'{}' after @{} holds blanks; write it without, here and where it is inspected",
                            text, word.name));
      return false;
    }
    return true;
  }

  bool read_tolerance(Directive& directive, std::size_t at, std::string_view text) {
    const std::size_t equals = text.find('=');
    const std::string_view key = text.substr(0, equals);
    const std::string_view number = text.substr(equals + 1);
    double value = 0;
    const auto [end, problem] = std::from_chars(number.data(), number.data() + number.size(), value);
    const bool is_number = problem == std::errc() && end == number.data() + number.size() && !number.empty();
    if ((key != "rel" && key != "abs") || !is_number || !std::isfinite(value) || value < 0) {
      error(at,
            fmt::format("'{}' is no tolerance; write rel= or abs= and a number that is not negative", text));
      return false;
    }
    (key == "rel" ? directive.relative : directive.absolute) = value;
    tolerance_given_ = true;
    return true;
  }

  std::string_view text_;
  std::string owned_;
  std::size_t offset_;
  std::size_t at_ = 0;
  bool tolerance_given_ = false;
  Directives result_;
};

}  // namespace

std::string_view word_of(Directive::Kind kind) {
  return std::find_if(kWords.begin(), kWords.end(), [&](const Word& word) { return word.kind == kind; })
      ->name;
}

Directives read_directives(std::string_view comment, std::size_t offset) {
  if (comment.find('@') == std::string_view::npos) return {};
  return Reader(comment, offset).read();
}

std::vector<ByteSpan> directive_spans(std::string_view source, std::string_view language) {
  std::vector<ByteSpan> spans;
  for (const Token& token : tokens_and_comments(source, language)) {
    if (token.kind != TokenKind::comment) continue;
    const auto offset = static_cast<std::size_t>(token.text.data() - source.data());
    for (const Directive& directive : read_directives(token.text, offset).found)
      spans.push_back(directive.span);
  }
  return spans;
}

}  // namespace lectern
