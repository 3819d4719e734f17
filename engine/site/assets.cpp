#include "site/assets.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <fstream>

#include "base/files.h"
#include "base/html.h"
#include "base/path_url.h"

namespace lectern {
namespace {

std::uint32_t byte_at(std::string_view bytes, std::size_t at) {
  return static_cast<unsigned char>(bytes[at]);
}

int big_endian(std::string_view bytes, std::size_t at, std::size_t length) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < length; ++i) value = value << 8 | byte_at(bytes, at + i);
  return static_cast<int>(value & 0x7FFFFFFF);
}

int little_endian(std::string_view bytes, std::size_t at) {
  return static_cast<int>(byte_at(bytes, at) | byte_at(bytes, at + 1) << 8);
}

std::optional<ImageSize> jpeg_size(std::string_view bytes) {
  for (std::size_t at = 2; at + 9 < bytes.size() && byte_at(bytes, at) == 0xFF;) {
    const std::uint32_t marker = byte_at(bytes, at + 1);
    const bool frame = marker >= 0xC0 && marker <= 0xCF && marker != 0xC4 && marker != 0xC8 && marker != 0xCC;
    if (frame) return ImageSize{big_endian(bytes, at + 7, 2), big_endian(bytes, at + 5, 2)};
    at += 2 + static_cast<std::size_t>(big_endian(bytes, at + 2, 2));
  }
  return std::nullopt;
}

/// A number at the beginning, when nothing but "px" follows up to `end`.
std::optional<double> pixels(std::string_view text) {
  double value = 0;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
  if (result.ec != std::errc()) return std::nullopt;
  const std::string_view unit(result.ptr, static_cast<std::size_t>(text.data() + text.size() - result.ptr));
  if (!unit.empty() && unit != "px") return std::nullopt;
  return value;
}

std::optional<std::string_view> attribute(std::string_view tag, std::string_view name) {
  for (std::size_t at = tag.find(name); at != std::string_view::npos; at = tag.find(name, at + 1)) {
    const std::size_t equals = tag.find_first_not_of(" \t\r\n", at + name.size());
    const bool begins = at > 0 && (tag[at - 1] == ' ' || tag[at - 1] == '\n' || tag[at - 1] == '\t');
    if (!begins || equals == std::string_view::npos || tag[equals] != '=') continue;
    const std::size_t quote = tag.find_first_of("\"'", equals);
    if (quote == std::string_view::npos) return std::nullopt;
    const std::size_t end = tag.find(tag[quote], quote + 1);
    if (end == std::string_view::npos) return std::nullopt;
    return tag.substr(quote + 1, end - quote - 1);
  }
  return std::nullopt;
}

std::optional<ImageSize> svg_size(std::string_view bytes) {
  const std::size_t begin = bytes.find("<svg");
  if (begin == std::string_view::npos) return std::nullopt;
  const std::string_view tag = bytes.substr(begin, bytes.find('>', begin) - begin);
  const auto width = attribute(tag, "width"), height = attribute(tag, "height");
  if (width && height) {
    const auto w = pixels(*width), h = pixels(*height);
    if (w && h && *w > 0 && *h > 0)
      return ImageSize{static_cast<int>(std::lround(*w)), static_cast<int>(std::lround(*h))};
  }
  const auto box = attribute(tag, "viewBox");
  if (!box) return std::nullopt;
  std::array<double, 4> numbers{};
  const char* at = box->data();
  const char* const end = at + box->size();
  for (double& number : numbers) {
    while (at != end && (*at == ' ' || *at == ',' || *at == '\n')) ++at;
    const auto result = std::from_chars(at, end, number);
    if (result.ec != std::errc()) return std::nullopt;
    at = result.ptr;
  }
  if (!(numbers[2] > 0 && numbers[3] > 0 && numbers[2] < 1e6 && numbers[3] < 1e6)) return std::nullopt;
  return ImageSize{static_cast<int>(std::lround(numbers[2])), static_cast<int>(std::lround(numbers[3]))};
}

std::optional<ImageSize> webp_size(std::string_view bytes) {
  const std::string_view form = bytes.substr(12, 4);
  if (form == "VP8 ") return ImageSize{little_endian(bytes, 26) & 0x3FFF, little_endian(bytes, 28) & 0x3FFF};
  if (form == "VP8X") {
    const auto plus_one = [&](std::size_t at) {
      return little_endian(bytes, at) + static_cast<int>(byte_at(bytes, at + 2) << 16) + 1;
    };
    return ImageSize{plus_one(24), plus_one(27)};
  }
  return std::nullopt;
}

}  // namespace

std::optional<ImageSize> image_size(std::string_view bytes) {
  if (bytes.size() >= 24 && bytes.starts_with("\x89PNG")) {
    return ImageSize{big_endian(bytes, 16, 4), big_endian(bytes, 20, 4)};
  }
  if (bytes.starts_with("\xFF\xD8")) return jpeg_size(bytes);
  if (bytes.size() >= 10 && bytes.starts_with("GIF8"))
    return ImageSize{little_endian(bytes, 6), little_endian(bytes, 8)};
  if (bytes.size() >= 30 && bytes.starts_with("RIFF") && bytes.substr(8, 4) == "WEBP")
    return webp_size(bytes);
  return svg_size(bytes);
}

Assets::Assets(const std::filesystem::path& folder) {
  for (const std::filesystem::path& file : files_below(folder))
    files_.emplace(file.generic_string(), folder / file);
}

bool Assets::contains(std::string_view name) const {
  return files_.contains(std::string(name));
}

std::string Assets::url(std::string_view name) {
  return "assets/" + path_url(name);
}

std::string Assets::beginning_of(std::string_view name) const {
  const auto found = files_.find(std::string(name));
  if (found == files_.end()) return {};
  std::ifstream file(found->second, std::ios::binary);
  std::string beginning(1 << 18, '\0');
  file.read(beginning.data(), static_cast<std::streamsize>(beginning.size()));
  beginning.resize(static_cast<std::size_t>(file.gcount()));
  return beginning;
}

std::optional<ImageSize> Assets::size_of(std::string_view name) const {
  const auto size = image_size(beginning_of(name));
  return size && size->width > 0 && size->height > 0 ? size : std::nullopt;
}

std::string Assets::image(std::string_view name, std::string_view alt, int width) const {
  const std::string beginning = beginning_of(name);
  const bool svg = beginning.find("<svg") != std::string::npos;
  const bool themed = svg && (beginning.find("prefers-color-scheme") != std::string::npos ||
                              beginning.find("light-dark(") != std::string::npos);
  std::string html = std::string("<img") + (themed ? " class=\"themed\"" : "") + " loading=\"lazy\" src=\"" +
                     url(name) + "\" alt=\"" + escape_html(alt) + "\"";
  const auto natural = image_size(beginning);
  if (natural && natural->width > 0 && natural->height > 0) {
    const int shown = width > 0 ? width : natural->width;
    const auto height = static_cast<long long>(natural->height) * shown / natural->width;
    html += " width=\"" + std::to_string(shown) + "\" height=\"" +
            std::to_string(std::max<long long>(height, 1)) + "\"";
  } else if (width > 0) {
    html += " width=\"" + std::to_string(width) + "\"";
  }
  return html + ">";
}

}  // namespace lectern
