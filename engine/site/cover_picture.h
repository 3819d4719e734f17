#pragma once

#include <filesystem>
#include <string>

#include "site/summary.h"

namespace lectern {

/// Beside a page whose cover is SVG, the cover as a bitmap: other sites show no SVG with a link.
inline constexpr const char* kCoverPicture = "cover.png";

struct CoverPicture {
  std::string png;
  std::string problem;  ///< why there is none
};

/// Draws an SVG, at most 1200 pixels wide and 630 high, with Node.js.
CoverPicture draw_cover(const std::filesystem::path& svg, const std::filesystem::path& templates);

bool is_drawn_cover(const rendering::Cover& cover);

/// What other sites show of the cover, from the page's folder; empty for nothing.
std::string cover_picture(const LectureSummary& lecture);

}  // namespace lectern
