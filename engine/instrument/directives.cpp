#include "instrument/directives.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "base/characters.h"
#include "trace/tokens.h"

namespace lectern {

namespace {

using Kind = Directive::Kind;

struct Name {
  std::string_view text;
  Kind kind;
};
constexpr Name directive_names[] = {{"inspect", Kind::inspect},   {"clear", Kind::clear},
                                    {"stepover", Kind::stepover}, {"hide", Kind::hide},
                                    {"full", Kind::full},         {"volatile", Kind::volatile_},
                                    {"tol", Kind::tolerance},     {"steps", Kind::steps}};

/// Whether the words differ by one insertion, deletion, substitution or transposition of adjacent letters.
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

/// Parses one comment. Offsets are those of `text_`, which begins at `offset_` of the source.
class Parser {
 public:
  Parser(std::string_view comment, std::size_t offset) : text_(comment), offset_(offset) {
    const bool block = text_.starts_with("/*");
    if (block && text_.ends_with("*/")) text_.remove_suffix(2);
    at_ = text_.starts_with('#') ? 1 : 2;
    if (block) blank_out_decoration();
  }

  Directives parse() {
    while (at_ < text_.size()) {
      if (text_[at_] == '@' && (at_ == 0 || !is_word(text_[at_ - 1]))) {
        parse_name();
      } else {
        ++at_;
      }
    }
    return std::move(result_);
  }

 private:
  /// The asterisks at the left margin of a block comment are not expressions.
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

  void parse_name() {
    const std::size_t begin = at_++;
    std::size_t end = at_;
    while (end < text_.size() && is_word(text_[end])) ++end;
    const std::string_view word = text_.substr(at_, end - at_);
    at_ = end;
    const auto exact = std::ranges::find(directive_names, word, &Name::text);
    if (exact != std::end(directive_names)) return parse_directive(*exact, begin);
    const auto close =
        std::ranges::find_if(directive_names, [&](auto& name) { return one_edit_apart(word, name.text); });
    if (close == std::end(directive_names)) return;
    error(begin, fmt::format("unknown directive @{}; write @{}, or remove the @", word, close->text));
  }

  void parse_directive(const Name& name, std::size_t begin) {
    if (name.kind == Kind::steps) return parse_steps(begin);
    Directive directive{.kind = name.kind, .span = {}, .items = {}};
    const bool takes_list = name.kind != Kind::stepover && name.kind != Kind::hide;
    std::size_t end = at_;
    bool valid = true;
    while (takes_list) {
      while (at_ < text_.size() && (is_blank(text_[at_]) || text_[at_] == ',')) ++at_;
      if (at_ >= text_.size() || text_[at_] == '@') break;
      const std::size_t item = at_;
      valid = skip_expression() && valid;
      const std::string_view text = text_.substr(item, at_ - item);
      if (name.kind == Kind::tolerance && text.find('=') != std::string_view::npos) {
        valid = parse_tolerance(directive, item, text) && valid;
      } else {
        valid = check_item(name, item, text) && valid;
        directive.items.push_back({std::string(text), offset_ + item});
      }
      end = at_;
    }
    if (name.kind == Kind::hide) end = parse_file(directive);
    directive.span = {offset_ + begin, offset_ + end};
    if (!valid) return;
    const bool needs_list = name.kind == Kind::inspect || name.kind == Kind::clear || name.kind == Kind::full;
    if (needs_list && directive.items.empty()) {
      return error(begin, fmt::format("@{0} without names; write @{0} followed by names", name.text));
    }
    if (name.kind == Kind::tolerance && !tolerance_given_) {
      return error(begin, "@tol without a tolerance; write @tol rel=1e-4 abs=0, then the names");
    }
    tolerance_given_ = false;
    result_.found.push_back(std::move(directive));
  }

  /// The next word, which ends at a blank, a comma or an @; empty at the end of the list.
  std::string_view next_word() {
    while (at_ < text_.size() && (is_blank(text_[at_]) || text_[at_] == ',')) ++at_;
    const std::size_t begin = at_;
    while (at_ < text_.size() && !is_blank(text_[at_]) && text_[at_] != ',' && text_[at_] != '@') ++at_;
    return text_.substr(begin, at_ - begin);
  }

  /// `@hide file` and nothing else: what follows @hide may be prose. Returns where the directive ends.
  std::size_t parse_file(Directive& directive) {
    const std::size_t begin = at_;
    const std::string_view word = next_word();
    const std::size_t end = at_;
    const std::string_view after = next_word();
    at_ = begin;
    if (word != "file" || !after.empty()) return begin;
    directive.items.push_back({std::string(word), offset_ + end - word.size()});
    return at_ = end;
  }

  void parse_steps(std::size_t begin) {
    static constexpr std::string_view kUsage = "write @steps first 3 last 1, or one of both";
    constexpr int kMost = 1'000'000;
    Directive directive{.kind = Kind::steps, .span = {}, .items = {}};
    bool first_given = false, last_given = false;
    std::size_t end = at_;
    for (std::string_view word = next_word(); !word.empty(); word = next_word()) {
      const bool first = word == "first";
      if (!first && word != "last") {
        const bool number = is_digit(word.front());
        return error(
            at_ - word.size(),
            fmt::format("'{}' after @steps is {}; {}", word,
                        number ? "a number of which passes is not said" : "neither first nor last", kUsage));
      }
      if (std::exchange(first ? first_given : last_given, true))
        return error(at_ - word.size(), fmt::format("'{}' stands twice after @steps; {}", word, kUsage));
      const std::string_view number = next_word();
      int& count = first ? directive.first : directive.last;
      const auto [rest, problem] = std::from_chars(number.data(), number.data() + number.size(), count);
      if (problem != std::errc() || rest != number.data() + number.size() || count < 0 || count > kMost) {
        return error(at_ - number.size(), fmt::format("'{}' after {} is no number of passes up to {}; {}",
                                                      number, word, kMost, kUsage));
      }
      end = at_;
    }
    if (!first_given && !last_given) return error(begin, fmt::format("@steps without numbers; {}", kUsage));
    if (directive.first + directive.last == 0)
      return error(begin, "@steps records no pass; write @stepover, which makes one step of the loop");
    directive.span = {offset_ + begin, offset_ + end};
    result_.found.push_back(std::move(directive));
  }

  /// Moves past one expression: up to a blank or comma outside brackets and quotes.
  bool skip_expression() {
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
        error(at_, fmt::format("unmatched '{}' in the directive", c));
        ++at_;
        return false;
      } else if (c == '"' || (c == '\'' && (at_ == begin || !is_word(text_[at_ - 1])))) {
        const std::size_t quote = at_++;
        while (at_ < text_.size() && text_[at_] != c) at_ += text_[at_] == '\\' ? 2 : 1;
        if (at_ >= text_.size()) {
          at_ = text_.size();
          error(quote, "unterminated quotation in the directive");
          return false;
        }
      }
    }
    if (open.empty()) return true;
    error(begin, fmt::format("missing '{}' in the directive", open.back()));
    return false;
  }

  /// Whether the < at the current offset opens template arguments: it follows a name directly, and what
  /// follows the matching > can follow template arguments.
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

  bool check_item(const Name& name, std::size_t at, std::string_view text) {
    const bool marks_names = name.kind == Kind::volatile_ || name.kind == Kind::tolerance;
    const bool all = text == "*" && (marks_names || name.kind == Kind::inspect);
    const char first = text.front();
    const bool begins_well = is_word(first) ||
                             std::string_view("*&!-+~(:\"'[").find(first) != std::string_view::npos ||
                             static_cast<unsigned char>(first) >= 0x80;
    if (!all && (!begins_well || text == "*" || text.find(';') != std::string_view::npos)) {
      error(at, fmt::format("'{}' after @{} is not an expression; remove it", text, name.text));
      return false;
    }
    if (marks_names && text.find_first_of(" \t\r\n") != std::string_view::npos) {
      error(at, fmt::format(
                    "'{}' after @{} contains whitespace; write it without, here and where it is inspected",
                    text, name.text));
      return false;
    }
    return true;
  }

  bool parse_tolerance(Directive& directive, std::size_t at, std::string_view text) {
    const std::size_t equals = text.find('=');
    const std::string_view key = text.substr(0, equals);
    const std::string_view number = text.substr(equals + 1);
    double value = 0;
    const auto [end, problem] = std::from_chars(number.data(), number.data() + number.size(), value);
    const bool is_number = problem == std::errc() && end == number.data() + number.size() && !number.empty();
    if ((key != "rel" && key != "abs") || !is_number || !std::isfinite(value) || value < 0) {
      error(at, fmt::format("invalid tolerance '{}'; write rel= or abs= followed by a non-negative number",
                            text));
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

std::string_view directive_name(Directive::Kind kind) {
  return std::ranges::find(directive_names, kind, &Name::kind)->text;
}

Directives parse_directives(std::string_view comment, std::size_t offset) {
  if (comment.find('@') == std::string_view::npos) return {};
  return Parser(comment, offset).parse();
}

std::vector<ByteSpan> directive_spans(std::string_view source, std::string_view language) {
  std::vector<ByteSpan> spans;
  for (const Token& token : tokens_and_comments(source, language)) {
    if (token.kind != TokenKind::comment) continue;
    for (const Directive& directive : parse_directives(token.text, offset_in(source, token.text)).found)
      spans.push_back(directive.span);
  }
  return spans;
}

}  // namespace lectern
