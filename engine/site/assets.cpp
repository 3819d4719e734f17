#include "site/assets.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <regex>

#include <fmt/format.h>

#include "base/files.h"
#include "base/html.h"
#include "base/markdown_links.h"
#include "base/path_url.h"

namespace lectern {
namespace {

namespace fs = std::filesystem;

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

std::optional<ImageSize> size_in_pixels(const std::string& width, const std::string& height) {
  constexpr double kMost = 1e6;
  double w = 0, h = 0;
  std::from_chars(width.data(), width.data() + width.size(), w);
  std::from_chars(height.data(), height.data() + height.size(), h);
  if (!(w > 0 && h > 0 && w < kMost && h < kMost)) return std::nullopt;
  return ImageSize{static_cast<int>(std::lround(w)), static_cast<int>(std::lround(h))};
}

/// The width and height in pixels, or else those of the viewBox, its last two numbers.
std::optional<ImageSize> svg_size(std::string_view bytes) {
  constexpr std::size_t kLongestTag = 4096;
  static const std::regex kWidth(R"(\swidth\s*=\s*["']([-+.\deE]+)(px)?["'])"),
      kHeight(R"(\sheight\s*=\s*["']([-+.\deE]+)(px)?["'])"),
      kViewBox(R"(\sviewBox\s*=\s*["'][\s,]*[-+.\deE]+[\s,]+[-+.\deE]+[\s,]+([-+.\deE]+)[\s,]+([-+.\deE]+))");
  const std::size_t begin = bytes.find("<svg");
  if (begin == std::string_view::npos) return std::nullopt;
  const std::string tag(bytes.substr(begin, std::min(bytes.find('>', begin) - begin, kLongestTag)));
  std::smatch width, height, box;
  if (std::regex_search(tag, width, kWidth) && std::regex_search(tag, height, kHeight)) {
    if (const auto size = size_in_pixels(width.str(1), height.str(1))) return size;
  }
  if (!std::regex_search(tag, box, kViewBox)) return std::nullopt;
  return size_in_pixels(box.str(1), box.str(2));
}

std::optional<ImageSize> webp_size(std::string_view bytes) {
  const std::string_view form = bytes.substr(12, 4);
  if (form == "VP8 ") return ImageSize{little_endian(bytes, 26) & 0x3FFF, little_endian(bytes, 28) & 0x3FFF};
  if (form == "VP8L") {  // 14 bits each, the second after the first
    const auto bits = static_cast<std::uint32_t>(little_endian(bytes, 21) | little_endian(bytes, 23) << 16);
    return ImageSize{static_cast<int>(bits & 0x3FFF) + 1, static_cast<int>(bits >> 14 & 0x3FFF) + 1};
  }
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

bool Assets::contains(std::string_view name) const {
  return files_.contains(std::string(name));
}

const fs::path& Assets::file(std::string_view name) const {
  return files_.at(std::string(name));
}

std::string Assets::content(std::string_view name) const {
  return read_file(file(name));
}

std::string Assets::url(std::string_view name) {
  return "assets/" + path_url(name);
}

std::string Assets::link(const std::string& address) const {
  const auto [name, rest] = linked_file(address);
  return contains(name) ? url(name) + rest : address;
}

std::string Assets::link_problem(const std::string& address) const {
  const std::string name = linked_file(address).name;
  if (name.empty() || fs::path(name).filename() == "index.html" || contains(name)) return {};
  return "the link to " + address + " leads nowhere: " + name + " is not among the lecture's files";
}

std::string Assets::image(std::string_view name, std::string_view alt, int width) const {
  constexpr std::size_t kHeader = 1 << 18;
  const auto found = files_.find(std::string(name));
  const std::string beginning =
      found == files_.end() ? std::string() : read_beginning(found->second, kHeader);
  const bool svg = beginning.find("<svg") != std::string::npos;
  const bool themed = svg && (beginning.find("prefers-color-scheme") != std::string::npos ||
                              beginning.find("light-dark(") != std::string::npos);
  std::string html = fmt::format("<img{} loading=\"lazy\" src=\"{}\" alt=\"{}\"",
                                 themed ? " class=\"themed\"" : "", url(name), escape_html(alt));
  const auto natural = image_size(beginning);
  if (natural && natural->width > 0 && natural->height > 0) {
    const int shown = width > 0 ? width : natural->width;
    const auto height = static_cast<long long>(natural->height) * shown / natural->width;
    html += fmt::format(" width=\"{}\" height=\"{}\"", shown, std::max<long long>(height, 1));
  } else if (width > 0) {
    html += fmt::format(" width=\"{}\"", width);
  }
  return html + ">";
}

}  // namespace lectern
