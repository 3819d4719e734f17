#include "site/code.h"

#include <algorithm>
#include <array>
#include <iterator>

#include "base/characters.h"
#include "base/html.h"
#include "instrument/directives.h"
#include "site/highlight.h"

namespace lectern {
namespace {

/// The class of a style sheet.
std::string_view style_class(HighlightClass kind) {
  // In the order of HighlightClass.
  constexpr std::array<std::string_view, 9> classes{"k", "t", "f", "m", "s", "cm", "p", "m", ""};
  return classes[static_cast<std::size_t>(kind)];
}

bool blank(char c) {
  return c == ' ' || c == '\t' || c == '\r';
}

bool all_blank(std::string_view text) {
  return std::ranges::all_of(text, blank);
}

/// What to hide with the directives: the blanks before them, and the whole comment when it has no other text.
std::vector<ByteSpan> hidden_spans(std::string_view source, const std::vector<Highlight>& highlights,
                                   const std::vector<ByteSpan>& directives) {
  const auto extend_over_blanks = [&](ByteSpan span) {
    while (span.begin > 0 && blank(source[span.begin - 1])) --span.begin;
    return span;
  };
  std::vector<ByteSpan> hidden;
  std::ranges::transform(directives, std::back_inserter(hidden), extend_over_blanks);
  for (const Highlight& highlight : highlights) {
    if (highlight.kind != HighlightClass::comment) continue;
    const ByteSpan comment{highlight.begin, highlight.end};
    std::string rest(source.substr(comment.begin, comment.end - comment.begin));
    bool any = false;
    for (const ByteSpan& directive : directives) {
      if (!comment.contains(directive)) continue;
      any = true;
      const std::size_t size = directive.end - directive.begin;
      rest.replace(directive.begin - comment.begin, size, size, ' ');
    }
    // Only delimiters, separators and asterisks at the margin are left.
    if (!any || rest.find_first_not_of(" \t\r\n/*#,;") != std::string::npos) continue;
    std::erase_if(hidden,
                  [&](const ByteSpan& span) { return span.end > comment.begin && span.end <= comment.end; });
    hidden.push_back(extend_over_blanks(comment));
  }
  std::ranges::sort(hidden, {}, &ByteSpan::begin);
  return hidden;
}

constexpr std::size_t kLongWord = 32;  // characters; a shorter word fits on a line of a phone

/// Whether a long word may be broken before source[at]: after `::`, an opening parenthesis or a comma, before
/// `.` and `->`.
bool is_break(std::string_view source, std::size_t at) {
  if (at < 2 || at + 1 >= source.size()) return false;
  const char before = source[at - 1], here = source[at];
  if (is_blank(before) || is_blank(here)) return false;
  if (before == '(' || before == ',') return here != ')';
  if (before == ':' && source[at - 2] == ':') return true;
  const bool follows = is_word(before) || before == ')' || before == ']' || before == '>';
  if (here == '-' && source[at + 1] == '>') return follows;
  return here == '.' && follows && is_word(source[at + 1]) && !is_digit(source[at + 1]);
}

/// Whether the word around source[at] is long. Looks no further than needed.
bool is_in_long_word(std::string_view source, std::size_t at) {
  std::size_t begin = at, end = at;
  while (begin > 0 && at - begin < kLongWord && !is_blank(source[begin - 1])) --begin;
  while (end < source.size() && end - begin < kLongWord && !is_blank(source[end])) ++end;
  return end - begin >= kLongWord;
}

/// Escaped code that may be broken between words and, in long ones, where is_break says. Browsers would break
/// `it->second` after its hyphen; the class h forbids it.
void append_breakable(std::string& out, std::string_view source, std::size_t begin, std::size_t end) {
  std::size_t written = begin;
  for (std::size_t at = begin; at < end; ++at) {
    const bool breaks = is_break(source, at) && is_in_long_word(source, at);
    const bool hyphen = source[at] == '-' && at + 1 < source.size() && !is_blank(source[at + 1]);
    if (!breaks && !hyphen) continue;
    append_escaped(out, source.substr(written, at - written));
    if (breaks) out += "<wbr>";
    if (hyphen) out += "<span class=\"h\">-</span>";
    written = hyphen ? at + 1 : at;
  }
  append_escaped(out, source.substr(written, end - written));
}

/// Finds the span at an offset among sorted, disjoint ones; offsets are asked for in ascending order.
template <typename Span>
class SpanCursor {
 public:
  explicit SpanCursor(const std::vector<Span>& spans) : next_(spans.begin()), end_(spans.end()) {}

  struct Position {
    const Span* span;  ///< null between spans
    std::size_t stop;  ///< where the span, or the gap between spans, ends: at most the given end
  };
  Position find(std::size_t begin, std::size_t end) {
    while (next_ != end_ && next_->end <= begin) ++next_;
    if (next_ == end_) return {nullptr, end};
    if (next_->begin > begin) return {nullptr, std::min<std::size_t>(end, next_->begin)};
    return {&*next_, std::min<std::size_t>(end, next_->end)};
  }

 private:
  typename std::vector<Span>::const_iterator next_, end_;
};

/// Writes bytes [begin, end) of a source, without a line feed, with a span element around each highlight.
class HighlightWriter {
 public:
  HighlightWriter(std::string_view source, const std::vector<Highlight>& highlights)
      : source_(source), cursor_(highlights) {}

  void write(std::string& out, std::size_t begin, std::size_t end) {
    while (begin < end) {
      const auto [highlight, stop] = cursor_.find(begin, end);
      const HighlightClass kind = highlight != nullptr ? highlight->kind : HighlightClass::operator_;
      const std::string_view style = style_class(kind);
      if (!style.empty()) out.append("<span class=\"").append(style).append("\">");
      if (kind == HighlightClass::comment || kind == HighlightClass::string) {
        append_escaped(out, source_.substr(begin, stop - begin));
      } else {
        append_breakable(out, source_, begin, stop);
      }
      if (!style.empty()) out += "</span>";
      begin = stop;
    }
  }

 private:
  std::string_view source_;
  SpanCursor<Highlight> cursor_;
};

/// The source with comments replaced by blanks.
std::string remove_comments(std::string source, const std::vector<Highlight>& highlights) {
  for (const Highlight& comment : highlights) {
    if (comment.kind != HighlightClass::comment) continue;
    std::replace_if(
        source.begin() + comment.begin, source.begin() + comment.end, [](char c) { return c != '\n'; }, ' ');
  }
  return source;
}

}  // namespace

std::vector<CodeLine> code_lines(const std::vector<std::string>& lines, std::string_view language) {
  std::string source;
  for (const std::string& line : lines) source += line + '\n';
  const std::vector<Highlight> highlights = highlight(source, language);
  const std::vector<ByteSpan> hidden = hidden_spans(source, highlights, directive_spans(source, language));
  const std::string code = remove_comments(source, highlights);
  HighlightWriter writer(source, highlights);
  SpanCursor cursor(hidden);
  std::vector<CodeLine> result;
  std::size_t begin = 0;
  for (const std::string& line : lines) {
    const std::size_t end = begin + line.size();
    CodeLine& shown = result.emplace_back();
    shown.code = code.substr(begin, line.size());
    shown.blank = all_blank(line);
    shown.hidden = !shown.blank;
    for (std::size_t at = begin; at < end;) {
      const auto [directive, stop] = cursor.find(at, end);
      if (directive != nullptr) shown.html += "<span class=\"directive\">";
      writer.write(shown.html, at, stop);
      if (directive != nullptr) shown.html += "</span>";
      shown.hidden = shown.hidden && (directive != nullptr || all_blank(line.substr(at - begin, stop - at)));
      at = stop;
    }
    begin = end + 1;
  }
  return result;
}

std::string highlighted(std::string_view code, std::string_view language) {
  const std::vector<Highlight> highlights = highlight(code, language);
  std::string out;
  HighlightWriter(code, highlights).write(out, 0, code.size());
  return out;
}

}  // namespace lectern
