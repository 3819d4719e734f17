#pragma once

#include <filesystem>
#include <string>

namespace lectern {

/// What a page in a single file may take. Vega comes along where it fits; else plots are the pictures that
/// were drawn when the page was made.
inline constexpr std::size_t kMostOfSingleFile = 1'500'000;

/// The page of a lecture with all that it loads in it: styles, scripts, fonts, images, data, calculators. It
/// asks for nothing from anywhere, and has a policy of its own, by the hashes of what is in it. Text, code,
/// values and pictures are there as on any page; what only scripts show or use is packed (pack.h).
///
/// `site` is a site with this lecture alone, `templates` as in RenderOptions. Links to other pages of the
/// site lead below `base_url` or, without one, nowhere. Throws Error.
std::string single_file_html(const std::filesystem::path& site, const std::string& lecture,
                             const std::filesystem::path& templates, const std::string& base_url);

}  // namespace lectern
