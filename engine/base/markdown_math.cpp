#include "base/markdown_math.h"

#include <algorithm>

#include "base/characters.h"

namespace lectern {
namespace {

constexpr std::string_view kReplacementCharacter = "\xEF\xBF\xBD";

std::size_t run_length(std::string_view text, std::size_t at, char c) {
  std::size_t length = 0;
  while (at + length < text.size() && text[at + length] == c) ++length;
  return length;
}

/// One line at a time for fences, character by character for the rest.
class Division {
 public:
  Division(std::string_view text, Backslashes backslashes) : text_(text), backslashes_(backslashes) {}

  std::vector<MarkdownPiece> run() {
    while (at_ < text_.size()) {
      if (at_ == 0 || text_[at_ - 1] == '\n') {
        if (take_fence()) continue;
      }
      const char c = text_[at_];
      if (c == '\\') {
        take(std::min(escape_length(at_), text_.size() - at_));
      } else if (c == '`') {
        take_code_span();
      } else if (c == '$') {
        take_formula();
      } else {
        take(1);
      }
    }
    return std::move(pieces_);
  }

 private:
  /// What follows, as a piece of this kind; text joins the text before it.
  void take(std::size_t length, MarkdownPiece::Kind kind = MarkdownPiece::Kind::text) {
    const std::string_view piece = text_.substr(at_, length);
    at_ += length;
    if (kind == MarkdownPiece::Kind::text && !pieces_.empty() && pieces_.back().kind == kind) {
      std::string_view& before = pieces_.back().text;
      before = {before.data(), before.size() + piece.size()};
    } else {
      pieces_.push_back({kind, piece});
    }
  }

  /// Of what a backslash begins.
  std::size_t escape_length(std::size_t at) const {
    constexpr std::string_view kBackslash = R"(\\\\)", kDollar = R"(\\$)";  // written twice
    if (backslashes_ == Backslashes::once) return 2;
    const std::string_view rest = text_.substr(at);
    return rest.starts_with(kBackslash) ? kBackslash.size() : rest.starts_with(kDollar) ? kDollar.size() : 2;
  }

  /// The place of a line's first character after block quote marks, list marks and blanks.
  static std::string_view without_indent(std::string_view line) {
    const std::size_t begin = line.find_first_not_of(" \t>");
    return begin == std::string_view::npos ? std::string_view() : line.substr(begin);
  }

  static std::string_view after_list_mark(std::string_view line) {
    std::size_t digits = 0;
    while (digits < line.size() && digits < 9 && is_digit(line[digits])) ++digits;
    const bool bullet = !line.empty() && (line[0] == '-' || line[0] == '*' || line[0] == '+');
    const bool number = digits > 0 && digits < line.size() && (line[digits] == '.' || line[digits] == ')');
    const std::size_t mark = bullet ? 1 : number ? digits + 1 : 0;
    if (mark == 0 || mark >= line.size() || !is_blank(line[mark])) return line;
    return after_list_mark(without_indent(line.substr(mark)));
  }

  std::string_view line_at(std::size_t at) const {
    const std::size_t end = text_.find('\n', at);
    return text_.substr(at, end == std::string_view::npos ? end : end + 1 - at);
  }

  bool take_fence() {
    const std::string_view opening = after_list_mark(without_indent(line_at(at_)));
    if (opening.empty() || (opening[0] != '`' && opening[0] != '~')) return false;
    const char mark = opening[0];
    const std::size_t length = run_length(opening, 0, mark);
    if (length < 3 || (mark == '`' && opening.find('`', length) != std::string_view::npos)) return false;
    std::size_t end = at_ + line_at(at_).size();
    while (end < text_.size()) {
      const std::string_view line = line_at(end);
      const std::string_view closing = without_indent(line);
      end += line.size();
      const std::size_t count = run_length(closing, 0, mark);
      if (count >= length && closing.find_first_not_of(" \t\r\n", count) == std::string_view::npos) break;
    }
    take(end - at_, MarkdownPiece::Kind::code);
    return true;
  }

  /// Backticks without their match, before the paragraph ends, stand for themselves.
  void take_code_span() {
    const std::size_t length = run_length(text_, at_, '`');
    const std::size_t limit = paragraph_end();
    for (std::size_t close = at_ + length; close < limit;) {
      close = text_.find('`', close);
      if (close >= limit) break;
      const std::size_t count = run_length(text_, close, '`');
      close += count;
      if (count == length) return take(close - at_, MarkdownPiece::Kind::code);
    }
    take(length);
  }

  /// Of the paragraph that is being read.
  std::size_t paragraph_end() {
    if (at_ < paragraph_end_) return paragraph_end_;
    for (std::size_t at = text_.find('\n', at_); at != std::string_view::npos;
         at = text_.find('\n', at + 1)) {
      const std::size_t next = text_.find_first_not_of(" \t\r>", at + 1);
      if (next == std::string_view::npos || text_[next] == '\n') return paragraph_end_ = at;
    }
    return paragraph_end_ = text_.size();
  }

  /// The first `delimiter` from `from` on that no backslash escapes.
  std::size_t find_closing(std::size_t from, std::size_t limit, std::string_view delimiter) const {
    for (std::size_t at = from; at < limit; ++at) {
      if (text_[at] == '\\') {
        at += escape_length(at) - 1;
      } else if (text_.substr(at, delimiter.size()) == delimiter) {
        return at;
      }
    }
    return std::string_view::npos;
  }

  void take_formula() {
    const std::size_t limit = paragraph_end();
    const bool display = text_.substr(at_, 2) == "$$";
    const std::string_view delimiter = display ? "$$" : "$";
    const std::size_t begin = at_ + delimiter.size();
    const std::size_t end = find_closing(begin, limit, delimiter);
    if (end == std::string_view::npos || end == begin || end > limit) return take(delimiter.size());
    const std::size_t after = end + delimiter.size();
    if (!display) {
      const bool digit = after < text_.size() && is_digit(text_[after]);
      if (is_blank(text_[begin]) || is_blank(text_[end - 1]) || digit) return take(1);
    }
    take(after - at_, MarkdownPiece::Kind::formula);
  }

  std::string_view text_;
  Backslashes backslashes_;
  std::size_t at_ = 0;
  std::size_t paragraph_end_ = 0;
  std::vector<MarkdownPiece> pieces_;
};

std::string without_placeholders(std::string_view text) {
  std::string out(text);
  for (const std::string_view mark : {kFormulaBegin, kFormulaEnd}) {
    for (std::size_t at = out.find(mark); at != std::string::npos; at = out.find(mark, at)) {
      out.replace(at, mark.size(), kReplacementCharacter);
    }
  }
  return out;
}

}  // namespace

std::vector<MarkdownPiece> markdown_pieces(std::string_view markdown, Backslashes backslashes) {
  return Division(markdown, backslashes).run();
}

Formula parse_formula(const MarkdownPiece& piece) {
  const bool display = piece.text.starts_with("$$");
  const std::size_t delimiter = display ? 2 : 1;
  return {std::string(piece.text.substr(delimiter, piece.text.size() - 2 * delimiter)), display};
}

ExtractedMath extract_math(std::string_view markdown) {
  const std::string clean = without_placeholders(markdown);
  ExtractedMath math;
  for (const MarkdownPiece& piece : markdown_pieces(clean)) {
    if (piece.kind != MarkdownPiece::Kind::formula) {
      math.markdown += piece.text;
      continue;
    }
    math.markdown.append(kFormulaBegin).append(std::to_string(math.formulas.size())).append(kFormulaEnd);
    math.formulas.push_back(parse_formula(piece));
  }
  return math;
}

std::string formula_source(const Formula& formula) {
  const std::string_view delimiter = formula.display ? "$$" : "$";
  return std::string(delimiter) + formula.tex + std::string(delimiter);
}

}  // namespace lectern
