#include "edtrace/markdown.h"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "base/characters.h"
#include "base/html.h"
#include "base/markdown_math.h"

namespace lectern {
namespace {

constexpr std::string_view kMarkup = "\\`*_[]<>&~|!#+-=:@.";  // what Markdown could take for its own

void append_formula(std::string& out, const MarkdownPiece& piece) {
  const std::string_view formula = piece.text;
  const std::size_t delimiter = formula.starts_with("$$") ? 2 : 1;
  for (std::size_t at = 0; at < formula.size(); ++at) {
    const bool inside = at >= delimiter && at < formula.size() - delimiter;
    if (inside && kMarkup.find(formula[at]) != std::string_view::npos) out += '\\';
    out += formula[at];
  }
}

/// Whether all that Markdown could take for its own has a backslash before it, and nothing else has one.
bool is_escaped(std::string_view tex) {
  for (std::size_t at = 0; at < tex.size(); ++at) {
    if (kMarkup.find(tex[at]) == std::string_view::npos) continue;
    if (tex[at] != '\\' || ++at == tex.size() || kMarkup.find(tex[at]) == std::string_view::npos)
      return false;
  }
  return true;
}

/// What `marked` leaves of a formula: of a backslash and punctuation, the punctuation. Authors of Python
/// lectures often write TeX as if nothing read it before MathJax. Of a formula that is not escaped, its own
/// commands, `\,` and `\{`, therefore stay, and so does the end of a row, `\\`, unless it cannot be one.
std::string unescape_formula(std::string_view tex) {
  constexpr std::string_view kCommands = "{}|,:;!>_%#$";  // those of TeX, after a backslash
  const bool escaped = is_escaped(tex);
  std::string out;
  for (std::size_t at = 0; at < tex.size(); ++at) {
    const std::string_view rest = tex.substr(at);
    const char sign = rest.size() > 1 ? rest[1] : ' ';
    if (rest[0] != '\\' || !is_punctuation(sign)) {
      out += rest[0];
      continue;
    }
    const bool is_command = sign == '\\' || sign == '&' || kCommands.find(sign) != std::string_view::npos;
    if (escaped || !is_command) {
      out += sign;
      ++at;
    } else if (rest.starts_with(R"(\\\\)")) {
      out += R"(\\)";
      at += 3;
    } else if (sign == '\\' && rest.size() > 2 && kCommands.find(rest[2]) != std::string_view::npos) {
      out += rest.substr(1, 2);
      at += 2;
    } else {
      out += rest.substr(0, 2);
      ++at;
    }
  }
  return out;
}

/// With each dollar that delimits nothing escaped once.
void append_unescaped_text(std::string& out, std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const std::string_view rest = text.substr(at);
    const bool is_dollar = rest.starts_with(R"(\\$)");
    const std::size_t length = is_dollar ? 3 : rest.starts_with(R"(\\\\)") ? 4 : rest.front() == '\\' ? 2 : 1;
    out += is_dollar ? R"(\$)" : rest.substr(0, length);
    at += length;
  }
}

/// Whether `<https://…>` begins the text.
bool begins_address(std::string_view text) {
  const std::size_t end = text.find_first_of(" \t\n<>", 1);
  return text.starts_with("<http") && end != text.npos && text[end] == '>';
}

/// Takes one character, or an escaped one; what begins HTML becomes text. Returns how much it took.
std::size_t append_plain(std::string& out, std::string_view rest) {
  const std::size_t length = rest.starts_with('\\') ? std::min<std::size_t>(2, rest.size()) : 1;
  const bool is_html = rest.starts_with('<') && !begins_address(rest) && line_break_length(rest) == 0;
  out += is_html ? "&lt;" : rest.substr(0, length);
  return length;
}

void append_text(std::string& out, std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const std::string_view rest = text.substr(at);
    const char before = at > 0 ? text[at - 1] : ' ';
    if (rest.starts_with('$') || rest.starts_with("\\$")) {
      out += "\\\\$";  // what Markdown leaves is \$, which MathJax takes for no delimiter
      at += rest.find('$') + 1;
    } else if (rest.starts_with('~') && !rest.starts_with("~~") && before != '~' && before != '/') {
      out += "\\~";  // its viewer strikes out between single ones too
      ++at;
    } else {
      at += append_plain(out, rest);
    }
  }
}

void append_portable_text(std::string& out, std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const std::string_view rest = text.substr(at);
    if (rest.starts_with('$')) out += '\\';
    at += append_plain(out, rest);
  }
}

void append_unescaped_formula(std::string& out, const MarkdownPiece& piece) {
  const Formula formula = parse_formula(piece);
  out += formula_source({unescape_formula(formula.tex), formula.display});
}

/// The pieces, with texts and formulas as these write them; code stays.
template <typename AppendText, typename AppendFormula>
std::string rewritten(const std::vector<MarkdownPiece>& pieces, const AppendText& append_its_text,
                      const AppendFormula& append_its_formula) {
  std::string out;
  for (const MarkdownPiece& piece : pieces) {
    if (piece.kind == MarkdownPiece::Kind::text) {
      append_its_text(out, piece.text);
    } else if (piece.kind == MarkdownPiece::Kind::formula) {
      append_its_formula(out, piece);
    } else {
      out += piece.text;
    }
  }
  return out;
}

}  // namespace

std::string for_edtrace_viewer(std::string_view markdown) {
  return rewritten(markdown_pieces(markdown), append_text, append_formula);
}

std::string from_edtrace_viewer(std::string_view markdown) {
  return rewritten(markdown_pieces(markdown, Backslashes::twice), append_unescaped_text,
                   append_unescaped_formula);
}

std::string portable_markdown(std::string_view markdown) {
  const auto append_as_it_is = [](std::string& out, const MarkdownPiece& piece) { out += piece.text; };
  return rewritten(markdown_pieces(markdown), append_portable_text, append_as_it_is);
}

}  // namespace lectern
