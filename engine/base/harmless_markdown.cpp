#include "base/harmless_markdown.h"

#include "base/html.h"
#include "base/markdown_links.h"

namespace lectern {
namespace {

/// Entities of HTML may spell a scheme: only in what comes after the path none can.
bool is_harmless(std::string_view address) {
  if (address.starts_with('<')) address.remove_prefix(1);
  const std::string_view path = address.substr(0, address.find('?'));
  return safe_link(address) && path.find('&') == std::string_view::npos;
}

}  // namespace

std::string harmless_markdown(std::string_view markdown,
                              const std::function<bool(const std::string& address)>& shows) {
  return with_links(markdown, [&](MarkdownLink& link) {
    link.is_image = link.is_image && shows(link.address);
    if (!link.is_image && !is_harmless(link.address)) link.address = "#";
  });
}

}  // namespace lectern
