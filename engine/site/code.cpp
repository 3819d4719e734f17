#include "site/code.h"

#include <algorithm>

#include "base/characters.h"
#include "base/html.h"
#include "instrument/directives.h"
#include "site/highlight.h"

namespace lectern {
namespace {

std::string_view style_class(HighlightClass kind) {
  switch (kind) {
    case HighlightClass::keyword:
      return "k";
    case HighlightClass::type:
      return "t";
    case HighlightClass::function:
      return "f";
    case HighlightClass::number:
    case HighlightClass::constant:
      return "m";
    case HighlightClass::string:
      return "s";
    case HighlightClass::comment:
      return "cm";
    case HighlightClass::preprocessor:
      return "p";
    case HighlightClass::operator_:
      return {};
  }
  return {};
}

bool blank(char c) {
  return c == ' ' || c == '\t' || c == '\r';
}

bool space(char c) {
  return blank(c) || c == '\n';
}

bool all_blank(std::string_view text) {
  return std::all_of(text.begin(), text.end(), blank);
}

/// Grows each span of directives over the blanks before it, and over the whole comment when that holds
/// nothing else.
std::vector<ByteSpan> hidden_spans(std::string_view source, const std::vector<Highlight>& highlights,
                                   const std::vector<ByteSpan>& directives) {
  std::vector<ByteSpan> hidden;
  for (const ByteSpan& directive : directives) {
    ByteSpan span = directive;
    while (span.begin > 0 && blank(source[span.begin - 1])) --span.begin;
    hidden.push_back(span);
  }
  for (const Highlight& comment : highlights) {
    if (comment.kind != HighlightClass::comment) continue;
    const auto inside = [&](const ByteSpan& s) { return s.begin >= comment.begin && s.end <= comment.end; };
    std::string rest(source.substr(comment.begin, comment.end - comment.begin));
    bool any = false;
    for (const ByteSpan& directive : directives) {
      if (!inside(directive)) continue;
      any = true;
      std::fill(rest.begin() + static_cast<std::ptrdiff_t>(directive.begin - comment.begin),
                rest.begin() + static_cast<std::ptrdiff_t>(directive.end - comment.begin), ' ');
    }
    // Delimiters, separators and stars at the margin say nothing by themselves.
    if (!any || rest.find_first_not_of(" \t\r\n/*#,;") != std::string::npos) continue;
    std::erase_if(hidden, [&](const ByteSpan& s) { return s.end > comment.begin && s.end <= comment.end; });
    ByteSpan whole{comment.begin, comment.end};
    while (whole.begin > 0 && blank(source[whole.begin - 1])) --whole.begin;
    hidden.push_back(whole);
  }
  std::sort(hidden.begin(), hidden.end(),
            [](const ByteSpan& a, const ByteSpan& b) { return a.begin < b.begin; });
  return hidden;
}

constexpr std::size_t kLongWord = 32;  // characters; shorter ones fit into a row of a phone as a whole

/// Whether a line that is too long may be broken before source[at], in a word too long for a row: after
/// `::`, an opening parenthesis or a comma, before `.` and `->`.
bool seam(std::string_view source, std::size_t at) {
  if (at < 2 || at + 1 >= source.size()) return false;
  const char before = source[at - 1], here = source[at];
  if (space(before) || space(here)) return false;
  if (before == '(' || before == ',') return here != ')';
  if (before == ':' && source[at - 2] == ':') return true;
  const bool follows = is_word(before) || before == ')' || before == ']' || before == '>';
  if (here == '-' && source[at + 1] == '>') return follows;
  return here == '.' && follows && is_word(source[at + 1]) &&
         !(source[at + 1] >= '0' && source[at + 1] <= '9');
}

/// Whether what stands around source[at] without a blank is long. Looks no further than it must.
bool in_long_word(std::string_view source, std::size_t at) {
  std::size_t begin = at, end = at;
  while (begin > 0 && at - begin < kLongWord && !space(source[begin - 1])) --begin;
  while (end < source.size() && end - begin < kLongWord && !space(source[end])) ++end;
  return end - begin >= kLongWord;
}

/// Code that may be too long for its row is broken between words and, in a long one, at its seams. Browsers
/// would break `it->second` after its hyphen; .h forbids it.
void append_breakable(std::string& out, std::string_view source, std::size_t begin, std::size_t end) {
  std::size_t written = begin;
  for (std::size_t at = begin; at < end; ++at) {
    const bool breaks = seam(source, at) && in_long_word(source, at);
    const bool hyphen = source[at] == '-' && at + 1 < source.size() && !space(source[at + 1]);
    if (!breaks && !hyphen) continue;
    append_escaped(out, source.substr(written, at - written));
    if (breaks) out += "<wbr>";
    if (hyphen) out += "<span class=\"h\">-</span>";
    written = hyphen ? at + 1 : at;
  }
  append_escaped(out, source.substr(written, end - written));
}

/// Writes bytes [begin, end) of a source, which hold no newline, with the spans around the highlighted ones.
class HighlightWriter {
 public:
  HighlightWriter(std::string_view source, const std::vector<Highlight>& highlights)
      : source_(source), highlights_(highlights) {}

  void write(std::string& out, std::size_t begin, std::size_t end) {
    while (begin < end) {
      while (next_ < highlights_.size() && highlights_[next_].end <= begin) ++next_;
      const bool any = next_ < highlights_.size();
      const bool inside = any && highlights_[next_].begin <= begin;
      const std::size_t boundary = !any ? end : inside ? highlights_[next_].end : highlights_[next_].begin;
      const std::size_t stop = std::min<std::size_t>(end, boundary);
      const HighlightClass kind = inside ? highlights_[next_].kind : HighlightClass::operator_;
      const std::string_view style = style_class(kind);
      if (!style.empty()) out += "<span class=\"" + std::string(style) + "\">";
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
  const std::vector<Highlight>& highlights_;
  std::size_t next_ = 0;  // ranges come in order
};

/// The source with blanks in place of its comments.
std::string without_comments(std::string source, const std::vector<Highlight>& highlights) {
  for (const Highlight& comment : highlights) {
    if (comment.kind != HighlightClass::comment) continue;
    for (std::size_t at = comment.begin; at < comment.end; ++at) {
      if (source[at] != '\n') source[at] = ' ';
    }
  }
  return source;
}

}  // namespace

std::vector<CodeLine> code_lines(const std::vector<std::string>& lines, std::string_view language) {
  std::string source;
  for (const std::string& line : lines) source += line + '\n';
  const std::vector<Highlight> highlights = highlight(source, language);
  const std::vector<ByteSpan> hidden = hidden_spans(source, highlights, directive_spans(source, language));
  HighlightWriter writer(source, highlights);
  const std::string code = without_comments(source, highlights);
  std::vector<CodeLine> result;
  std::size_t next = 0;
  std::size_t begin = 0;
  for (const std::string& line : lines) {
    const std::size_t end = begin + line.size();
    CodeLine shown;
    std::string visible;
    for (std::size_t at = begin; at < end;) {
      while (next < hidden.size() && hidden[next].end <= at) ++next;
      const bool inside = next < hidden.size() && hidden[next].begin <= at;
      const std::size_t boundary = next == hidden.size() ? end
                                   : inside              ? hidden[next].end
                                                         : hidden[next].begin;
      const std::size_t stop = std::min(end, boundary);
      if (inside) shown.html += "<span class=\"directive\">";
      writer.write(shown.html, at, stop);
      if (inside) shown.html += "</span>";
      if (!inside) visible += source.substr(at, stop - at);
      at = stop;
    }
    shown.code = code.substr(begin, line.size());
    shown.blank = all_blank(line);
    shown.hidden = !shown.blank && all_blank(visible);
    result.push_back(std::move(shown));
    begin = end + 1;
  }
  return result;
}

std::string highlighted(std::string_view code, std::string_view language) {
  const std::vector<Highlight> highlights =
      language.empty() ? std::vector<Highlight>() : highlight(code, language);
  std::string out;
  HighlightWriter(code, highlights).write(out, 0, code.size());
  return out;
}

}  // namespace lectern
