#include "site/html_tags.h"

#include <algorithm>

namespace lectern {
namespace {

bool is_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-';
}

std::size_t tag_end(std::string_view html, std::size_t from) {
  bool quoted = false;
  for (std::size_t at = from; at < html.size(); ++at) {
    if (html[at] == '"') quoted = !quoted;
    if (html[at] == '>' && !quoted) return at + 1;
  }
  return html.size();
}

/// Where the attribute's value begins in the tag, and where it ends; npos without the attribute.
std::pair<std::size_t, std::size_t> find_value(std::string_view tag, std::string_view attribute) {
  bool quoted = false;
  for (std::size_t at = 0; at < tag.size(); ++at) {
    if (tag[at] == '"') quoted = !quoted;
    if (quoted || tag[at] != ' ' || !tag.substr(at + 1).starts_with(attribute)) continue;
    const std::size_t equals = at + 1 + attribute.size();
    if (!tag.substr(equals).starts_with("=\"")) continue;
    return {equals + 2, std::min(tag.find('"', equals + 2), tag.size())};
  }
  return {tag.npos, tag.npos};
}

}  // namespace

std::optional<std::string_view> HtmlTag::attribute(std::string_view attribute) const {
  const auto [from, to] = find_value(text, attribute);
  if (from == text.npos) return std::nullopt;
  return text.substr(from, to - from);
}

bool HtmlTag::is_a(std::string_view word) const {
  std::string_view words = attribute("class").value_or("");
  while (!words.empty()) {
    const std::size_t length = std::min(words.find(' '), words.size());
    if (words.substr(0, length) == word) return true;
    words.remove_prefix(std::min(length + 1, words.size()));
  }
  return false;
}

std::optional<HtmlTag> next_tag(std::string_view html, std::size_t from) {
  auto tag = next_tag_of_any_kind(html, from);
  while (tag && tag->is_end()) tag = next_tag_of_any_kind(html, tag->end);
  return tag;
}

std::optional<HtmlTag> next_tag_of_any_kind(std::string_view html, std::size_t from) {
  for (std::size_t at = html.find('<', from); at != html.npos; at = html.find('<', at + 1)) {
    const std::size_t name = at + (html.substr(at + 1).starts_with('/') ? 2 : 1);
    std::size_t end = name;
    while (end < html.size() && is_name(html[end])) ++end;
    if (end == name) continue;
    const std::size_t close = tag_end(html, end);
    return HtmlTag{at, close, html.substr(name, end - name), html.substr(at, close - at)};
  }
  return std::nullopt;
}

std::size_t element_end(std::string_view html, const HtmlTag& tag) {
  const std::string end_tag = "</" + std::string(tag.name) + ">";
  std::size_t at = tag.end, end = html.find(end_tag, at);
  for (int open = 1; end != html.npos; end = html.find(end_tag, end + 1)) {
    for (auto inner = next_tag(html, at); inner && inner->begin < end; inner = next_tag(html, at)) {
      if (inner->name == tag.name) ++open;
      at = inner->end;
    }
    if (--open == 0) return end + end_tag.size();
  }
  return html.size();
}

std::string with_attribute(const std::string& tag, std::string_view attribute,
                           const std::optional<std::string>& value) {
  const auto [from, to] = find_value(tag, attribute);
  if (from == tag.npos) return tag;
  if (value) return tag.substr(0, from) + *value + tag.substr(to);
  const std::size_t begin = from - attribute.size() - 3;  // with the blank before it
  return tag.substr(0, begin) + tag.substr(std::min(to + 1, tag.size()));
}

}  // namespace lectern
