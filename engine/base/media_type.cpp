#include "base/media_type.h"

#include <algorithm>
#include <utility>

#include "base/base64.h"
#include "base/characters.h"

namespace lectern {
namespace {

using namespace std::literals;

struct Signature {
  std::size_t at;
  std::string_view bytes, ending;
};

constexpr Signature kSignatures[] = {{0, "\x89PNG\r\n\x1A\n"sv, ".png"},
                                     {0, "\xFF\xD8\xFF"sv, ".jpg"},
                                     {0, "GIF87a"sv, ".gif"},
                                     {0, "GIF89a"sv, ".gif"},
                                     {8, "WEBPVP"sv, ".webp"},
                                     {4, "ftypavif"sv, ".avif"},
                                     {4, "ftypavis"sv, ".avif"},
                                     {4, "ftyp"sv, ".mp4"},
                                     {0, "\x1A\x45\xDF\xA3"sv, ".webm"},
                                     {0, "OggS\0"sv, ".ogv"}};

/// Removes what begins with `begin`, through the next `end`. False where it does not begin so.
bool skip(std::string_view& text, std::string_view begin, std::string_view end) {
  if (!text.starts_with(begin)) return false;
  text.remove_prefix(std::min(text.find(end), text.size() - end.size()) + end.size());
  return true;
}

bool is_svg(std::string_view text) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF", kRoot = "<svg";
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  do {
    text = trim(text);
  } while (skip(text, "<?", "?>") || skip(text, "<!--", "-->") ||
           skip(text, "<!DOCTYPE",
                text.substr(0, text.find('>')).find('[') == std::string_view::npos ? ">" : "]>"));
  return text.starts_with(kRoot) && text.size() > kRoot.size() &&
         " \t\r\n>/"sv.find(text[kRoot.size()]) != std::string_view::npos;
}

/// Captions: https://www.w3.org/TR/webvtt1/#file-structure
bool is_webvtt(std::string_view text) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF", kBegin = "WEBVTT";
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  return text.starts_with(kBegin) &&
         (text.size() == kBegin.size() || " \t\r\n"sv.find(text[kBegin.size()]) != std::string_view::npos);
}

}  // namespace

std::string_view media_ending(std::string_view beginning) {
  for (const auto& [at, bytes, ending] : kSignatures) {
    if (beginning.size() > at && beginning.substr(at).starts_with(bytes)) return ending;
  }
  return is_svg(beginning) ? ".svg" : is_webvtt(beginning) ? ".vtt" : "";
}

std::string_view media_type(std::string_view beginning) {
  constexpr std::pair<std::string_view, std::string_view> kTypes[] = {
      {".svg", "image/svg+xml"}, {".png", "image/png"},   {".jpg", "image/jpeg"}, {".gif", "image/gif"},
      {".webp", "image/webp"},   {".avif", "image/avif"}, {".mp4", "video/mp4"},  {".webm", "video/webm"},
      {".ogv", "video/ogg"},     {".vtt", "text/vtt"}};
  const std::string_view ending = media_ending(beginning);
  for (const auto& [suffix, type] : kTypes) {
    if (suffix == ending) return type;
  }
  return "application/octet-stream";
}

std::string data_url(std::string_view bytes) {
  return "data:" + std::string(media_type(bytes)) + ";base64," + base64(bytes);
}

}  // namespace lectern
