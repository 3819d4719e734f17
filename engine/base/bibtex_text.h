#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace lectern {

/// The plain text of a value of BibTeX: LaTeX's accents and signs are the characters that they stand for
/// (\"o is ö, \ss is ß, -- is –), braces, dollars and commands of typefaces are left out, blanks are one.
/// What is not known stays as it is written.
std::string text_of_latex(std::string_view latex);

/// An address, in which only backslashes and braces are LaTeX's.
std::string url_of_latex(std::string_view latex);

struct BibName {
  std::string whole;   ///< "Aäron van den Oord"
  std::string family;  ///< "van den Oord"
};

/// In the place of the last of several authors: more that are not named.
inline constexpr std::string_view kEtAl = "et al.";

/// The names of a list, which `and` separates: "First von Last", "von Last, First", "von Last, Jr, First".
/// What is in braces is one word: {Barnes and Noble}. Of a list that ends in "and others" the last is kEtAl.
std::vector<BibName> names_of_latex(std::string_view latex);

}  // namespace lectern
