#include "site/used_rules.h"

#include <algorithm>

#include "base/characters.h"

namespace lectern {
namespace {

/// How many characters of the text stand before its first one of `marks` that is not in parentheses, or in
/// braces, since rules may contain others.
std::size_t length_before(std::string_view text, std::string_view marks) {
  int depth = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (depth == 0 && marks.find(text[at]) != marks.npos) return at;
    if (text[at] == '(' || text[at] == '{') ++depth;
    if (text[at] == ')' || text[at] == '}') --depth;
  }
  return text.size();
}

std::size_t length_of_rule(std::string_view css) {
  const std::size_t block = length_before(css, "{");
  return std::min(block + 1 + length_before(css.substr(std::min(block + 1, css.size())), "}") + 1,
                  css.size());
}

bool is_of_name(char c) {
  return is_word(c) || c == '-';
}

/// Whether elements may match: in parentheses, as those of `:not()`, classes may be absent.
bool may_match(std::string_view selector, const std::set<std::string>& classes) {
  for (std::size_t at = length_before(selector, "."); at < selector.size();) {
    std::string_view name = selector.substr(at + 1);
    name = name.substr(
        0, static_cast<std::size_t>(std::find_if_not(name.begin(), name.end(), is_of_name) - name.begin()));
    if (!classes.contains(std::string(name))) return false;
    at += 1 + name.size();
    at += length_before(selector.substr(at), ".");
  }
  return true;
}

bool may_apply(std::string_view rule, const std::set<std::string>& classes) {
  if (rule.starts_with('@')) return true;
  for (std::string_view selectors = rule.substr(0, length_before(rule, "{")); !selectors.empty();) {
    const std::size_t length = length_before(selectors, ",");
    if (may_match(selectors.substr(0, length), classes)) return true;
    selectors.remove_prefix(std::min(length + 1, selectors.size()));
  }
  return false;
}

}  // namespace

std::string with_used_rules(std::string_view css, const std::set<std::string>& classes) {
  std::string used;
  while (!css.empty()) {
    const std::string_view rule = css.substr(0, length_of_rule(css));
    if (may_apply(rule, classes)) used += rule;
    css.remove_prefix(rule.size());
  }
  return used;
}

}  // namespace lectern
