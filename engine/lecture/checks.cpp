#include "lecture/checks.h"

#include <algorithm>
#include <cctype>

#include "base/language_tag.h"
#include "lecture/rendering.h"

namespace lectern {
namespace {

bool is_blank_or_control(char c) {
  return static_cast<unsigned char>(c) <= 0x20 || c == 0x7F;
}

}  // namespace

std::string url_scheme(std::string_view url) {
  const std::size_t end = url.find_first_of(":/?#");
  if (end == std::string_view::npos || url[end] != ':') return {};
  std::string scheme(url.substr(0, end));
  std::transform(scheme.begin(), scheme.end(), scheme.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return scheme.empty() ? ":" : scheme;
}

void check_url(const std::string& hook, std::string_view url) {
  const std::string shown = hook + ": \"" + std::string(url) + "\" ";
  if (url.empty()) refuse(hook + ": the address is empty; give a URL");
  if (std::any_of(url.begin(), url.end(), is_blank_or_control)) {
    refuse(shown + "has a blank in it; write blanks in a URL as %20");
  }
  const std::string scheme = url_scheme(url);
  if (!scheme.empty() && scheme != "http" && scheme != "https" && scheme != "mailto") {
    refuse(shown + "is not an address that a page may link to; use http, https, mailto or a relative URL");
  }
}

void check_language(const std::string& hook, std::string_view tag) {
  if (tag.empty() || is_language_tag(tag)) return;
  refuse(hook + ": \"" + std::string(tag) +
         "\" is not the tag of a language; write it like \"de\" or \"pt-BR\"");
}

}  // namespace lectern
