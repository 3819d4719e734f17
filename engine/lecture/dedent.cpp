#include "lecture/dedent.h"

#include <algorithm>
#include <optional>

#include "base/lines.h"

namespace lectern {
namespace {

constexpr std::string_view kBlanks = " \t\r";

bool is_blank(std::string_view line) {
  return line.find_first_not_of(kBlanks) == std::string_view::npos;
}

std::string_view common_prefix(std::string_view a, std::string_view b) {
  const auto [end, other] = std::mismatch(a.begin(), a.begin() + std::min(a.size(), b.size()), b.begin());
  return a.substr(0, static_cast<std::size_t>(end - a.begin()));
}

std::string_view common_indentation(std::string_view text) {
  std::optional<std::string_view> common;
  while (!text.empty()) {
    const std::string_view line = take_line(text);
    if (is_blank(line)) continue;
    const std::string_view own = line.substr(0, line.find_first_not_of(" \t"));
    common = common ? common_prefix(*common, own) : own;
  }
  return common.value_or("");
}

}  // namespace

std::string dedented(std::string_view text) {
  std::string_view rest = text;
  if (text.find('\n') == std::string_view::npos || !is_blank(take_line(rest))) return std::string(text);
  const std::size_t indentation = common_indentation(rest).size();
  std::string result;
  std::size_t end = 0;  // of the last line that is not blank
  while (!rest.empty()) {
    const std::string_view line = take_line(rest);
    if (!is_blank(line)) {
      result += line.substr(indentation);
      if (result.ends_with('\r')) result.pop_back();
      end = result.size();
    }
    result += '\n';
  }
  result.resize(end);
  return result;
}

}  // namespace lectern
