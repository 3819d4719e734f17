#include "base/markdown_links.h"

#include <algorithm>
#include <filesystem>

#include "base/files.h"
#include "base/markdown_math.h"

namespace lectern {

LinkedFile linked_file(std::string_view address) {
  const std::size_t end = std::min(address.find_first_of("?#"), address.size());
  const std::string path = std::filesystem::path(address.substr(0, end)).lexically_normal().generic_string();
  if (path.ends_with('/') || path == "." || !inside_folder(path)) return {};
  return {path, std::string(address.substr(end))};
}

std::string with_addresses(std::string_view markdown,
                           const std::function<std::string(const std::string& address)>& other) {
  constexpr std::string_view kBegin = "](";
  std::string out;
  for (const MarkdownPiece& piece : markdown_pieces(markdown)) {
    std::string_view text = piece.text;
    std::size_t at = piece.kind == MarkdownPiece::Kind::text ? text.find(kBegin) : text.npos;
    for (; at != text.npos; at = text.find(kBegin)) {
      out += text.substr(0, at + kBegin.size());
      text.remove_prefix(at + kBegin.size());
      const std::string address(text.substr(0, text.find_first_of(" \t\n)")));
      const std::string instead = other(address);
      out += instead.empty() ? address : instead;
      text.remove_prefix(address.size());
    }
    out += text;
  }
  return out;
}

}  // namespace lectern
