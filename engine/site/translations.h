#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "trace/trace.h"

namespace lectern {

/// Of an element in this language: ` lang="ar" dir="rtl"`; nothing for what is no tag.
std::string language_attributes(std::string_view language);

/// Which of a site's languages are missing among alternatives (trace/languages.h), and which of theirs the
/// site does not have. Nothing where it names none.
std::vector<std::string> translation_problems(const std::vector<Rendering>& show, std::size_t begin,
                                              std::size_t end,
                                              const std::vector<std::string>& site_languages);

/// What encloses one of several alternatives.
inline constexpr std::string_view kAlternative = " class=\"tongue\"";

/// The languages between which a reader of this HTML chooses: in the site's order, then as they come.
std::vector<std::string> languages_in(std::string_view html, const std::vector<std::string>& site_languages);

}  // namespace lectern
