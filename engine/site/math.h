#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace lectern {

struct Formula {
  std::string tex;
  bool display = false;
};

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
                              Replacement&& replacement);

/// The formula as written, delimiters included.
std::string source_of(const Formula& formula);

/// KaTeX. Its program is loaded with the first formula; each distinct formula is typeset once.
class MathTypesetter {
 public:
  MathTypesetter();
  MathTypesetter(const MathTypesetter&) = delete;
  MathTypesetter& operator=(const MathTypesetter&) = delete;
  ~MathTypesetter();

  /// HTML of the formula. One that KaTeX refuses is shown as its source, with the reason as its title.
  const std::string& typeset(const Formula& formula);

  /// What KaTeX refused since the last call: "$\foo$: reason".
  std::vector<std::string> take_errors();

 private:
  struct Engine;
  std::unique_ptr<Engine> engine_;
  std::unordered_map<std::string, std::string> typeset_;
  std::vector<std::string> errors_;
};

inline constexpr std::string_view kFormulaBegin = "\xEE\x80\x80";  // U+E000
inline constexpr std::string_view kFormulaEnd = "\xEE\x80\x81";    // U+E001

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

}  // namespace lectern
