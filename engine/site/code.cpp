#include "site/code.h"

#include <algorithm>

#include "instrument/directives.h"
#include "instrument/highlight.h"
#include "site/html.h"

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
      const std::string_view style = inside ? style_class(highlights_[next_].kind) : std::string_view();
      if (!style.empty()) out += "<span class=\"" + std::string(style) + "\">";
      append_escaped(out, source_.substr(begin, stop - begin));
      if (!style.empty()) out += "</span>";
      begin = stop;
    }
  }

 private:
  std::string_view source_;
  const std::vector<Highlight>& highlights_;
  std::size_t next_ = 0;  // ranges come in order
};

}  // namespace

std::vector<CodeLine> code_lines(const std::vector<std::string>& lines, std::string_view language) {
  std::string source;
  for (const std::string& line : lines) source += line + '\n';
  const std::vector<Highlight> highlights = highlight(source, language);
  const std::vector<ByteSpan> hidden = hidden_spans(source, highlights, directive_spans(source, language));
  HighlightWriter writer(source, highlights);
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
