#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace lectern {

/// How much of a file's beginning tells its kind.
inline constexpr std::size_t kMediaTypeBytes = 1 << 16;

/// The ending that a file which begins so should have, for what browsers show: ".svg", ".png", ".jpg",
/// ".gif", ".webp", ".avif", ".mp4", ".webm", ".ogv" or, for captions, ".vtt"; empty for all else. By the
/// signatures of the MIME Sniffing Standard (https://mimesniff.spec.whatwg.org), SVG by its root element,
/// WebVTT by its first line.
std::string_view media_ending(std::string_view beginning);

/// The media type of such a file; "application/octet-stream" for all else.
std::string_view media_type(std::string_view beginning);

/// The whole file as an address of its own, "data:image/png;base64,…".
std::string data_url(std::string_view bytes);

}  // namespace lectern
