#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace lectern {

/// Mathematics in Markdown: `$…$` with no blank inside of its delimiters and no digit after it, `$$…$$`,
/// both within a paragraph; not in code spans and fences, nor where `\$` stands.

struct MarkdownPiece {
  enum class Kind : std::uint8_t { text, code, formula };
  Kind kind;
  std::string_view text;  ///< as written, delimiters included
};

/// How often a backslash has to be written that mathematics is to get. Twice, where Markdown reads all of a
/// text first, formulas too: `\\$` is then what `\$` is otherwise, a dollar that delimits nothing.
enum class Backslashes : std::uint8_t { once, twice };

/// The pieces of the text in their order; together they are the text.
std::vector<MarkdownPiece> markdown_pieces(std::string_view markdown,
                                           Backslashes backslashes = Backslashes::once);

struct Formula {
  std::string tex;
  bool display = false;
};
Formula parse_formula(const MarkdownPiece& piece);

inline constexpr std::string_view kFormulaBegin = "\xEE\x80\x80";  // U+E000
inline constexpr std::string_view kFormulaEnd = "\xEE\x80\x81";    // U+E001

/// Markdown with each formula replaced by a placeholder: U+E000, its number, U+E001. Those two code points
/// become U+FFFD where the input holds them itself. Code spans, fences and `\$` are left alone.
struct ExtractedMath {
  std::string markdown;
  std::vector<Formula> formulas;
};
ExtractedMath extract_math(std::string_view markdown);

/// Replaces each placeholder by what `replacement` makes of its formula.
template <typename Replacement>
std::string fill_placeholders(std::string_view text, const std::vector<Formula>& formulas,
                              Replacement&& replacement) {
  std::string out;
  for (;;) {
    const std::size_t begin = text.find(kFormulaBegin);
    if (begin == std::string_view::npos) break;
    out += text.substr(0, begin);
    text.remove_prefix(begin + kFormulaBegin.size());
    std::size_t number = 0;
    while (!text.empty() && text.front() >= '0' && text.front() <= '9') {
      number = number * 10 + static_cast<std::size_t>(text.front() - '0');
      text.remove_prefix(1);
    }
    if (text.starts_with(kFormulaEnd)) text.remove_prefix(kFormulaEnd.size());
    if (number < formulas.size()) out += replacement(formulas[number]);
  }
  out += text;
  return out;
}

/// The formula as written, delimiters included.
std::string formula_source(const Formula& formula);

}  // namespace lectern
