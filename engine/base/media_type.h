#pragma once

#include <cstddef>
#include <string_view>

namespace lectern {

/// How much of a file's beginning tells its kind.
inline constexpr std::size_t kMediaTypeBytes = 1 << 16;

/// The ending that a file which begins so should have, for what browsers show: ".svg", ".png", ".jpg",
/// ".gif", ".webp", ".avif", ".mp4", ".webm" or ".ogv"; empty for all else. By the signatures of the MIME
/// Sniffing Standard (https://mimesniff.spec.whatwg.org), and SVG by its root element.
std::string_view media_ending(std::string_view beginning);

}  // namespace lectern
