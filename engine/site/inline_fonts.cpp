#include "site/inline_fonts.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <vector>

#include "base/base64.h"
#include "base/files.h"
#include "base/utf8.h"

namespace lectern {
namespace {

/// In the names of the families for code (site_templates/src/fonts.mjs).
constexpr std::string_view kCodeFont = "JetBrains Mono";

/// Which class of KaTeX's is set in which of its faces (katex.css).
struct MathFace {
  std::string_view word, face;
};
constexpr std::array kMathFaces{
    MathFace{"katex", "Main-Regular"},        MathFace{"mathnormal", "Math-Italic"},
    MathFace{"mathit", "Main-Italic"},        MathFace{"textit", "Main-Italic"},
    MathFace{"mathbf", "Main-Bold"},          MathFace{"textbf", "Main-Bold"},
    MathFace{"textbf", "Main-BoldItalic"},    MathFace{"boldsymbol", "Math-BoldItalic"},
    MathFace{"amsrm", "AMS-Regular"},         MathFace{"mathbb", "AMS-Regular"},
    MathFace{"textbb", "AMS-Regular"},        MathFace{"mathcal", "Caligraphic-Regular"},
    MathFace{"mathfrak", "Fraktur-Regular"},  MathFace{"textfrak", "Fraktur-Regular"},
    MathFace{"mathtt", "Typewriter-Regular"}, MathFace{"texttt", "Typewriter-Regular"},
    MathFace{"mathscr", "Script-Regular"},    MathFace{"textscr", "Script-Regular"},
    MathFace{"mathsf", "SansSerif-Regular"},  MathFace{"textsf", "SansSerif-Regular"},
    MathFace{"mathboldsf", "SansSerif-Bold"}, MathFace{"textboldsf", "SansSerif-Bold"},
    MathFace{"mathitsf", "SansSerif-Italic"}, MathFace{"textitsf", "SansSerif-Italic"},
    MathFace{"small-op", "Size1-Regular"},    MathFace{"delim-size1", "Size1-Regular"},
    MathFace{"large-op", "Size2-Regular"},    MathFace{"delimsizing", "Size1-Regular"},
    MathFace{"delimsizing", "Size2-Regular"}, MathFace{"delimsizing", "Size3-Regular"},
    MathFace{"delimsizing", "Size4-Regular"},
};

struct CodeRange {
  char32_t first = 0, last = 0;
};

/// "U+0000-00FF,U+0131"
std::vector<CodeRange> code_ranges(std::string_view text) {
  std::vector<CodeRange> ranges;
  for (std::size_t at = text.find("U+"); at != text.npos; at = text.find("U+", at + 2)) {
    std::uint32_t first = 0, last = 0;
    const char* const end = text.data() + text.size();
    const char* const dash = std::from_chars(text.data() + at + 2, end, first, 16).ptr;
    last = first;
    if (dash != end && *dash == '-') std::from_chars(dash + 1, end, last, 16);
    ranges.push_back({first, last});
  }
  return ranges;
}

/// What stands between two texts; empty without the first.
std::string_view between(std::string_view text, std::string_view before, std::string_view after) {
  const std::size_t at = text.find(before);
  if (at == text.npos) return {};
  text.remove_prefix(at + before.size());
  return text.substr(0, text.find_first_of(after));
}

bool is_set(std::string_view face, std::string_view file, const SetText& text,
            const std::set<char32_t>& covered) {
  constexpr std::string_view kMath = "KaTeX_";
  if (const std::size_t math = file.find(kMath); math != file.npos) {
    const std::string_view name = file.substr(math + kMath.size());
    return std::any_of(kMathFaces.begin(), kMathFaces.end(), [&](const MathFace& each) {
      return name.starts_with(each.face) && name.substr(each.face.size()).starts_with('.') &&
             text.classes.contains(std::string(each.word));
    });
  }
  const std::vector<CodeRange> ranges = code_ranges(between(face, "unicode-range:", ";}"));
  const auto has_any_of = [&](const std::set<char32_t>& characters) {
    return std::any_of(ranges.begin(), ranges.end(), [&](const CodeRange& range) {
      const auto end = characters.upper_bound(range.last);
      return std::any_of(characters.lower_bound(range.first), end,
                         [&](char32_t character) { return !covered.contains(character); });
    });
  };
  const bool is_for_code = between(face, "font-family:", ";").find(kCodeFont) != face.npos;
  return has_any_of(text.characters) || (is_for_code && has_any_of(text.of_code));
}

/// The code point that a reference stands for, `&#8212;`, `&#x2014;`, `\u2014`; 0 if there is none.
std::uint32_t referred(std::string_view text) {
  std::uint32_t code = 0;
  const auto read = [&](std::size_t from, std::size_t length, int base) {
    const std::string_view digits = text.substr(std::min(from, text.size()), length);
    std::from_chars(digits.data(), digits.data() + digits.size(), code, base);
    return code;
  };
  if (text.starts_with("&#x")) return read(3, 6, 16);
  if (text.starts_with("&#")) return read(2, 7, 10);
  return text.starts_with("\\u") ? read(2, 4, 16) : 0;
}

/// The words of the value that follows `class=`, or `class=\` in a string of a script.
void add_classes(std::set<std::string>& classes, std::string_view text) {
  const std::size_t begin = text.find('"');
  if (begin > 1) return;
  text.remove_prefix(begin + 1);
  text = text.substr(0, text.find_first_of("\"\\"));
  while (!text.empty()) {
    const std::size_t length = std::min(text.find(' '), text.size());
    classes.emplace(text.substr(0, length));
    text.remove_prefix(std::min(length + 1, text.size()));
  }
}

void add_characters(std::set<char32_t>& characters, std::string_view text) {
  while (!text.empty()) {
    const std::string_view character = next_character(text);
    if (character.size() > 1) {
      characters.insert(utf8_code_point(character));
    } else if (character == "&" || character == "\\") {
      if (const std::uint32_t code = referred(text.substr(0, 10)); code > 0) characters.insert(code);
    } else {
      characters.insert(static_cast<unsigned char>(character[0]));
    }
    text.remove_prefix(character.size());
  }
}

}  // namespace

void SetText::add(std::string_view text) {
  constexpr std::string_view kClass = "class=";
  for (std::size_t at = text.find(kClass); at != text.npos; at = text.find(kClass, at + 1))
    add_classes(classes, text.substr(at + kClass.size(), 256));
  add_characters(characters, text);
}

void SetText::add_code(std::string_view text) {
  add_characters(of_code, text);
}

std::string with_inline_fonts(std::string_view css, const std::filesystem::path& folder, const SetText& text,
                              std::set<char32_t>& covered) {
  constexpr std::string_view kFace = "@font-face";
  std::string out;
  const std::set<char32_t> before = covered;
  for (std::size_t at = css.find(kFace); at != css.npos; at = css.find(kFace)) {
    out += css.substr(0, at);
    css.remove_prefix(at);
    const std::size_t end = std::min(css.find('}'), css.size() - 1) + 1;
    const std::string_view face = css.substr(0, end);
    css.remove_prefix(end);
    const std::string_view file = between(face, "url(", ")");
    if (file.empty()) {  // of the system
      out += face;
      continue;
    }
    if (!is_set(face, file, text, before)) continue;
    const std::size_t url = face.find(file);
    out.append(face.substr(0, url)).append("data:font/woff2;base64,");
    out += base64(read_file(folder / file));
    out += face.substr(url + file.size());
    for (const CodeRange& range : code_ranges(between(face, "unicode-range:", ";}"))) {
      for (const auto* const characters : {&text.characters, &text.of_code})
        covered.insert(characters->lower_bound(range.first), characters->upper_bound(range.last));
    }
  }
  return out.append(css);
}

}  // namespace lectern
