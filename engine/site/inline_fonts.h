#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <string_view>

namespace lectern {

/// What a page is set in: the characters of its text, and the words of its classes, which choose fonts of
/// mathematics.
struct SetText {
  std::set<char32_t> characters;
  std::set<char32_t> of_code;  ///< what the font for code needs besides
  std::set<std::string> classes;

  /// Reads HTML, or a script with HTML in its strings: what they refer to (`&#8212;`, `\u2014`), too.
  void add(std::string_view text);
  /// The same of what is code only.
  void add_code(std::string_view text);
};

/// The style sheet with the fonts that it loads in it, as data: URLs, and without the faces that the text
/// has no character for. Files are relative to `folder`. `covered`: characters that another sheet, after this
/// one, has faces for; those of this sheet are added.
std::string with_inline_fonts(std::string_view css, const std::filesystem::path& folder, const SetText& text,
                              std::set<char32_t>& covered);

}  // namespace lectern
